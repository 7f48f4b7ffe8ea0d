// The place where the host program called the runtime. The return addresses are recorded at the
// call, which takes about a microsecond; they are translated with debug lines and symbols only for
// a message.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ridge::machine {

class HostSite {
 public:
  HostSite() = default;  // no place: for kernels and for the runtime itself
  // The call that the program is making now.
  static HostSite here();

  // `call` with its place: "cudaMalloc at buffers.h:12, called from main.cu:40", "cudaMalloc in
  // `main`" without debug lines, "cudaMalloc" when nothing is known. Headers of the toolkit are
  // skipped, and allocations of the harness for a lab have no place.
  std::string describe(const std::string& call) const;

 private:
  std::shared_ptr<const std::vector<uintptr_t>> returns_;  // innermost first
};

}  // namespace ridge::machine
