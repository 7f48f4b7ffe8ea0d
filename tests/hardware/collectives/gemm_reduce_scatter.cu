// Lab 11, rung 8, beside cuBLAS and NCCL's reduce-scatter one after the other.
#include "sweep.h"
using F = void (*)(GemmRanks, int, int, int);
struct V {
  const char* name;
  F f;
};
V variants[] = {{"rung 8", gemm_reduce_scatter}};
int n_variants = 1;
int main() {
  setup();
  nccl_setup();
  cublasHandle_t h[R];
  Mem ws;
  ws.alloc(32 << 20);
  for (int r = 0; r < R; ++r) {
    check(cudaSetDevice(r));
    check(cublasCreate(&h[r]));
    check(cublasSetStream(h[r], st[r]));
    check(cublasSetWorkspace(h[r], ws.p[r], 32 << 20));
  }
  struct S {
    int m, n, k;
  };
  for (S s : {S{8192, 8192, 2048}, S{8192, 8192, 4096}, S{4096, 4096, 4096}, S{2048, 2048, 1024}}) {
    size_t na = (size_t)s.m * s.k, nb = (size_t)s.n * s.k, nc = (size_t)s.m * s.n;
    Mem a, b, c, part, sig;
    a.alloc(na * 2);
    b.alloc(nb * 2);
    c.alloc(nc * 2 / R);
    part.alloc(nc * 2);
    size_t flags = ((size_t)s.m / 64 * (s.n / 256) + 63) / 64 * 64 * 4;
    sig.alloc(flags + nc * 2);
    int rows = s.m / R;
    for (int r = 0; r < R; ++r) {
      check(cudaSetDevice(r));
      fill_b<<<264, 256>>>((__nv_bfloat16*)a.p[r], na, r * 7 + 1);
      fill_b<<<264, 256>>>((__nv_bfloat16*)b.p[r], nb, r * 7 + 3);
    }
    sync();
    float one = 1, zero = 0;
    auto gemm = [&] {
      for (int r = 0; r < R; ++r) {
        check(cudaSetDevice(r));
        check(cublasGemmEx(h[r], CUBLAS_OP_T, CUBLAS_OP_N, s.n, s.m, s.k, &one, b.p[r], CUDA_R_16BF,
                           s.k, a.p[r], CUDA_R_16BF, s.k, &zero, part.p[r], CUDA_R_16BF, s.n,
                           CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
      }
    };
    auto rs = [&] {
      check(ncclGroupStart());
      for (int r = 0; r < R; ++r)
        check(ncclReduceScatter(part.p[r], c.p[r], nc / R, ncclBfloat16, ncclSum, comm[r], st[r]));
      check(ncclGroupEnd());
    };
    auto both = [&] {
      gemm();
      rs();
    };
    auto g = capture(both);
    double tgm = time_us(nullptr, gemm, 15, 90000), trs = time_us(nullptr, rs, 15, 90000),
           tg = time_us(
               nullptr, [&] { check(cudaGraphLaunch(g, st[0])); }, 15, 90000),
           ts = time_us(nullptr, both, 15, 120000);
    check(cudaGraphExecDestroy(g));
    std::vector<__nv_bfloat16> want[R], got[R];
    for (int r = 0; r < R; ++r) {
      want[r].resize(nc / R);
      got[r].resize(nc / R);
      check(cudaMemcpy(want[r].data(), c.p[r], nc * 2 / R, cudaMemcpyDefault));
    }
    printf("%dx%dx%d: gemm %.1f (%.0f TFLOP/s) rs %.1f; gemm then nccl: graph %.1f streams %.1f\n",
           s.m, s.n, s.k, tgm, 2.0 * s.m * s.n * s.k / tgm / 1e6, trs, tg, ts);
    GemmRanks k = {};
    k.count = R;
    for (int r = 0; r < R; ++r) {
      k.a[r] = (__nv_bfloat16*)a.p[r];
      k.b[r] = (__nv_bfloat16*)b.p[r];
      k.c[r] = (__nv_bfloat16*)c.p[r];
      k.signals[r] = (unsigned*)sig.p[r];
      k.streams[r] = st[r];
    }
    for (int v = 0; v < n_variants; ++v) {
      for (int r = 0; r < R; ++r) {
        check(cudaSetDevice(r));
        check(cudaMemset(c.p[r], 0xff, nc * 2 / R));
      }
      double t = time_us(
          [&] {
            for (int r = 0; r < R; ++r) {
              check(cudaSetDevice(r));
              check(cudaMemsetAsync(sig.p[r], 0, flags, st[r]));
            }
          },
          [&] { variants[v].f(k, rows, s.n, s.k); }, 15);
      double worst = 0;
      for (int r = 0; r < R; ++r) {
        check(cudaMemcpy(got[r].data(), c.p[r], nc * 2 / R, cudaMemcpyDefault));
        for (size_t i = 0; i < nc / R; i += 7) {
          double e = std::abs(__bfloat162float(got[r][i]) - __bfloat162float(want[r][i]));
          if (!(e <= worst)) worst = e;
        }
      }
      printf("  %-14s %9.1f us  x%.3f  worst difference %.3f\n", variants[v].name, t,
             std::min(tg, ts) / t, worst);
      fflush(stdout);
    }
    for (Mem* x : {&a, &b, &c, &part, &sig})
      for (int r = 0; r < R; ++r)
        check(cudaFree(x->p[r]));
  }
}
