// setp of integers.
#include "virtual_gpu/machine/lanes/operations/comparisons.h"

namespace ridge::machine::RIDGE_LANES {

void add_integer_comparisons(LaneTable& table) {
  each_integer_comparison([&]<class T>(const char* name, const char* type_name, auto compare) {
    add_setp<T>(table, name, type_name, compare);
  });
}

}  // namespace ridge::machine::RIDGE_LANES
