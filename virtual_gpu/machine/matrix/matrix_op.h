// Decoded matrix instructions.
//
// All are built from one shape, the *core matrix*: 8 rows of 16 bytes. A fragment register is a
// core matrix (lane 4r+c has the c-th four bytes of row r, so the register's row of 128 bytes *is*
// the core matrix), ldmatrix loads one, and wgmma's shared memory consists of them. A product of
// any shape is made of tiles of 16 x 8 whose operands are core matrices along k: A has two of them,
// one below the other; B has one whose rows are columns of B.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "virtual_gpu/machine/matrix/element_type.h"
#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {

enum class MatrixKind : uint8_t {
  load,             // ldmatrix
  store,            // stmatrix
  transpose,        // movmatrix
  product,          // mma.sync, wmma.mma
  quarter_product,  // mma.sync.m8n8k4 of f16: four products of 8 x 8, each by 8 lanes
  fragment_load,    // wmma.load
  fragment_store,   // wmma.store
  group_fence,      // wgmma.fence
  group_product,    // wgmma.mma_async
  group_commit,
  group_wait,
};

// The product of A (16 rows per tile) and B (8 columns per group), in registers or, for wgmma, in
// shared memory.
struct MatrixOp {
  MatrixKind kind = MatrixKind::load;
  bool transposed = false;  // ldmatrix, stmatrix; wmma memory: column-major
  ElementType a = ElementType::f16, b = ElementType::f16;
  AccumulatorType c = AccumulatorType::f32, d = AccumulatorType::f32;
  uint8_t tiles = 1;                     // of 16 rows each
  bool half_tile = false;                // 8 rows only
  uint16_t groups = 1;                   // of 8 columns each
  uint8_t cores = 1;                     // core matrices along k
  bool saturate = false;                 // s32: clamps
  bool exclusive_or = false;             // b1: xor instead of and
  bool a_column = false, b_row = false;  // quarter_product
  // Registers: A by tile, core, half; B by group, core; C and D by tile, group, half (and parity,
  // unless f16).
  std::vector<RowOffset> a_rows, b_rows, c_rows, d_rows;

  // Sparse: A has half the elements; `metadata` selects them among each four (tf32: two).
  RowOffset metadata = kNoRow;
  uint8_t selector = 0;

  // Memory: the address operand and, for wmma, the form of an access.
  MemoryOp place;
  RowOffset stride = kNoRow;       // in elements; kNoRow: rows are consecutive
  uint32_t rows = 8, columns = 8;  // of the fragment
  bool is_accumulator = false, is_b = false;
  uint8_t parts = 1;  // accesses per register: 1, or one per element
  std::array<RowOffset, 4> part_rows{};

  // Only for wgmma.
  bool a_in_registers = false, transpose_a = false, transpose_b = false, negate = false;
  RowOffset a_descriptor = kNoRow, b_descriptor = kNoRow, scale_d = kNoRow;
  bool scale_d_negated = false;
  bool at_once = false;         // compiled with -G: the product is computed when it is issued
  uint32_t pending_groups = 0;  // group_wait
};

}  // namespace ridge::machine
