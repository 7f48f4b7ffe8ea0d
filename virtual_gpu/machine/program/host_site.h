// Where the host program called the runtime. The return addresses are noted when the call is made, which
// costs about a microsecond; they are looked up in the program's debug lines and symbols only when a message
// is written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ridge::machine {

class HostSite {
 public:
  HostSite() = default;  // nowhere: what a kernel, or the runtime on its own, does
  // The call that the program is making now.
  static HostSite here();

  // `call` with its place: "cudaMalloc at buffers.h:12, called from main.cu:40", "cudaMalloc in `main`" where
  // the program has no debug lines, "cudaMalloc" where nothing is known. The toolkit's headers are passed
  // over, and what the harness allocates for a lab has no place.
  std::string told(const std::string& call) const;

 private:
  std::shared_ptr<const std::vector<uintptr_t>> returns_;  // innermost first
};

}  // namespace ridge::machine
