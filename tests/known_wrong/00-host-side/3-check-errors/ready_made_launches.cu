// expect: WRONG
// finding: wrong.launch_left_out
// The launches ignore the parameters that they are given.
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

  step<<<a->blocks, 128, 0>>>(from.data(), to.data(), n, 0);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  step<<<b->blocks, 128, 0>>>(to.data(), from.data(), n, 0);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  step<<<c->blocks, 128, 0>>>(from.data(), to.data(), n, 0);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  step<<<d->blocks, 128, 0>>>(to.data(), from.data(), n, 0);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  check(cudaMemcpy(y, from.data(), bytes, cudaMemcpyDeviceToHost));
  *first = check.first();
}
