// all_reduce FIRST LAST BYTES [STEP]: messages of 2^FIRST to 2^LAST bytes, elements of BYTES bytes:
// NCCL and the solutions of lab 11, rungs 3 to 6, in us. An X behind a time: the answer is wrong.
#include "sweep.h"
using F = void (*)(Ranks, int, int);
struct V {
  const char* name;
  F f;
  size_t most;
  int types;
};
extern "C" void all_reduce_ring(Ranks, int);
extern "C" void all_reduce_one_shot(Ranks, int);
extern "C" void all_reduce_two_shot(Ranks, int);
V variants[] = {{"ring", [](Ranks r, int n, int) { all_reduce_ring(r, n); }, ~0ull, 4},
                {"one-shot", [](Ranks r, int n, int) { all_reduce_one_shot(r, n); }, 1 << 20, 4},
                {"two-shot", [](Ranks r, int n, int) { all_reduce_two_shot(r, n); }, ~0ull, 4},
                {"rung 6", all_reduce_any, ~0ull, 6}};
int n_variants = 4;
__global__ void check(const void* a0, const void* a1, const void* o, const void* o2, size_t n,
                      int bytes, unsigned long long* bad) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    if (bytes == 4) {
      float s = ((float*)a0)[i] + ((float*)a1)[i];
      if (!(s == ((float*)o)[i]) || !(s == ((float*)o2)[i])) atomicAdd(bad, 1ull);
    } else {
      auto* x = (const __nv_bfloat16*)a0;
      auto* y = (const __nv_bfloat16*)a1;
      float s = __bfloat162float(__float2bfloat16(__bfloat162float(x[i]) + __bfloat162float(y[i])));
      if (!(s == __bfloat162float(((const __nv_bfloat16*)o)[i])) ||
          !(s == __bfloat162float(((const __nv_bfloat16*)o2)[i])))
        atomicAdd(bad, 1ull);
    }
  }
}
int main(int argc, char** argv) {
  setup();
  nccl_setup();
  int lo = atoi(argv[1]), hi = atoi(argv[2]);
  int bytes = atoi(argv[3]);
  size_t most = (size_t)1 << hi;
  Mem in, out, sig;
  in.alloc(most);
  out.alloc(most);
  size_t room = 8192 + 8 * ((size_t)4 << 20) + 65536;
  sig.alloc(room);
  unsigned long long* bad;
  check(cudaSetDevice(0));
  check(cudaMallocManaged(&bad, 8));
  for (int r = 0; r < R; ++r) {
    check(cudaSetDevice(r));
    if (bytes == 4)
      fill_f<<<264, 256>>>((float*)in.p[r], most / 4, r * 77 + 1);
    else
      fill_b<<<264, 256>>>((__nv_bfloat16*)in.p[r], most / 2, r * 77 + 1);
  }
  sync();
  Ranks k = {};
  k.count = R;
  for (int r = 0; r < R; ++r) {
    k.inputs[r] = (float*)in.p[r];
    k.outputs[r] = (float*)out.p[r];
    k.signals[r] = (unsigned*)sig.p[r];
    k.streams[r] = st[r];
  }
  printf("%-11s %9s %9s", "bytes", "nccl-g", "nccl-s");
  for (int v = 0; v < n_variants; ++v)
    printf(" %9s", variants[v].name);
  printf("   us, %s\n", bytes == 4 ? "float32" : "bf16");
  int step = argc > 4 ? atoi(argv[4]) : 1;
  for (int p = lo; p <= hi; p += step) {
    size_t b = (size_t)1 << p;
    int n = b / bytes;
    int reps = b > (64u << 20) ? 9 : 21;
    auto nc = [&] {
      check(ncclGroupStart());
      for (int r = 0; r < R; ++r)
        check(ncclAllReduce(in.p[r], out.p[r], n, bytes == 4 ? ncclFloat : ncclBfloat16, ncclSum,
                            comm[r], st[r]));
      check(ncclGroupEnd());
    };
    auto g = capture(nc);
    double tg = time_us(
               nullptr, [&] { check(cudaGraphLaunch(g, st[0])); }, reps, 90000),
           ts = time_us(nullptr, nc, reps, 90000);
    check(cudaGraphExecDestroy(g));
    printf("%-11zu %9.2f %9.2f", b, tg, ts);
    for (int v = 0; v < n_variants; ++v) {
      if (b > variants[v].most || !(variants[v].types & bytes)) {
        printf(" %9s", "-");
        continue;
      }
      for (int r = 0; r < R; ++r) {
        check(cudaSetDevice(r));
        check(cudaMemset(out.p[r], 0xff, b));
      }
      size_t clear = std::min(room, 8192 + 8 * b + 4096);
      double t = time_us(
          [&] {
            for (int r = 0; r < R; ++r) {
              check(cudaSetDevice(r));
              check(cudaMemsetAsync(sig.p[r], 0, b > variants[v].most ? 8192 : clear, st[r]));
            }
          },
          [&] { variants[v].f(k, n, bytes); }, reps);
      *bad = 0;
      check(cudaSetDevice(0));
      check<<<264, 256>>>(in.p[0], in.p[1], out.p[0], out.p[1], n, bytes, bad);
      sync();
      printf(" %8.2f%s", t, *bad ? "X" : " ");
      fflush(stdout);
    }
    printf("\n");
  }
}
