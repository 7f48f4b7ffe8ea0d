// C++ names as they are written in the source.
#pragma once

#include <string>

namespace ridge::text {

// "add(float*)" for "_Z3addPf". A name that is not mangled is returned unchanged: `d`, of extern
// "C" or of a dynamic shared array, would otherwise become the type `double`.
std::string demangled(const std::string& name);

}  // namespace ridge::text
