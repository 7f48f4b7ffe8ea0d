#include "text/demangled.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace ridge::text {

namespace {

// Removes the prefix of a static function in separate compilation:
// "__nv_static_28__1234abcd_4_a_cu_5678abcd__Z1fPi" is "_Z1fPi". The number is the length of the
// part that identifies the file.
std::string without_static_prefix(const std::string& name) {
  constexpr std::string_view kPrefix = "__nv_static_";
  if (!name.starts_with(kPrefix)) return name;
  size_t at = kPrefix.size(), length = 0;
  for (; at < name.size() && name[at] >= '0' && name[at] <= '9' && length < name.size(); ++at)
    length = length * 10 + static_cast<size_t>(name[at] - '0');
  const size_t rest = at + 1 + length + 1;  // each part is followed by an underscore
  return length == 0 || rest >= name.size() || name[rest - 1] != '_' ? name : name.substr(rest);
}

}  // namespace

std::string demangled(const std::string& given) {
  const std::string name = without_static_prefix(given);
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> written(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && written ? written.get() : name;
}

}  // namespace ridge::text
