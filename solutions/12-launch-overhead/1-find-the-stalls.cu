// A chain of small kernels without stalls: the host only launches.
//
// Hypothesis: the GPU is not slow, it has no work: after each kernel the host waits for it, and the
// GPU then waits for the host.
// What changed: no call inside the loop waits, allocates or copies. Kernels of one stream are in
// order by themselves; the two rows between them exist as long as the program; the last layer of a
// token writes to out.
// What that bought: one call of the runtime per kernel, instead of two and six more per token.
//
//     ./ridge grade 12-launch-overhead/1-find-the-stalls --solution
// Measured on an H200: 255.4% of the stalled start (course/measured/nvidia-h200).
#include "chain_kernels.h"
#include "work_rows.h"

extern "C" void decode_chain(const float* tokens, const float* weights, float* out, int count,
                             int layers, int width, cudaStream_t stream) {
  const int blocks = blocks_for(width);
  for (int t = 0; t < count; ++t) {
    const float* previous = t == 0 ? nullptr : out + row_start(t - 1, width);
    begin_token<<<blocks, kThreads, 0, stream>>>(tokens + row_start(t, width), previous,
                                                 work_row(0), width);
    for (int layer = 0; layer < layers; ++layer) {
      // A layer must not write to the row that it reads: other threads may still need it.
      float* to = layer == layers - 1 ? out + row_start(t, width) : work_row((layer + 1) % 2);
      mix_layer<<<blocks, kThreads, 0, stream>>>(
          work_row(layer % 2), weights + row_start(layer, width), to, layer, width);
    }
  }
}
