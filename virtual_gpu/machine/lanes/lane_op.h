// One lane operation: the same arithmetic on the 32 lanes of a warp, as a plain loop that the compiler
// vectorizes.
//
// A warp's registers are stored in one array of bytes. A register is a *row*: 32 consecutive lanes,
// 4 bytes per lane for 8-, 16- and 32-bit types (the value in the low bits), 8 bytes per lane for
// 64-bit types, 16 for 128-bit. A predicate is a 32-bit mask, bit l for lane l. Rows are 64-byte
// aligned. Operands are byte offsets of rows. Immediates and special registers are rows too (the
// decoder fills them in), so operations need not distinguish them.
//
// What the decoder must know in addition to the opcode's text:
// - Narrow values: only the low bits of a cell are read. A narrow result of cvt is sign- or
//   zero-extended to the cell, as PTX requires for a destination wider than the type; above other
//   narrow results the bits are unspecified. Packed types (f16x2, s16x2) are b32 rows, the first
//   element in the low bits.
// - setp: dst2 is `q` of `p|q`; 0 means that there is none. A negated source predicate (!p) is a
//   separate not.pred.
// - add.cc and its variants read and write kCarryRow implicitly: it is not an operand.
// - lop3: the immediate is operand d, and only lane 0 of its row is read.
// - min and max of three f32 have the same opcode text as those of two: they are called min3 and max3
//   here ("min3.ftz.NaN.f32").
// - mov between a register and a vector of smaller ones has names of our own:
//     pack.b16.b8x2  pack.b32.b8x4  pack.b32.b16x2  pack.b64.b16x4  pack.b64.b32x2
//     pack.b128.b64x2  pack.b128.b32x4  (a is the first element, in the lowest bits),
//     unpack.b8x2.b16  unpack.b16x2.b32  unpack.b32x2.b64  unpack.b64x2.b128
//     (both elements: dst and dst2), and for one element of any of the packings above its number
//     after the name: unpack.b16x4.b64.3.
// - f32, f64, f16 and bf16 arithmetic stores the GPU's canonical NaN (0x7fffffff, 0xfff8000000000000,
//   0x7fff) for any NaN.
// - Every instruction set gives the same bits, including the approximate functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ridge::machine {

inline constexpr int kLanes = 32;
inline constexpr uint32_t kAllLanes = 0xffffffffu;

using RowOffset = uint32_t;

// The operands of a lane operation. dst2 is the second result (setp p|q, shfl d|p); unused offsets
// are 0.
struct LaneOperands {
  RowOffset dst = 0, dst2 = 0;
  RowOffset a = 0, b = 0, c = 0, d = 0;
};

// Executes for the lanes in `mask`; other lanes of dst keep their values.
using LaneFunction = void (*)(std::byte* registers, const LaneOperands& operands, uint32_t mask);

// 8- and 16-bit values are in b32 rows.
enum class RowType : uint8_t { none, pred, b32, b64, b128 };

struct LaneOp {
  std::string_view opcode;  // as in PTX: "fma.rn.f32", "setp.lt.and.s32", "cvt.rzi.s32.f32"
  // All lanes active: the mask must be kAllLanes. `dst` may be one of the sources but must not
  // overlap one partly.
  LaneFunction full;
  LaneFunction masked;
  RowType dst, dst2, a, b, c, d;  // type of each operand; none = not used
};

// The row of the condition-code register (add.cc, addc, ...): a predicate row at a fixed offset in
// every register file.
inline constexpr RowOffset kCarryRow = 0;
// The first row that a decoder may assign.
inline constexpr RowOffset kFirstRow = 64;

// The operation for an opcode, or nullptr when it is unknown or not a lane operation (memory,
// control, warp-wide). Uses the table for the best instruction set of this CPU and this build
// (RIDGE_ISA=v2|v3|v4 overrides it, for tests).
const LaneOp* find_lane_op(std::string_view opcode);
// All operations, for the conformance tests.
std::span<const LaneOp> all_lane_ops();
// "x86-64-v4", ... : the instruction set in use.
std::string_view lane_instruction_set();

}  // namespace ridge::machine
