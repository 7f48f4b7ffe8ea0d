// A host function of one stream computes while a kernel of another one waits for it.
#include "kernel_basics.h"

namespace {

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}

struct Call {
  const float* a;
  const float* b;
  float* c;
  int n;
  int* flag;
};

void compute(void* data) {
  const Call* call = static_cast<Call*>(data);
  for (int i = 0; i < call->n; ++i)
    call->c[i] = call->a[i] + call->b[i];
  *const_cast<volatile int*>(call->flag) = 1;
}

}  // namespace

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  int* flag = nullptr;
  cudaMallocHost(&flag, sizeof(int));
  *flag = 0;
  Call call = {a, b, c, n, flag};
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  wait_for<<<1, 1, 0, stream>>>(flag);
  cudaLaunchHostFunc(other, compute, &call);
  cudaStreamSynchronize(other);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(other);
  cudaFreeHost(flag);
}
