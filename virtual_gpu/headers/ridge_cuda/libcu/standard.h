// cuda::std: the names of the standard library. clang takes constexpr functions as functions of host and device.
#pragma once

#include <cstddef>

namespace cuda {
namespace std {
using namespace ::std;
}
}  // namespace cuda
