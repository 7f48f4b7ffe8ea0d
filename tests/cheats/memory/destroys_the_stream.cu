// Destroys the stream that it is given: whoever asks it for the time afterwards gets none.
#include "add.cuh"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  add<<<blocks_for(n), kThreads, 0, stream>>>(a, b, c, n);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
