// setp of floats.
#include "virtual_gpu/machine/lanes/operations/comparisons.h"

namespace ridge::machine::RIDGE_LANES {

void add_float_comparisons(LaneTable& table) {
  each_float_comparison([&](const char* name, auto compare, auto joins) {
    each(types<f32, f32_ftz, f64, f16, f16_ftz, bf16>{},
         [&]<class T>(T) { add_setp<T>(table, name, T::name, compare, joins); });
    each(types<f16x2, f16x2_ftz, bf16x2>{}, [&]<class T>(T) {
      each(joins, [&]<class Join>(Join) {
        setp_row<T, Join, setp_packed<T, decltype(compare), Join>>(
            table, {"setp.", name, Join::name, T::ftz, ".", T::name});
      });
    });
  });
}

}  // namespace ridge::machine::RIDGE_LANES
