#include "harness/runner/child/baseline.h"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/runner/child/device_error.h"
#include "harness/runner/child/device_memory.h"

namespace ridge::runner {

namespace {

// cudaMemcpyAsync of half as many bytes as the problem moves: a copy reads and writes each of them once.
class DeviceCopy : public Baseline {
 public:
  void prepare(int sets, const problems::Sizes&, int64_t bytes) override {
    bytes_ = std::max<int64_t>(bytes / 2, 1);
    for (int set = 0; set < 2 * sets; ++set) {
      DeviceMemory& made = memory_.emplace_back(bytes_);
      check(cudaMemset(made.start(), 0x3c + set % 2, static_cast<size_t>(bytes_)),
            "filling the baseline's buffer");
    }
  }
  void run(int set, problems::Stream stream) override {
    auto first = static_cast<size_t>(2 * set);
    check(cudaMemcpyAsync(memory_.at(first + 1).start(), memory_.at(first).start(),
                          static_cast<size_t>(bytes_), cudaMemcpyDeviceToDevice, stream),
          "the baseline's copy");
  }

 private:
  int64_t bytes_ = 0;
  std::vector<DeviceMemory> memory_;
};

}  // namespace

std::unique_ptr<Baseline> make_baseline(std::string_view name) {
  if (name == "device_copy") return std::make_unique<DeviceCopy>();
  throw std::runtime_error(fmt::format("there is no baseline \"{}\"; there is: device_copy", name));
}

}  // namespace ridge::runner
