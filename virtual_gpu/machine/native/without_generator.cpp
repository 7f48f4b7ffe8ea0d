// Compiled when there is no code generator: everything is interpreted.
#include "virtual_gpu/machine/native/native_code.h"
#include "virtual_gpu/machine/native/native_opcodes.h"

namespace ridge::machine {

std::shared_ptr<NativeCode> make_native_code(const Program&) {
  return nullptr;
}

std::vector<std::string> native_opcodes() {
  return {};
}

std::string native_tier_text() {
  return "off: built without Xbyak (Debian's libxbyak-dev), or not for x86-64";
}

}  // namespace ridge::machine
