#include "text/demangled.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace ridge::text {

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> written(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && written ? written.get() : name;
}

}  // namespace ridge::text
