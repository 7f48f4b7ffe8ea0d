#include "virtual_gpu/observe/counts/sass_counterparts.h"

#include <algorithm>

namespace ridge::observe {
namespace {

using warp_model::SassClass;

struct Prefix {
  std::string_view text;
  SassClass sass_class;
};

constexpr Prefix kCounterparts[] = {
    {"ld.global", SassClass::global_load},
    {"st.global", SassClass::global_store},
    {"ld.shared", SassClass::shared_load},
    {"st.shared", SassClass::shared_store},
    {"ld.volatile.global", SassClass::global_load},
    {"ld.volatile.shared", SassClass::shared_load},
    {"st.volatile.shared", SassClass::shared_store},
    {"ld.local", SassClass::local_load},
    {"st.local", SassClass::local_store},
    {"atom.shared", SassClass::shared_atomic},
    {"atom.global", SassClass::global_atomic},
    {"red.global", SassClass::global_atomic},
    {"red.shared", SassClass::shared_atomic},
    {"ldmatrix", SassClass::matrix_load},
    {"stmatrix", SassClass::matrix_store},
    {"cp.async.c", SassClass::async_copy},
    {"mbarrier.try_wait", SassClass::sync},
    {"mbarrier.test_wait", SassClass::sync},
    {"bar.", SassClass::barrier},
    {"barrier.sync", SassClass::barrier},
    {"barrier.red", SassClass::barrier},
    {"shfl", SassClass::warp},
    {"fma.rn.f32", SassClass::fp32},
    {"add.f32", SassClass::fp32},
    {"add.rn.f32", SassClass::fp32},
    {"mul.f32", SassClass::fp32},
    {"fma.rn.f64", SassClass::fp64},
    {"add.f64", SassClass::fp64},
    {"mul.f64", SassClass::fp64},
};

// Correctly rounded divisions, reciprocals and roots: ptxas inlines the code for the usual
// operands.
constexpr std::string_view kRounded[] = {"div.r", "rcp.r", "sqrt.r"};

std::string_view without_predicate(std::string_view ptx_text) {
  const size_t space = ptx_text.starts_with('@') ? ptx_text.find(' ') : std::string_view::npos;
  return space == std::string_view::npos ? ptx_text : ptx_text.substr(space + 1);
}

}  // namespace

SassClass counterpart_of(std::string_view ptx_text) {
  if (ptx_text.starts_with('{')) {  // inline assembly: several instructions on one line
    SassClass found = SassClass::other;
    for (size_t at = 1; at < ptx_text.size();) {
      const size_t end = std::min(ptx_text.find(';', at), ptx_text.size());
      const size_t begin = std::min(ptx_text.find_first_not_of(' ', at), end);
      const SassClass one = counterpart_of(ptx_text.substr(begin, end - begin));
      if (one != SassClass::other && found != SassClass::other) return SassClass::other;
      if (one != SassClass::other) found = one;
      at = end + 1;
    }
    return found;
  }
  const std::string_view instruction = without_predicate(ptx_text);
  for (const Prefix& prefix : kCounterparts)
    if (instruction.starts_with(prefix.text)) return prefix.sass_class;
  return SassClass::other;
}
bool calls_for_rare_operands(std::string_view ptx_text) {
  const std::string_view instruction = without_predicate(ptx_text);
  return std::any_of(std::begin(kRounded), std::end(kRounded),
                     [&](std::string_view rounded) { return instruction.starts_with(rounded); });
}

}  // namespace ridge::observe
