// Moves, selections, predicate logic, and the packing of two registers into one.
#include "virtual_gpu/machine/native/operation_table.h"

namespace ridge::machine {
namespace {

using Zmm = RowAssembler::Zmm;
using Xbyak::Ymm;
using Xbyak::util::eax;

template <Width kWidth>
bool move(RowAssembler& code, const LaneOperands& o) {
  if (o.dst == o.a) return true;
  return emit_unary<kWidth>(code, o, [&](Zmm result, Zmm a) { code.vmovdqa64(result, a); });
}

template <Width kWidth>
bool select(RowAssembler& code, const LaneOperands& o) {
  for (int i = 0; i < chunks_of(kWidth); ++i) {
    code.step();
    const Zmm a = code.read(o.a, i), b = code.read(o.b, i), result = code.fresh();
    const auto chosen = code.read_lanes(o.c, i, kWidth);
    if (kWidth == Width::w32)
      code.vpblendmd(result | chosen, b, a);
    else
      code.vpblendmq(result | chosen, b, a);
    code.write(o.dst, i, kWidth, result);
  }
  return true;
}

enum class Logic : uint8_t { copy, invert, bit_and, bit_or, bit_xor };
template <Logic kLogic>
bool of_predicates(RowAssembler& code, const LaneOperands& o) {
  code.step();
  code.mov(eax, code.predicate(o.a));
  if (kLogic == Logic::invert) code.not_(eax);
  if (kLogic == Logic::bit_and) code.and_(eax, code.predicate(o.b));
  if (kLogic == Logic::bit_or) code.or_(eax, code.predicate(o.b));
  if (kLogic == Logic::bit_xor) code.xor_(eax, code.predicate(o.b));
  code.write_predicate(o.dst);
  return true;
}

Ymm low_half(Zmm z) {
  return Ymm(z.getIdx());
}

// a in the lower halves of 64 bits, b in the upper halves.
bool pack(RowAssembler& code, const LaneOperands& o) {
  code.step();
  Zmm results[4];
  for (int half = 0; half < 2; ++half) {
    const Zmm a = code.read(o.a, half), b = code.read(o.b, half);
    for (int part = 0; part < 2; ++part) {
      const Zmm low = code.fresh(), high = code.fresh();
      if (part == 0) {
        code.vpmovzxdq(low, low_half(a));
        code.vpmovzxdq(high, low_half(b));
      } else {
        code.vextracti64x4(low_half(low), a, 1);
        code.vextracti64x4(low_half(high), b, 1);
        code.vpmovzxdq(low, low_half(low));
        code.vpmovzxdq(high, low_half(high));
      }
      code.vpsllq(high, high, 32);
      code.vporq(low, low, high);
      results[2 * half + part] = low;
    }
  }
  for (int i = 0; i < 4; ++i)
    code.write(o.dst, i, Width::w64, results[i]);
  return true;
}

// One half of each 64 bits, or both.
void take_half(RowAssembler& code, RowOffset from, uint8_t shift, Zmm (&halves)[2]) {
  for (int half = 0; half < 2; ++half) {
    Zmm parts[2];
    for (int part = 0; part < 2; ++part) {
      const Zmm a = code.read(from, 2 * half + part);
      parts[part] = code.fresh();
      if (shift != 0) {
        code.vpsrlq(parts[part], a, shift);
        code.vpmovqd(low_half(parts[part]), parts[part]);
      } else {
        code.vpmovqd(low_half(parts[part]), a);
      }
    }
    code.vinserti64x4(parts[0], parts[0], low_half(parts[1]), 1);
    halves[half] = parts[0];
  }
}
template <uint8_t kShift>
bool unpack_one(RowAssembler& code, const LaneOperands& o) {
  code.step();
  Zmm halves[2];
  take_half(code, o.a, kShift, halves);
  for (int i = 0; i < 2; ++i)
    code.write(o.dst, i, Width::w32, halves[i]);
  return true;
}
bool unpack_both(RowAssembler& code, const LaneOperands& o) {
  code.step();
  Zmm low[2], high[2];
  take_half(code, o.a, 0, low);
  take_half(code, o.a, 32, high);
  for (int i = 0; i < 2; ++i)
    code.write(o.dst, i, Width::w32, low[i]);
  for (int i = 0; i < 2; ++i)
    code.write(o.dst2, i, Width::w32, high[i]);
  return true;
}

}  // namespace

void add_native_moves(OperationTable& table) {
  for (const char* type : {"b32", "u32", "s32", "f32"}) {
    table.add({"mov.", type}, move<Width::w32>);
    table.add({"selp.", type}, select<Width::w32>);
  }
  for (const char* type : {"b64", "u64", "s64", "f64"}) {
    table.add({"mov.", type}, move<Width::w64>);
    table.add({"selp.", type}, select<Width::w64>);
  }
  table.add({"mov.pred"}, of_predicates<Logic::copy>);
  table.add({"not.pred"}, of_predicates<Logic::invert>);
  table.add({"and.pred"}, of_predicates<Logic::bit_and>);
  table.add({"or.pred"}, of_predicates<Logic::bit_or>);
  table.add({"xor.pred"}, of_predicates<Logic::bit_xor>);
  table.add({"pack.b64.b32x2"}, pack);
  table.add({"unpack.b32x2.b64"}, unpack_both);
  table.add({"unpack.b32x2.b64.0"}, unpack_one<0>);
  table.add({"unpack.b32x2.b64.1"}, unpack_one<32>);
}

}  // namespace ridge::machine
