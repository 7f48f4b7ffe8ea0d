// wmma.load, wmma.store and wmma.mma. The registers of a fragment are core matrices in the layout
// of Hopper (unspecified in the manual; measured in tests/hardware/recorded): A by 16 rows, then
// along k, then its halves of 8 rows; B by 8 columns, then along k; accumulators as in mma.sync.
// f16 operands always have 8 registers: the fragment is repeated to fill them. m8n32 is m32n8 with
// the operands exchanged.
#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/matrix/opcode_words.h"
#include "virtual_gpu/machine/memory/transfer.h"

namespace ridge::machine {
namespace {

bool is_wmma_shape(const MatrixShape& shape, ElementType type) {
  const auto is = [&](uint32_t m, uint32_t n, uint32_t k) {
    return shape.m == m && shape.n == n && shape.k == k;
  };
  switch (type) {
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::s8:
    case ElementType::u8:
      return is(16, 16, 16) || is(32, 8, 16) || is(8, 32, 16);
    case ElementType::tf32:
      return is(16, 16, 8);
    case ElementType::f64:
      return is(8, 8, 4);
    case ElementType::s4:
    case ElementType::u4:
      return is(8, 8, 32);
    case ElementType::b1:
      return is(8, 8, 128);
    default:
      return false;
  }
}

size_t fragment_registers(uint32_t rows, uint32_t k, ElementType type) {
  return type == ElementType::f16 ? 8 : rows / 8 * (k / core_elements(type));
}

}  // namespace

// wmma.mma{.xor.popc}.sync.aligned.A.B.SHAPE.TYPES{.satfinite|.rn}: f16 names only D and C.
bool FunctionDecoder::wmma_product(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                   MatrixOp& matrix) {
  matrix.kind = MatrixKind::product;
  const auto shape = shape_of(parts);
  if (!shape) return false;
  size_t types = 1;
  while (types < parts.size() && parts[types] != "row" && parts[types] != "col")
    ++types;
  types += 3;  // skip both layouts and the shape
  matrix.saturate = parts.has("satfinite");
  matrix.exclusive_or = parts.has("xor");
  size_t count = parts.size() - types - (matrix.saturate ? 1 : 0);
  if (parts.has("rn")) --count;  // for f64, as the last part
  const auto d = accumulator_of(parts[types]), c = accumulator_of(parts[types + count - 1]);
  const auto a = count == 2 ? ElementType::f16 : element_of(parts[types + 1]);
  const auto b = count == 2 ? ElementType::f16 : element_of(parts[types + 2]);
  if ((count != 2 && count != 4) || !a || !b || !c || !d || !is_wmma_shape(*shape, *a)) return false;
  matrix.a = *a;
  matrix.b = *b;
  matrix.c = *c;
  matrix.d = *d;
  if (!pairs_well(matrix)) return false;
  matrix.cores = static_cast<uint8_t>(shape->k / core_elements(*a));
  ptx::Instruction exchanged;
  const ptx::Instruction* used = &instruction;
  uint32_t m = shape->m, n = shape->n;
  if (m == 8 && n == 32) {
    if (instruction.operands.size() != 4) return false;
    exchanged = instruction;
    std::swap(exchanged.operands[1], exchanged.operands[2]);
    std::swap(matrix.a, matrix.b);
    std::swap(m, n);
    used = &exchanged;
  }
  matrix.half_tile = m == 8;
  matrix.tiles = static_cast<uint8_t>(m == 32 ? 2 : 1);
  matrix.groups = static_cast<uint16_t>(n / 8);
  return used->operands.size() == 4 && product_rows(*used, matrix, fragment_registers(m, shape->k, matrix.a),
                                                    fragment_registers(n, shape->k, matrix.b));
}

// wmma.load.{a,b,c}.sync.aligned.LAYOUT.SHAPE{.space}.TYPE r, [p]{, stride};  wmma.store.d... [p], r{,
// stride};
bool FunctionDecoder::wmma_memory(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                  MatrixOp& matrix) {
  const auto& operands = instruction.operands;
  const bool is_load = parts.has("load");
  const auto shape = shape_of(parts);
  const std::string_view layout = layout_of(parts, 0);
  if (!shape || layout.empty() || (!is_load && !parts.has("store")) || operands.size() < 2 ||
      operands.size() > 3)
    return false;
  matrix.kind = is_load ? MatrixKind::fragment_load : MatrixKind::fragment_store;
  matrix.is_accumulator = parts[2] == "c" || parts[2] == "d";
  matrix.is_b = parts[2] == "b";
  const bool exchanged = shape->m == 8 && shape->n == 32;
  size_t count = 0;
  RowType row_type = RowType::b32;
  if (matrix.is_accumulator) {
    const auto type = accumulator_of(parts.last());
    if (!type) return false;
    matrix.d = *type;
    row_type = *type == AccumulatorType::f64 ? RowType::b64 : RowType::b32;
    count = shape->m * shape->n / 32 / (*type == AccumulatorType::f16 ? 2 : 1);
    matrix.rows = exchanged ? shape->n : shape->m;
    matrix.columns = exchanged ? shape->m : shape->n;
  } else {
    const auto type = element_of(parts.last());
    if (!type || !is_wmma_shape(*shape, *type)) return false;
    matrix.a = *type;
    row_type = *type == ElementType::f64 ? RowType::b64 : RowType::b32;
    matrix.rows = matrix.is_b ? shape->n : shape->m;  // of core matrices: B's rows are its columns
    matrix.columns = shape->k;
    count = fragment_registers(matrix.rows, shape->k, *type);
  }
  // True when a row of the core matrix is contiguous in memory.
  matrix.transposed = (layout == "col") != (matrix.is_b || (matrix.is_accumulator && exchanged));
  matrix.is_b &= !exchanged;  // from here on it describes the registers
  const uint32_t bits = matrix.is_accumulator ? (matrix.d == AccumulatorType::f16   ? 16
                                                 : matrix.d == AccumulatorType::f64 ? 64
                                                                                    : 32)
                                              : element_bits(matrix.a);
  if (bits < 8 && matrix.transposed) return false;
  matrix.parts = static_cast<uint8_t>(matrix.transposed && bits < 32 ? 32 / bits : 1);
  const bool global = parts.has("global"), shared = parts.has("shared") || parts.has("shared::cta");
  if (!place(operands[is_load ? 1 : 0],
             global   ? MemorySpace::global
             : shared ? MemorySpace::shared
                      : MemorySpace::generic,
             matrix.place))
    return false;
  matrix.place.element_bytes = static_cast<uint8_t>(bits == 64 ? 8 : matrix.parts > 1 ? bits / 8 : 4);
  matrix.place.register_bytes = bits == 64 ? 8 : 4;
  matrix.place.count = 1;
  matrix.place.cache = program_.cache_count++;
  matrix.place.access_bytes = matrix.place.element_bytes;
  matrix.place.transfer = is_load ? load_transfer(matrix.place) : store_transfer(matrix.place);
  for (size_t i = 0; i < matrix.parts && matrix.parts > 1; ++i)
    matrix.part_rows[i] = allocate(RowType::b32).offset;
  if (operands.size() == 3) {
    const auto stride = source(operands[2], RowType::b32);
    if (!stride) return false;
    matrix.stride = *stride;
  }
  return matrix_rows(operands[is_load ? 0 : 1], row_type, is_load, count, matrix.d_rows);
}

}  // namespace ridge::machine
