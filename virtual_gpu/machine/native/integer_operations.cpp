// Integer arithmetic, logic and shifts of 32 and 64 bits. Results wrap.
#include "virtual_gpu/machine/native/operation_table.h"

namespace ridge::machine {
namespace {

using Zmm = RowAssembler::Zmm;
using X = Xbyak::CodeGenerator;
using Two = void (X::*)(const Xbyak::Xmm&, const Xbyak::Operand&);
using Three = void (X::*)(const Xbyak::Xmm&, const Xbyak::Xmm&, const Xbyak::Operand&);

template <Width kWidth, Three kInstruction>
bool binary(RowAssembler& code, const LaneOperands& o) {
  return emit_binary<kWidth>(code, o, [&](Zmm result, Zmm a, Zmm b) { (code.*kInstruction)(result, a, b); });
}

template <Width kWidth>
Zmm zero(RowAssembler& code) {
  return kWidth == Width::w32 ? code.constant32(0) : code.constant64(0);
}

template <Width kWidth, Two kInstruction>
bool magnitude(RowAssembler& code, const LaneOperands& o) {
  return emit_unary<kWidth>(code, o, [&](Zmm result, Zmm a) { (code.*kInstruction)(result, a); });
}
template <Width kWidth, Three kSub>
bool negative(RowAssembler& code, const LaneOperands& o) {
  return emit_unary<kWidth>(code, o, [&](Zmm result, Zmm a) { (code.*kSub)(result, zero<kWidth>(code), a); });
}
template <Width kWidth>
bool inverted(RowAssembler& code, const LaneOperands& o) {
  return emit_unary<kWidth>(code, o, [&](Zmm result, Zmm a) { code.vpternlogd(result, a, a, 0x55); });
}

template <Width kWidth, Three kMultiply, Three kAdd>
bool multiply_add(RowAssembler& code, const LaneOperands& o) {
  for (int i = 0; i < chunks_of(kWidth); ++i) {
    code.step();
    const Zmm a = code.read(o.a, i), b = code.read(o.b, i), c = code.read(o.c, i), result = code.fresh();
    (code.*kMultiply)(result, a, b);
    (code.*kAdd)(result, result, c);
    code.write(o.dst, i, kWidth, result);
  }
  return true;
}

// Shifts by 32 bits and more give 0, or the sign, like the vector instructions. The amount has 32
// bits.
template <Three kInstruction>
bool shift64(RowAssembler& code, const LaneOperands& o) {
  code.step();
  Zmm amounts[4] = {code.fresh(), code.fresh(), code.fresh(), code.fresh()};
  for (int half = 0; half < 2; ++half) {
    const Zmm by = code.read(o.b, half), upper = code.fresh();
    code.vpmovzxdq(amounts[2 * half], Xbyak::Ymm(by.getIdx()));
    code.vextracti64x4(Xbyak::Ymm(upper.getIdx()), by, 1);
    code.vpmovzxdq(amounts[2 * half + 1], Xbyak::Ymm(upper.getIdx()));
  }
  for (int i = 0; i < 4; ++i) {
    const Zmm a = code.read(o.a, i);
    (code.*kInstruction)(amounts[i], a, amounts[i]);
  }
  for (int i = 0; i < 4; ++i)
    code.write(o.dst, i, Width::w64, amounts[i]);
  return true;
}

// The 32 lanes of a 32-bit row as four chunks of 64 bits, in registers of the current step.
template <bool kSigned>
void widen(RowAssembler& code, RowOffset row, Zmm (&wide)[4]) {
  for (int half = 0; half < 2; ++half) {
    const Zmm narrow = code.read(row, half), low = code.fresh(), high = code.fresh();
    code.vextracti64x4(Xbyak::Ymm(high.getIdx()), narrow, 1);
    if (kSigned) {
      code.vpmovsxdq(low, Xbyak::Ymm(narrow.getIdx()));
      code.vpmovsxdq(high, Xbyak::Ymm(high.getIdx()));
    } else {
      code.vpmovzxdq(low, Xbyak::Ymm(narrow.getIdx()));
      code.vpmovzxdq(high, Xbyak::Ymm(high.getIdx()));
    }
    wide[2 * half] = low;
    wide[2 * half + 1] = high;
  }
}

template <Three kMultiply, bool kSigned, bool kAdds>
bool multiply_wide(RowAssembler& code, const LaneOperands& o) {
  code.step();
  Zmm a[4], b[4];
  widen<kSigned>(code, o.a, a);
  widen<kSigned>(code, o.b, b);
  for (int i = 0; i < 4; ++i) {
    (code.*kMultiply)(a[i], a[i], b[i]);
    if (kAdds) code.vpaddq(a[i], a[i], code.read(o.c, i));
  }
  for (int i = 0; i < 4; ++i)
    code.write(o.dst, i, Width::w64, a[i]);
  return true;
}

// One multiplication gives the upper halves of the products of even lanes, another those of odd
// lanes.
template <Three kMultiply>
bool multiply_high(RowAssembler& code, const LaneOperands& o) {
  return emit_binary<Width::w32>(code, o, [&](Zmm result, Zmm a, Zmm b) {
    const Zmm odd_a = code.fresh(), odd_b = code.fresh();
    code.vpsrlq(odd_a, a, 32);
    code.vpsrlq(odd_b, b, 32);
    (code.*kMultiply)(odd_a, odd_a, odd_b);
    (code.*kMultiply)(result, a, b);
    code.vpsrlq(result, result, 32);
    // Bits of odd_a where the mask has ones, otherwise of the result.
    code.vpternlogq(result, odd_a, code.constant64(0xffffffff00000000u), 0xd8);
  });
}

// Any function of three bits, when its truth table is known; immediates nearly always are.
bool any_logic(RowAssembler& code, const LaneOperands& o) {
  const uint64_t* truth = code.constant_row(o.d);
  if (truth == nullptr) return false;
  for (int i = 0; i < 2; ++i) {
    code.step();
    const Zmm b = code.read(o.b, i), c = code.read(o.c, i), result = code.copy(o.a, i, false);
    code.vpternlogd(result, b, c, static_cast<uint8_t>(*truth));
    code.write(o.dst, i, Width::w32, result);
  }
  return true;
}

constexpr Width k32 = Width::w32, k64 = Width::w64;

}  // namespace

void add_native_integers(OperationTable& table) {
  for (const char* type : {"u32", "s32"}) {
    table.add({"add.", type}, binary<k32, &X::vpaddd>);
    table.add({"sub.", type}, binary<k32, &X::vpsubd>);
    table.add({"mul.lo.", type}, binary<k32, &X::vpmulld>);
    table.add({"mad.lo.", type}, multiply_add<k32, &X::vpmulld, &X::vpaddd>);
  }
  for (const char* type : {"u64", "s64"}) {
    table.add({"add.", type}, binary<k64, &X::vpaddq>);
    table.add({"sub.", type}, binary<k64, &X::vpsubq>);
    table.add({"mul.lo.", type}, binary<k64, &X::vpmullq>);
    table.add({"mad.lo.", type}, multiply_add<k64, &X::vpmullq, &X::vpaddq>);
  }
  table.add({"min.u32"}, binary<k32, &X::vpminud>);
  table.add({"min.s32"}, binary<k32, &X::vpminsd>);
  table.add({"max.u32"}, binary<k32, &X::vpmaxud>);
  table.add({"max.s32"}, binary<k32, &X::vpmaxsd>);
  table.add({"min.u64"}, binary<k64, &X::vpminuq>);
  table.add({"min.s64"}, binary<k64, &X::vpminsq>);
  table.add({"max.u64"}, binary<k64, &X::vpmaxuq>);
  table.add({"max.s64"}, binary<k64, &X::vpmaxsq>);
  table.add({"abs.s32"}, magnitude<k32, &X::vpabsd>);
  table.add({"abs.s64"}, magnitude<k64, &X::vpabsq>);
  table.add({"neg.s32"}, negative<k32, &X::vpsubd>);
  table.add({"neg.s64"}, negative<k64, &X::vpsubq>);
  table.add({"and.b32"}, binary<k32, &X::vpandd>);
  table.add({"or.b32"}, binary<k32, &X::vpord>);
  table.add({"xor.b32"}, binary<k32, &X::vpxord>);
  table.add({"not.b32"}, inverted<k32>);
  table.add({"and.b64"}, binary<k64, &X::vpandq>);
  table.add({"or.b64"}, binary<k64, &X::vporq>);
  table.add({"xor.b64"}, binary<k64, &X::vpxorq>);
  table.add({"not.b64"}, inverted<k64>);
  table.add({"lop3.b32"}, any_logic);
  table.add({"shl.b32"}, binary<k32, &X::vpsllvd>);
  table.add({"shr.b32"}, binary<k32, &X::vpsrlvd>);
  table.add({"shr.u32"}, binary<k32, &X::vpsrlvd>);
  table.add({"shr.s32"}, binary<k32, &X::vpsravd>);
  table.add({"shl.b64"}, shift64<&X::vpsllvq>);
  table.add({"shr.b64"}, shift64<&X::vpsrlvq>);
  table.add({"shr.u64"}, shift64<&X::vpsrlvq>);
  table.add({"shr.s64"}, shift64<&X::vpsravq>);
  table.add({"mul.wide.u32"}, multiply_wide<&X::vpmuludq, false, false>);
  table.add({"mul.wide.s32"}, multiply_wide<&X::vpmuldq, true, false>);
  table.add({"mad.wide.u32"}, multiply_wide<&X::vpmuludq, false, true>);
  table.add({"mad.wide.s32"}, multiply_wide<&X::vpmuldq, true, true>);
  table.add({"mul.hi.u32"}, multiply_high<&X::vpmuludq>);
  table.add({"mul.hi.s32"}, multiply_high<&X::vpmuldq>);
}

}  // namespace ridge::machine
