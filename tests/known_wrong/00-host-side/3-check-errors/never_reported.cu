// expect: WRONG
// The errors are found and not reported.
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
  DeviceArray from, to;  // [n] each
  check(from.allocate(n));
  check(to.allocate(n));
  check(cudaMemcpy(from.data(), x, bytes, cudaMemcpyHostToDevice));
  const Launch *a = launches, *b = launches + 1, *c = launches + 2, *d = launches + 3;

  step<<<a->blocks, a->threads, a->shared_bytes>>>(from.data(), to.data(), n, a->fault);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  step<<<b->blocks, b->threads, b->shared_bytes>>>(to.data(), from.data(), n, b->fault);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  step<<<c->blocks, c->threads, c->shared_bytes>>>(from.data(), to.data(), n, c->fault);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  step<<<d->blocks, d->threads, d->shared_bytes>>>(to.data(), from.data(), n, d->fault);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(y, from.data(), bytes, cudaMemcpyDeviceToHost));
}
