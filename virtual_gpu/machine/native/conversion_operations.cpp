// cvt between 32- and 64-bit integers, and between 32-bit integers and floats.
#include "virtual_gpu/machine/native/float_values.h"
#include "virtual_gpu/machine/native/operation_table.h"

namespace ridge::machine {
namespace {

using Zmm = RowAssembler::Zmm;
using Xbyak::Ymm;
using X = Xbyak::CodeGenerator;
using Two = void (X::*)(const Xbyak::Xmm&, const Xbyak::Operand&);

Ymm low_half(Zmm z) {
  return Ymm(z.getIdx());
}

Zmm unchanged(RowAssembler&, Zmm value) {
  return value;
}
using Finish = Zmm (*)(RowAssembler&, Zmm);

// From 32 bits per lane to 64, with an instruction that reads half a register.
template <Two kInstruction, Finish kFinish = unchanged>
bool widen(RowAssembler& code, const LaneOperands& o) {
  code.step();
  Zmm results[4];
  for (int half = 0; half < 2; ++half) {
    const Zmm narrow = code.read(o.a, half), low = code.fresh(), high = code.fresh();
    (code.*kInstruction)(low, low_half(narrow));
    code.vextracti64x4(low_half(high), narrow, 1);
    (code.*kInstruction)(high, low_half(high));
    results[2 * half] = kFinish(code, low);
    results[2 * half + 1] = kFinish(code, high);
  }
  for (int i = 0; i < 4; ++i)
    code.write(o.dst, i, Width::w64, results[i]);
  return true;
}

template <class Convert>
bool narrow(RowAssembler& code, const LaneOperands& o, Convert convert, Finish finish) {
  code.step();
  Zmm results[2];
  for (int half = 0; half < 2; ++half) {
    const Zmm first = code.read(o.a, 2 * half), second = code.read(o.a, 2 * half + 1);
    const Zmm low = code.fresh(), high = code.fresh();
    convert(low_half(low), first);
    convert(low_half(high), second);
    code.vinserti64x4(low, low, low_half(high), 1);
    results[half] = finish(code, low);
  }
  for (int i = 0; i < 2; ++i)
    code.write(o.dst, i, Width::w32, results[i]);
  return true;
}
bool narrow_integer(RowAssembler& code, const LaneOperands& o) {
  return narrow(
      code, o, [&](Ymm to, Zmm from) { code.vpmovqd(to, from); }, unchanged);
}
template <class To>
bool narrow_float(RowAssembler& code, const LaneOperands& o) {
  return narrow(
      code, o, [&](Ymm to, Zmm from) { code.vcvtpd2ps(to, from); }, To::store);
}

template <Two kInstruction>
bool to_float(RowAssembler& code, const LaneOperands& o) {
  return emit_unary<Width::w32>(code, o, [&](Zmm result, Zmm a) { (code.*kInstruction)(result, a); });
}

// Values out of range become the nearest number in range, NaN becomes 0; the instruction returns
// 0x80000000 for all of these.
template <class From>
bool chop_signed(RowAssembler& code, const LaneOperands& o) {
  return emit_unary<Width::w32>(code, o, [&](Zmm result, Zmm from) {
    const Zmm a = From::load(code, from);
    const auto odd = code.scratch_mask;
    code.vcvttps2dq(result, a);
    code.vcmpps(odd, a, code.constant32(0x4f000000u), 0x1d);  // at least 2^31
    code.vmovdqa32(result | odd, code.constant32(0x7fffffffu));
    code.vcmpps(odd, a, a, 3);
    code.vmovdqa32(result | odd, code.constant32(0));
  });
}

bool same_bits(RowAssembler& code, const LaneOperands& o) {
  return emit_unary<Width::w32>(code, o, [&](Zmm result, Zmm a) { code.vmovdqa64(result, a); });
}

}  // namespace

void add_native_conversions(OperationTable& table) {
  for (const char* to : {"u64", "s64"}) {
    table.add({"cvt.", to, ".u32"}, widen<&X::vpmovzxdq>);
    table.add({"cvt.", to, ".s32"}, widen<&X::vpmovsxdq>);
  }
  for (const char* to : {"u32", "s32"}) {
    for (const char* from : {"u64", "s64"})
      table.add({"cvt.", to, ".", from}, narrow_integer);
    for (const char* from : {"u32", "s32"})
      table.add({"cvt.", to, ".", from}, same_bits);
  }
  for (const char* ftz : {"", ".ftz"}) {
    table.add({"cvt.rn", ftz, ".f32.s32"}, to_float<&X::vcvtdq2ps>);
    table.add({"cvt.rn", ftz, ".f32.u32"}, to_float<&X::vcvtudq2ps>);
  }
  table.add({"cvt.rn.f64.s32"}, widen<&X::vcvtdq2pd>);
  table.add({"cvt.rn.f64.u32"}, widen<&X::vcvtudq2pd>);
  table.add({"cvt.f64.f32"}, widen<&X::vcvtps2pd, F64::store>);
  table.add({"cvt.rn.f32.f64"}, narrow_float<F32>);
  table.add({"cvt.rn.ftz.f32.f64"}, narrow_float<F32Ftz>);
  table.add({"cvt.rzi.s32.f32"}, chop_signed<F32>);
  table.add({"cvt.rzi.ftz.s32.f32"}, chop_signed<F32Ftz>);
}

}  // namespace ridge::machine
