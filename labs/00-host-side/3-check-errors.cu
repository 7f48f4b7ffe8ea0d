// Errors: which call reports them, and when.
//
// Every function of the CUDA runtime returns a cudaError_t, and a program that does not look at it
// goes on with whatever is in its arrays. A launch returns no cudaError_t. Its errors come in two
// sorts:
//
//     refused    The launch is impossible: too many threads, too much shared memory. Nothing
//                starts. Only cudaGetLastError() returns the error, and only once.
//     failed     The launch is valid, and the kernel fails while it runs: a bad address, a trap
//                (__trap() ends a kernel with an error). The launch has returned long before. The
//                next call that waits returns the error, and so does every call after it: the
//                process can no longer use the GPU.
//
// So an error of the second sort shows up at a call that has nothing to do with it, unless a wait
// follows the launch directly. Such a wait costs time; programs have it in their debug builds.
//
// A check without a macro: a default argument is evaluated where the function is called, so
// __builtin_LINE() is there the line of the call.
//
//     ./ridge grade 00-host-side/3-check-errors
#include "steps.h"

namespace {

// Keeps the first error that it is given.
class ErrorCheck {
 public:
  void operator()(cudaError_t code, int line = __builtin_LINE()) {
    // TODO (about 2 lines): keep code and line, if the code is an error and the first one.
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

  // TODO (about 8 lines): after each of the four launches, look for an error of both sorts.
  step<<<a->blocks, a->threads, a->shared_bytes>>>(from.data(), to.data(), n, a->fault);

  step<<<b->blocks, b->threads, b->shared_bytes>>>(to.data(), from.data(), n, b->fault);

  step<<<c->blocks, c->threads, c->shared_bytes>>>(from.data(), to.data(), n, c->fault);

  step<<<d->blocks, d->threads, d->shared_bytes>>>(to.data(), from.data(), n, d->fault);

  check(cudaMemcpy(y, from.data(), bytes, cudaMemcpyDeviceToHost));
  // TODO (1 line): report the first error.
}
