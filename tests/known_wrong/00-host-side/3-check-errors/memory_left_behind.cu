// expect: WRONG
// finding: wrong.not_freed_after_error
// The function ends at the first error and leaves its memory behind.
#include "steps.h"

namespace {

// Keeps the first error that it is given.
class ErrorCheck {
 public:
  void operator()(cudaError_t code, int line = __builtin_LINE()) {
    if (code != cudaSuccess && first_.code == 0) first_ = {code, line};
  }
  FirstError first() const { return first_; }

 private:
  FirstError first_ = {0, 0};
};

}  // namespace

extern "C" void four_steps(const float* x, float* y, FirstError* first, int n,
                           const Launch* launches) {
  ErrorCheck check;
  const size_t bytes = n * sizeof(float);
  float *from = nullptr, *to = nullptr;  // [n] each
  check(cudaMalloc(&from, bytes));
  check(cudaMalloc(&to, bytes));
  check(cudaMemcpy(from, x, bytes, cudaMemcpyHostToDevice));
  const Launch *a = launches, *b = launches + 1, *c = launches + 2, *d = launches + 3;

  step<<<a->blocks, a->threads, a->shared_bytes>>>(from, to, n, a->fault);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  if (check.first().code != 0) {
    *first = check.first();
    return;
  }
  step<<<b->blocks, b->threads, b->shared_bytes>>>(to, from, n, b->fault);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  if (check.first().code != 0) {
    *first = check.first();
    return;
  }
  step<<<c->blocks, c->threads, c->shared_bytes>>>(from, to, n, c->fault);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  if (check.first().code != 0) {
    *first = check.first();
    return;
  }
  step<<<d->blocks, d->threads, d->shared_bytes>>>(to, from, n, d->fault);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  if (check.first().code != 0) {
    *first = check.first();
    return;
  }
  check(cudaMemcpy(y, from, bytes, cudaMemcpyDeviceToHost));
  *first = check.first();
  cudaFree(from);
  cudaFree(to);
}
