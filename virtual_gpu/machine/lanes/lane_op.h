// One lane operation: the same arithmetic on the 32 lanes of a warp, as a plain loop the compiler vectorizes.
//
// A warp's registers live in one array of bytes. A register is a *row*: 32 lanes side by side, 4 bytes a lane for
// 8-, 16- and 32-bit types (the value in the low bits), 8 bytes a lane for 64-bit types, 16 for 128-bit.
// A predicate is a 32-bit mask, bit l for lane l. Rows are 64-byte aligned. Operands are byte offsets of rows, so
// immediates and special registers are rows too (the decoder fills them in) and no operation knows the difference.
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
  LaneFunction full;        // every lane active: the mask is ignored
  LaneFunction masked;
  RowType dst, dst2, a, b, c, d;  // what each operand is; none = not used by this opcode
};

// The row of the condition-code register (add.cc, addc, ...): a predicate row at a fixed offset in every register file.
inline constexpr RowOffset kCarryRow = 0;
// The first row a decoder may give out.
inline constexpr RowOffset kFirstRow = 64;

// The operation for an opcode, or nullptr when it is not a lane operation (memory, control, warp-wide) or not known.
// Looks in the table compiled for the best instruction set this CPU has (RIDGE_ISA=v2|v3|v4 overrides, for tests).
const LaneOp* find_lane_op(std::string_view opcode);
// All of them, for the conformance tests.
std::span<const LaneOp> all_lane_ops();
// "x86-64-v4", ... : the instruction set in use.
std::string_view lane_instruction_set();

}  // namespace ridge::machine
