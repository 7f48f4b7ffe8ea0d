// setp of 32- and 64-bit types: one bit per lane, combined with a third predicate.
#include "virtual_gpu/machine/native/float_values.h"
#include "virtual_gpu/machine/native/operation_table.h"

namespace ridge::machine {
namespace {

using Zmm = RowAssembler::Zmm;
using Xbyak::Opmask;
using Xbyak::util::eax;
using Xbyak::util::r8d;
using Xbyak::util::r9d;

// Compares a chunk, for the two instructions' predicate numbers.
template <class T, uint8_t kPredicate>
struct FloatCompare {
  static constexpr Width kWidth = T::kWidth;
  static void emit(RowAssembler& code, Opmask result, Zmm a, Zmm b) {
    if constexpr (T::kWidth == Width::w64)
      code.vcmppd(result, T::load(code, a), T::load(code, b), kPredicate);
    else
      code.vcmpps(result, T::load(code, a), T::load(code, b), kPredicate);
  }
};
template <Width kWidthOf, bool kSigned, uint8_t kPredicate>
struct IntegerCompare {
  static constexpr Width kWidth = kWidthOf;
  static void emit(RowAssembler& code, Opmask result, Zmm a, Zmm b) {
    if constexpr (kWidth == Width::w32)
      kSigned ? code.vpcmpd(result, a, b, kPredicate) : code.vpcmpud(result, a, b, kPredicate);
    else
      kSigned ? code.vpcmpq(result, a, b, kPredicate) : code.vpcmpuq(result, a, b, kPredicate);
  }
};

enum class Join : uint8_t { alone, with_and, with_or, with_xor };

// dst receives the comparison, dst2 its opposite, each combined with the same third operand.
template <class Compare, Join kJoin>
bool setp(RowAssembler& code, const LaneOperands& o) {
  constexpr int kChunks = chunks_of(Compare::kWidth);
  const Opmask all = code.other_scratch_mask, one = code.scratch_mask;
  for (int i = kChunks; i-- > 0;) {  // from the highest lanes, each below the previous ones
    code.step();
    const Zmm a = code.read(o.a, i), b = code.read(o.b, i);
    Compare::emit(code, i == kChunks - 1 ? all : one, a, b);
    if (i == kChunks - 1) continue;
    // Combines 16 lanes above 16, or 8 at a time.
    if (kChunks == 2) {
      code.kunpckwd(all, all, one);
    } else {
      code.kshiftld(all, all, 8);
      code.kord(all, all, one);
    }
  }
  code.kmovd(r8d, all);
  if (kJoin != Join::alone) code.mov(r9d, code.predicate(o.c));  // dst may be the same row
  const auto put = [&](RowOffset row, bool opposite) {
    code.mov(eax, r8d);
    if (opposite) code.not_(eax);
    if (kJoin == Join::with_and) code.and_(eax, r9d);
    if (kJoin == Join::with_or) code.or_(eax, r9d);
    if (kJoin == Join::with_xor) code.xor_(eax, r9d);
    code.write_predicate(row);
  };
  put(o.dst, false);
  if (o.dst2 != 0) put(o.dst2, true);
  return true;
}

template <class Compare>
void add_setp(OperationTable& table, const char* name, const char* ftz, const char* type) {
  table.add({"setp.", name, ftz, ".", type}, setp<Compare, Join::alone>);
  table.add({"setp.", name, ".and", ftz, ".", type}, setp<Compare, Join::with_and>);
  table.add({"setp.", name, ".or", ftz, ".", type}, setp<Compare, Join::with_or>);
  table.add({"setp.", name, ".xor", ftz, ".", type}, setp<Compare, Join::with_xor>);
}

template <class T>
void add_floats(OperationTable& table, const char* type) {
  add_setp<FloatCompare<T, 0x00>>(table, "eq", T::ftz, type);
  add_setp<FloatCompare<T, 0x0c>>(table, "ne", T::ftz, type);
  add_setp<FloatCompare<T, 0x11>>(table, "lt", T::ftz, type);
  add_setp<FloatCompare<T, 0x12>>(table, "le", T::ftz, type);
  add_setp<FloatCompare<T, 0x1e>>(table, "gt", T::ftz, type);
  add_setp<FloatCompare<T, 0x1d>>(table, "ge", T::ftz, type);
  add_setp<FloatCompare<T, 0x07>>(table, "num", T::ftz, type);
  add_setp<FloatCompare<T, 0x04>>(table, "neu", T::ftz, type);
  add_setp<FloatCompare<T, 0x08>>(table, "equ", T::ftz, type);
  add_setp<FloatCompare<T, 0x15>>(table, "geu", T::ftz, type);
  add_setp<FloatCompare<T, 0x16>>(table, "gtu", T::ftz, type);
  add_setp<FloatCompare<T, 0x1a>>(table, "leu", T::ftz, type);
  add_setp<FloatCompare<T, 0x19>>(table, "ltu", T::ftz, type);
  add_setp<FloatCompare<T, 0x03>>(table, "nan", T::ftz, type);
}

template <Width kWidth, bool kSigned>
void add_integers(OperationTable& table, const char* type) {
  add_setp<IntegerCompare<kWidth, kSigned, 0>>(table, "eq", "", type);
  add_setp<IntegerCompare<kWidth, kSigned, 4>>(table, "ne", "", type);
  add_setp<IntegerCompare<kWidth, kSigned, 1>>(table, "lt", "", type);
  add_setp<IntegerCompare<kWidth, kSigned, 2>>(table, "le", "", type);
  add_setp<IntegerCompare<kWidth, kSigned, 6>>(table, "gt", "", type);
  add_setp<IntegerCompare<kWidth, kSigned, 5>>(table, "ge", "", type);
}

}  // namespace

void add_native_comparisons(OperationTable& table) {
  add_floats<F32>(table, "f32");
  add_floats<F32Ftz>(table, "f32");
  add_floats<F64>(table, "f64");
  add_integers<Width::w32, true>(table, "s32");
  add_integers<Width::w32, false>(table, "u32");
  add_integers<Width::w64, true>(table, "s64");
  add_integers<Width::w64, false>(table, "u64");
}

}  // namespace ridge::machine
