// Lab 11, rung 7, beside NCCL's grouped sends and receives; the host knows the counts for NCCL.
#include "sweep.h"
using F = void (*)(Ranks, Ranks, CountsOfRanks, int, int);
struct V {
  const char* name;
  F f;
};
V variants[] = {{"rung 7", dispatch_and_combine}};
int n_variants = 1;
int main() {
  setup();
  nccl_setup();
  const int width = 1024;
  const int mostT = 16384;
  size_t most = (size_t)mostT * 2 * width * 4;
  Mem di, dout, ci, co, sig, cnt;
  di.alloc(most);
  dout.alloc(most);
  ci.alloc(most);
  co.alloc(most);
  sig.alloc(1 << 20);
  cnt.alloc(64);
  for (int r = 0; r < R; ++r) {
    check(cudaSetDevice(r));
    fill_f<<<264, 256>>>((float*)di.p[r], most / 4, r * 3 + 1);
    fill_f<<<264, 256>>>((float*)ci.p[r], most / 4, r * 3 + 9);
  }
  sync();
  printf("%-7s %10s %9s %9s", "tokens", "bytes/rank", "nccl-g", "nccl-s");
  for (int v = 0; v < n_variants; ++v)
    printf(" %9s", variants[v].name);
  printf("  us (dispatch and combine)\n");
  for (int T : {16, 64, 256, 512, 1024, 4096, 16384})
    for (int even = 0; even < 2; ++even) {
      long long c[2][2];
      c[0][0] = even ? T / 2 : T * 3 / 10;
      c[0][1] = T - c[0][0];
      c[1][0] = even ? T / 2 : T * 4 / 10;
      c[1][1] = T - c[1][0];
      for (int r = 0; r < R; ++r)
        check(cudaMemcpy(cnt.p[r], c[r], 16, cudaMemcpyDefault));
      Ranks d = {}, m = {};
      CountsOfRanks cc = {};
      d.count = m.count = R;
      for (int r = 0; r < R; ++r) {
        d.inputs[r] = (float*)di.p[r];
        d.outputs[r] = (float*)dout.p[r];
        m.inputs[r] = (float*)ci.p[r];
        m.outputs[r] = (float*)co.p[r];
        d.signals[r] = m.signals[r] = (unsigned*)sig.p[r];
        d.streams[r] = m.streams[r] = st[r];
        cc.of[r] = (const int64_t*)cnt.p[r];
      }
      auto nc = [&] {
        check(ncclGroupStart());
        for (int r = 0; r < R; ++r) {
          size_t s0 = 0, r0 = 0, x0 = 0, y0 = 0;
          for (int q = 0; q < R; ++q) {
            size_t k = c[r][q] * width, g = c[q][r] * width;
            check(ncclSend((float*)di.p[r] + s0, k, ncclFloat, q, comm[r], st[r]));
            check(ncclRecv((float*)dout.p[r] + r0, g, ncclFloat, q, comm[r], st[r]));
            s0 += k;
            r0 += g;
            check(ncclSend((float*)ci.p[r] + x0, g, ncclFloat, q, comm[r], st[r]));
            check(ncclRecv((float*)co.p[r] + y0, k, ncclFloat, q, comm[r], st[r]));
            x0 += g;
            y0 += k;
          }
        }
        check(ncclGroupEnd());
      };
      auto g = capture(nc);
      double tg = time_us(
                 nullptr, [&] { check(cudaGraphLaunch(g, st[0])); }, 15, 90000),
             ts = time_us(nullptr, nc, 15, 150000);
      check(cudaGraphExecDestroy(g));
      size_t bytes = (size_t)T * width * 4;
      printf("%-7d %10zu %9.2f %9.2f", T, bytes, tg, ts);
      std::vector<float> want[4];
      auto grab = [&](std::vector<float>* o) {
        for (int r = 0; r < R; ++r) {
          size_t rows = c[0][r] + c[1][r];
          o[r].resize(rows * width);
          check(cudaMemcpy(o[r].data(), dout.p[r], rows * width * 4, cudaMemcpyDefault));
          o[2 + r].resize((size_t)T * width);
          check(cudaMemcpy(o[2 + r].data(), co.p[r], bytes, cudaMemcpyDefault));
        }
      };
      bool chk = T <= 1024;
      if (chk) grab(want);
      for (int v = 0; v < n_variants; ++v) {
        for (int r = 0; r < R; ++r) {
          check(cudaSetDevice(r));
          check(cudaMemset(dout.p[r], 0xff, bytes));
          check(cudaMemset(co.p[r], 0xff, bytes));
        }
        double t = time_us(
            [&] {
              for (int r = 0; r < R; ++r) {
                check(cudaSetDevice(r));
                check(cudaMemsetAsync(sig.p[r], 0, 8192, st[r]));
              }
            },
            [&] { variants[v].f(d, m, cc, T, width); }, 15);
        bool bad = false;
        if (chk) {
          std::vector<float> got[4];
          grab(got);
          for (int i = 0; i < 4; ++i)
            bad |= got[i] != want[i];
        }
        printf(" %8.2f%s", t, bad ? "X" : " ");
        fflush(stdout);
      }
      printf(even ? "  even\n" : "\n");
    }
}
