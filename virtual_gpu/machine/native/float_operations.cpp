// f32 and f64 arithmetic, rounded to nearest even.
#include "virtual_gpu/machine/native/float_values.h"
#include "virtual_gpu/machine/native/operation_table.h"

namespace ridge::machine {
namespace {

using Zmm = RowAssembler::Zmm;

template <class T>
constexpr bool kIsDouble = T::kWidth == Width::w64;

// An instruction with a form for each of the two types: `ps` for f32, `pd` for f64.
template <class T, auto kPs, auto kPd, class... Operand>
void instruction(RowAssembler& code, const Operand&... operands) {
  if constexpr (kIsDouble<T>)
    (code.*kPd)(operands...);
  else
    (code.*kPs)(operands...);
}

using Three = void (Xbyak::CodeGenerator::*)(const Xbyak::Xmm&, const Xbyak::Operand&,
                                             const Xbyak::Operand&);
using Fused = void (Xbyak::CodeGenerator::*)(const Xbyak::Xmm&, const Xbyak::Xmm&, const Xbyak::Operand&);

template <class T, Three kPs, Three kPd>
bool arithmetic(RowAssembler& code, const LaneOperands& o) {
  for (int i = 0; i < chunks_of(T::kWidth); ++i) {
    code.step();
    const Zmm a = T::load(code, code.read(o.a, i)), b = T::load(code, code.read(o.b, i));
    const Zmm result = code.fresh();
    instruction<T, kPs, kPd>(code, result, a, b);
    code.write(o.dst, i, T::kWidth, T::store(code, result, o.dst, i));
  }
  return true;
}

// a*b + c, a*b - c and c - a*b.
template <class T, Fused kPs, Fused kPd>
bool fused(RowAssembler& code, const LaneOperands& o) {
  for (int i = 0; i < chunks_of(T::kWidth); ++i) {
    code.step();
    const Zmm a = T::load(code, code.read(o.a, i)), b = T::load(code, code.read(o.b, i));
    Zmm sum = a;
    if constexpr (T::ftz[0] != 0)
      sum = T::load(code, code.read(o.c, i));
    else
      sum = code.copy(o.c, i, o.dst == o.c);
    instruction<T, kPs, kPd>(code, sum, a, b);
    code.write(o.dst, i, T::kWidth, T::store(code, sum, o.dst, i));
  }
  return true;
}

template <class T>
Zmm one(RowAssembler& code) {
  return kIsDouble<T> ? code.constant64(0x3ff0000000000000u) : code.constant32(0x3f800000u);
}

template <class T>
bool reciprocal(RowAssembler& code, const LaneOperands& o) {
  for (int i = 0; i < chunks_of(T::kWidth); ++i) {
    code.step();
    const Zmm a = T::load(code, code.read(o.a, i)), result = code.fresh();
    if constexpr (kIsDouble<T>)
      code.vdivpd(result, one<T>(code), a);
    else
      code.vdivps(result, one<T>(code), a);
    code.write(o.dst, i, T::kWidth, T::store(code, result, o.dst, i));
  }
  return true;
}

template <class T>
bool root(RowAssembler& code, const LaneOperands& o) {
  for (int i = 0; i < chunks_of(T::kWidth); ++i) {
    code.step();
    const Zmm a = T::load(code, code.read(o.a, i)), result = code.fresh();
    if constexpr (kIsDouble<T>)
      code.vsqrtpd(result, a);
    else
      code.vsqrtps(result, a);
    code.write(o.dst, i, T::kWidth, T::store(code, result, o.dst, i));
  }
  return true;
}

// minNum and maxNum, -0 below +0: vrange does that, except that it prefers a signaling NaN to a
// number, which must be the reverse.
enum class Choice : uint8_t { minimum = 0b0100, maximum = 0b0101 };
template <class T, Choice kChoice>
bool choose(RowAssembler& code, const LaneOperands& o) {
  for (int i = 0; i < chunks_of(T::kWidth); ++i) {
    code.step();
    const Zmm a = T::load(code, code.read(o.a, i)), b = T::load(code, code.read(o.b, i));
    const Zmm result = code.fresh();
    const auto is_nan = code.scratch_mask;
    constexpr uint8_t kUnordered = 3;
    if constexpr (kIsDouble<T>) {
      code.vrangepd(result, a, b, static_cast<uint8_t>(kChoice));
      code.vcmppd(is_nan, a, a, kUnordered);
      code.vmovapd(result | is_nan, b);
      code.vcmppd(is_nan, b, b, kUnordered);
      code.vmovapd(result | is_nan, a);
    } else {
      code.vrangeps(result, a, b, static_cast<uint8_t>(kChoice));
      code.vcmpps(is_nan, a, a, kUnordered);
      code.vmovaps(result | is_nan, b);
      code.vcmpps(is_nan, b, b, kUnordered);
      code.vmovaps(result | is_nan, a);
    }
    code.write(o.dst, i, T::kWidth, T::store(code, result, o.dst, i));
  }
  return true;
}

// Signs are bits: nothing is rounded, and a NaN is unchanged.
template <class T, bool kFlips>
bool change_sign(RowAssembler& code, const LaneOperands& o) {
  return emit_unary<T::kWidth>(code, o, [&](Zmm result, Zmm a) {
    const Zmm sign =
        kIsDouble<T> ? code.constant64(uint64_t{1} << 63) : code.constant32(0x80000000u);
    if (kFlips)
      code.vpxord(result, a, sign);
    else
      code.vpandnd(result, sign, a);
  });
}

// With .ftz they are arithmetic operations.
template <bool kFlips>
bool change_sign_ftz(RowAssembler& code, const LaneOperands& o) {
  return emit_unary<Width::w32>(code, o, [&](Zmm& result, Zmm a) {
    const Zmm value = F32Ftz::load(code, a), sign = code.constant32(0x80000000u);
    if (kFlips)
      code.vpxord(result, value, sign);
    else
      code.vpandnd(result, sign, value);
    result = F32Ftz::store(code, result);
  });
}

using X = Xbyak::CodeGenerator;

template <class T>
void add_arithmetic(OperationTable& table) {
  for (const char* rn : {"", ".rn"}) {
    table.add({"add", rn, T::ftz, T::name}, arithmetic<T, &X::vaddps, &X::vaddpd>, true);
    table.add({"sub", rn, T::ftz, T::name}, arithmetic<T, &X::vsubps, &X::vsubpd>, true);
    table.add({"mul", rn, T::ftz, T::name}, arithmetic<T, &X::vmulps, &X::vmulpd>, true);
  }
  table.add({"fma.rn", T::ftz, T::name}, fused<T, &X::vfmadd231ps, &X::vfmadd231pd>, true);
  table.add({"mad.rn", T::ftz, T::name}, fused<T, &X::vfmadd231ps, &X::vfmadd231pd>, true);
  table.add({"fma.rn", T::ftz, T::name, ":minus"}, fused<T, &X::vfmsub231ps, &X::vfmsub231pd>,
            true);
  table.add({"fma.rn", T::ftz, T::name, ":subtracted"},
            fused<T, &X::vfnmadd231ps, &X::vfnmadd231pd>, true);
  table.add({"div.rn", T::ftz, T::name}, arithmetic<T, &X::vdivps, &X::vdivpd>, true);
  table.add({"rcp.rn", T::ftz, T::name}, reciprocal<T>, true);
  table.add({"sqrt.rn", T::ftz, T::name}, root<T>, true);
  table.add({"min", T::ftz, T::name}, choose<T, Choice::minimum>);
  table.add({"max", T::ftz, T::name}, choose<T, Choice::maximum>);
}

}  // namespace

void add_native_floats(OperationTable& table) {
  add_arithmetic<F32>(table);
  add_arithmetic<F32Ftz>(table);
  add_arithmetic<F64>(table);
  const auto same_as = [&](const std::string& opcode) {
    return table.find(find_lane_op(opcode)->full)->emit;
  };
  for (const char* ftz : {"", ".ftz"}) {
    table.add({"div.full", ftz, ".f32"}, same_as(std::string("div.rn") + ftz + ".f32"));
    table.add({"rcp.approx", ftz, ".f32"}, same_as(std::string("rcp.rn") + ftz + ".f32"));
    table.add({"sqrt.approx", ftz, ".f32"}, same_as(std::string("sqrt.rn") + ftz + ".f32"));
  }
  table.add({"neg.ftz.f32"}, change_sign_ftz<true>);
  table.add({"abs.ftz.f32"}, change_sign_ftz<false>);
  table.add({"neg.f32"}, change_sign<F32, true>);
  table.add({"neg.f64"}, change_sign<F64, true>);
  table.add({"abs.f32"}, change_sign<F32, false>);
  table.add({"abs.f64"}, change_sign<F64, false>);
}

}  // namespace ridge::machine
