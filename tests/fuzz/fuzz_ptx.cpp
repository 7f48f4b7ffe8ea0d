// Any bytes as PTX: read, and every kernel of it decoded. Allowed are an answer and an error message.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/ptx/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ridge;
  std::shared_ptr<const ptx::Module> module;
  try {
    module = std::make_shared<ptx::Module>(ptx::parse({reinterpret_cast<const char*>(data), size}));
  } catch (const ptx::ParseError&) {
    return 0;
  }
  // Some names have an address and some have none, as in a program whose variables are not all registered.
  const machine::SymbolLookup symbols = [](const std::string& name) {
    return name.size() % 4 == 3 ? 0 : uint64_t{0x10000} + 256 * name.size();
  };
  for (const ptx::Function& function : module->functions) {
    if (!function.is_entry) continue;
    try {
      machine::decode(module, function.name, symbols);
    } catch (const std::runtime_error&) {
    }
  }
  return 0;
}
