// What a rung is timed against, in the same process and the same rounds as the student's function. Libraries
// (cuBLAS, CUB, cuDNN, NCCL) join by a subclass that opens its library with dlopen.
#pragma once

#include <memory>
#include <string_view>

#include "harness/problems/problem.h"

namespace ridge::runner {

class Baseline {
 public:
  virtual ~Baseline() = default;
  // Makes everything its `sets` calls need, rotating like the student's buffers. `bytes` is what the problem
  // moves.
  virtual void prepare(int sets, const problems::Sizes& sizes, int64_t bytes) = 0;
  virtual void run(int set, problems::Stream stream) = 0;
};

// "device_copy". Throws std::runtime_error for a name that is not known.
std::unique_ptr<Baseline> make_baseline(std::string_view name);

}  // namespace ridge::runner
