// Kernels written as PTX, a few lines each.
#pragma once

#include <string>

namespace ridge::machine::test {

// A kernel `name(u64 out)` with registers %r0..39, %rd0..39, %f0..9, %p0..9, and %rd39 = out. `shared`
// declares variables.
inline std::string ptx_kernel(const std::string& name, const std::string& body,
                              const std::string& shared = {}, const std::string& directives = {}) {
  return ".visible .entry " + name + "(.param .u64 out) " + directives +
         " {\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n.reg .f32 %f<10>;\n.reg .pred %p<10>;\n" + shared +
         "\nld.param.u64 %rd39, [out];\n" + body + "\nret;\n}\n";
}

inline std::string ptx_module(const std::string& kernels) {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n" + kernels;
}

}  // namespace ridge::machine::test
