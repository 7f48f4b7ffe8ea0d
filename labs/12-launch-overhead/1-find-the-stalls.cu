// A program that is right, and in which the GPU is idle nearly all of the time.
//
// Each kernel below works for about a microsecond. What is between them takes longer. The host does
// not have to wait for a kernel before it launches the next one: kernels of one stream run in the
// order in which they were launched, each after the one before has ended. A call that waits
// (cudaDeviceSynchronize, cudaStreamSynchronize, a copy without Async, cudaFree) empties the queue:
// the GPU runs out of work, and then waits for the host to come back, to launch, and for the launch
// to arrive. cudaMalloc and cudaFree are the dearest calls of all.
//
//     with a wait    host    launch  ..wait..  launch  ..wait..  launch
//                    GPU            k1                k2                k3
//     without        host    launch launch launch
//                    GPU            k1 k2 k3
//
// Look at the report: synchronizations, allocations and copies inside the call are counted.
//
//     ./ridge grade 12-launch-overhead/1-find-the-stalls
#include "chain_kernels.h"
#include "work_rows.h"

extern "C" void decode_chain(const float* tokens, const float* weights, float* out, int count,
                             int layers, int width, cudaStream_t stream) {
  const int blocks = blocks_for(width);
  for (int t = 0; t < count; ++t) {
    // TODO (about 9 lines): keep the two kernels and their order, and take out what makes the GPU
    // wait. work_row(0) and work_row(1) are two rows that are always there; the last layer can
    // write to its row of out by itself.
    float* rows[2];  // [2], of width elements
    cudaMalloc(&rows[0], width * sizeof(float));
    cudaMalloc(&rows[1], width * sizeof(float));
    const float* previous = t == 0 ? nullptr : out + row_start(t - 1, width);
    begin_token<<<blocks, kThreads, 0, stream>>>(tokens + row_start(t, width), previous, rows[0],
                                                 width);
    cudaStreamSynchronize(stream);
    for (int layer = 0; layer < layers; ++layer) {
      mix_layer<<<blocks, kThreads, 0, stream>>>(rows[layer % 2], weights + row_start(layer, width),
                                                 rows[(layer + 1) % 2], layer, width);
      cudaDeviceSynchronize();
    }
    cudaMemcpy(out + row_start(t, width), rows[layers % 2], width * sizeof(float),
               cudaMemcpyDeviceToDevice);
    cudaFree(rows[0]);
    cudaFree(rows[1]);
  }
}
