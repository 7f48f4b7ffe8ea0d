// Lets a template library write and launch the kernel.
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

#include "kernel_basics.h"

extern "C" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  thrust::transform(thrust::cuda::par_nosync.on(stream), a, a + n, b, c, thrust::plus<float>());
}
