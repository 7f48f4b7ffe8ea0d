// One lane operation: the same arithmetic on the 32 lanes of a warp, as a plain loop the compiler vectorizes.
//
// A warp's registers live in one array of bytes. A register is a *row*: 32 lanes side by side, 4 bytes per lane
// for 8-, 16- and 32-bit types (the value in the low bits), 8 bytes per lane for 64-bit types, 16 for 128-bit.
// A predicate is a 32-bit mask, bit l for lane l. Rows are 64-byte aligned. Operands are byte offsets of
// rows, so immediates and special registers are rows too (the decoder fills them in) and no operation knows
// the difference.
//
// What the decoder has to know beyond the opcode's text:
// - Narrow values: only the low bits of a cell are read. A narrow result of cvt is extended to the cell by
// its sign or
//   with zeros, as PTX asks of a destination wider than the type; above other narrow results is what happens
//   to be. Packed types (f16x2, s16x2) are b32 rows, the first element in the low bits.
// - setp: dst2 is `q` of `p|q`; 0 means that there is none. A negated source predicate (!p) is a not.pred of
// its own.
// - add.cc and its kind read and write kCarryRow by themselves: it is not among the operands.
// - lop3: the immediate is operand d, and only lane 0 of its row is read.
// - min and max of three f32 share their opcode's text with those of two: they are called min3 and max3 here
//   ("min3.ftz.NaN.f32").
// - mov between a register and a vector of smaller ones has names of ours:
//     pack.b16.b8x2  pack.b32.b8x4  pack.b32.b16x2  pack.b64.b16x4  pack.b64.b32x2
//     pack.b128.b64x2  pack.b128.b32x4                   (a is the first element, in the lowest bits)
//     unpack.b8x2.b16  unpack.b16x2.b32  unpack.b32x2.b64  unpack.b64x2.b128    (both elements: dst, dst2)
//   One element of any packing above has its number after the name: unpack.b16x4.b64.3.
// - f32, f64, f16 and bf16 arithmetic stores the GPU's one NaN (0x7fffffff, 0xfff8000000000000, 0x7fff) for
// any NaN.
// - Every instruction set gives the same bits, the approximate functions included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ridge::machine {

inline constexpr int kLanes = 32;
inline constexpr uint32_t kAllLanes = 0xffffffffu;

using RowOffset = uint32_t;

// The operands of a lane operation. dst2 is the second result (setp p|q, shfl d|p); unused offsets are 0.
struct LaneOperands {
  RowOffset dst = 0, dst2 = 0;
  RowOffset a = 0, b = 0, c = 0, d = 0;
};

// Executes for the lanes in `mask`; other lanes of dst keep their value.
using LaneFunction = void (*)(std::byte* registers, const LaneOperands& operands, uint32_t mask);

enum class RowType : uint8_t { none, pred, b32, b64, b128 };  // 8- and 16-bit values live in b32 rows

struct LaneOp {
  std::string_view opcode;  // exactly as PTX writes it: "fma.rn.f32", "setp.lt.and.s32", "cvt.rzi.s32.f32"
  LaneFunction full;        // every lane active: the mask is ignored. dst may be one of the sources, but not
                            // overlap one otherwise
  LaneFunction masked;
  RowType dst, dst2, a, b, c, d;  // what each operand is; none = not used by this opcode
};

// The row of the condition-code register (add.cc, addc, ...): a predicate row at a fixed offset in every
// register file.
inline constexpr RowOffset kCarryRow = 0;
// The first row a decoder may give out.
inline constexpr RowOffset kFirstRow = 64;

// The operation for an opcode, or nullptr when it is not a lane operation (memory, control, warp-wide) or not
// known. Looks in the table compiled for the best instruction set that this CPU and this build have
// (RIDGE_ISA=v2|v3|v4 overrides, for tests).
const LaneOp* find_lane_op(std::string_view opcode);
// All of them, for the conformance tests.
std::span<const LaneOp> all_lane_ops();
// "x86-64-v4", ... : the instruction set in use.
std::string_view lane_instruction_set();

}  // namespace ridge::machine
