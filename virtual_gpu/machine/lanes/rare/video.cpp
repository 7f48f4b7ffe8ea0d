// The SIMD video instructions, which operate on the two halves or four bytes of a word. Current
// GPUs have few of them and the assembler emulates the others; nvcc still emits vabsdiff for
// __vabsdiffu4 and __vsadu2. Supported are the forms without element selectors and masks: d = op(a,
// b) element by element, or with .add the sum of the elements and c.
#include "virtual_gpu/machine/lanes/operations/arithmetic.h"
#include "virtual_gpu/machine/lanes/rare/fill.h"

namespace ridge::machine::RIDGE_LANES {
namespace {

// Element i of a word with kCount elements, zero- or sign-extended.
template <int kCount, bool kSigned>
constexpr int32_t element(uint32_t word_value, int i) {
  constexpr int kBits = 32 / kCount;
  const uint32_t top = word_value << (32 - kBits * (i + 1));
  return kSigned ? static_cast<int32_t>(top) >> (32 - kBits) : static_cast<int32_t>(top >> (32 - kBits));
}

// Clamps an element to a signed or unsigned result of `kBits` bits.
template <int kBits, bool kSigned>
constexpr int32_t saturated(int32_t value) {
  constexpr int32_t kMax = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
  constexpr int32_t kLeast = kSigned ? -(1 << (kBits - 1)) : 0;
  return value > kMax ? kMax : value < kLeast ? kLeast : value;
}

// clang-format off
struct Sum        { static int32_t of(int32_t a, int32_t b) { return a + b; } };
struct Difference { static int32_t of(int32_t a, int32_t b) { return a - b; } };
struct Average    { static int32_t of(int32_t a, int32_t b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; } };
struct Distance   { static int32_t of(int32_t a, int32_t b) { return a > b ? a - b : b - a; } };
struct Least      { static int32_t of(int32_t a, int32_t b) { return a < b ? a : b; } };
struct Most       { static int32_t of(int32_t a, int32_t b) { return a > b ? a : b; } };
struct Equal      { static int32_t of(int32_t a, int32_t b) { return a == b; } };
struct Unequal    { static int32_t of(int32_t a, int32_t b) { return a != b; } };
struct Less       { static int32_t of(int32_t a, int32_t b) { return a < b; } };
struct LessEqual  { static int32_t of(int32_t a, int32_t b) { return a <= b; } };
struct More       { static int32_t of(int32_t a, int32_t b) { return a > b; } };
struct MoreEqual  { static int32_t of(int32_t a, int32_t b) { return a >= b; } };
// clang-format on

enum class Ending { truncate, saturate, accumulate };

template <class Op, int kCount, class D, class A, class B, Ending kEnding>
constexpr auto elements = [](uint32_t a, uint32_t b, uint32_t c) {
  constexpr int kBits = 32 / kCount;
  uint32_t result = kEnding == Ending::accumulate ? c : 0;
  unrolled<kCount>([&](int i) {
    int32_t value = Op::of(element<kCount, A::kSigned>(a, i), element<kCount, B::kSigned>(b, i));
    if constexpr (kEnding == Ending::saturate) value = saturated<kBits, D::kSigned>(value);
    if constexpr (kEnding == Ending::accumulate)
      result += static_cast<uint32_t>(value);
    else
      result |= (static_cast<uint32_t>(value) & ((1u << kBits) - 1)) << kBits * i;
  });
  return result;
};

template <class Op, int kCount>
void add_operation(LaneTable& table, const char* name) {
  each(types<u32, s32>{}, [&]<class A>(A) {
    each(types<u32, s32>{}, [&]<class B>(B) {
      each(types<u32, s32>{}, [&]<class D>(D) {
        const auto add = [&]<Ending kEnding>(const char* ending) {
          row<u32(u32, u32, u32)>(table, {name, ".", D::name, ".", A::name, ".", B::name, ending},
                                  elements<Op, kCount, D, A, B, kEnding>);
        };
        add.template operator()<Ending::truncate>("");
        add.template operator()<Ending::saturate>(".sat");
        add.template operator()<Ending::accumulate>(".add");
      });
    });
  });
}

template <class Op, int kCount>
void add_comparison(LaneTable& table, const char* name, const char* compare_name) {
  each(types<u32, s32>{}, [&]<class A>(A) {
    each(types<u32, s32>{}, [&]<class B>(B) {
      row<u32(u32, u32, u32)>(table, {name, ".", A::name, ".", B::name, ".", compare_name},
                              elements<Op, kCount, u32, A, B, Ending::truncate>);
      row<u32(u32, u32, u32)>(table, {name, ".", A::name, ".", B::name, ".", compare_name, ".add"},
                              elements<Op, kCount, u32, A, B, Ending::accumulate>);
    });
  });
}

template <int kCount>
void add_all(LaneTable& table, const char* add, const char* sub, const char* average, const char* distance,
             const char* min, const char* max, const char* set) {
  add_operation<Sum, kCount>(table, add);
  add_operation<Difference, kCount>(table, sub);
  add_operation<Average, kCount>(table, average);
  add_operation<Distance, kCount>(table, distance);
  add_operation<Least, kCount>(table, min);
  add_operation<Most, kCount>(table, max);
  add_comparison<Equal, kCount>(table, set, "eq");
  add_comparison<Unequal, kCount>(table, set, "ne");
  add_comparison<Less, kCount>(table, set, "lt");
  add_comparison<LessEqual, kCount>(table, set, "le");
  add_comparison<More, kCount>(table, set, "gt");
  add_comparison<MoreEqual, kCount>(table, set, "ge");
}

}  // namespace

void add_video_operations(LaneTable& table) {
  add_all<2>(table, "vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2");
  add_all<4>(table, "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4");
}

}  // namespace ridge::machine::RIDGE_LANES
