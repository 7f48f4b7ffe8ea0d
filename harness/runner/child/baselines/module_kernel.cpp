// A baseline that is our own kernel: the module NAME.cu exports ridge_NAME, which takes the
// problem's buffers, sizes and scalars as arrays.
#include "harness/runner/child/baselines/library.h"
#include "harness/runner/child/baselines/make.h"

namespace ridge::runner {

namespace {

using Kernel = int(void* const*, const int64_t*, const double*, problems::Stream);

class ModuleKernel : public Baseline {
 public:
  ModuleKernel(const std::string& name, const std::string& module)
      : name_(name),
        library_(Library::open({name, module, "Ridgepoint compiles it with nvcc"})),
        kernel_(library_.function<Kernel>(("ridge_" + name).c_str())) {}

  BaselineReport prepare(const Work& work, const Slot& trial) override {
    work_ = work;
    run(trial);
    return {"Ridgepoint", "", {}};
  }
  void run(const Slot& slot) override {
    expect_success(kernel_(slot.pointers.data(), work_.sizes.data(), work_.scalars.data(), work_.stream), name_,
                   "the baseline's launch");
  }

 private:
  const std::string name_;
  Library library_;
  Kernel* kernel_;
  Work work_;
};

}  // namespace

std::unique_ptr<Baseline> make_module_kernel(const std::string& name, const std::string& module) {
  return std::make_unique<ModuleKernel>(name, module);
}

}  // namespace ridge::runner
