// A product of a warpgroup: each of its four warps computes its own 16 of the 64 rows, all at the
// same time.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/matrix/accumulators.h"
#include "virtual_gpu/machine/matrix/descriptor.h"
#include "virtual_gpu/machine/matrix/product.h"
#include "virtual_gpu/machine/matrix/tile_loops.h"
#include "virtual_gpu/machine/matrix/warpgroup_queue.h"

namespace ridge::machine {
namespace {

constexpr size_t kWgmmaMaxK = 32;

}  // namespace

// The bytes of a descriptor's rows that were read, for observers.
struct MatrixUnit::StagedRuns {
  std::array<BulkAccess::Run, 2 * 8 * 2 * kWgmmaMaxGroups> runs;
  size_t count = 0;

  void add(uint64_t address) {
    BulkAccess::Run* const last = count == 0 ? nullptr : &runs[count - 1];
    if (last != nullptr && last->begin + last->bytes == address)
      last->bytes += 16;
    else if (last != nullptr && address + 16 == last->begin)
      last->begin = address, last->bytes += 16;
    else
      runs[count++] = {address, 16};
  }
};

void MatrixUnit::notify_staged(const StagedRuns& staged, const Warp& warp, uint32_t pc,
                               bool together) {
  BulkAccess access;
  access.instruction = pc;
  access.block = access.owner = context_.block->linear;
  access.warp = warp.index;
  access.mask = kAllLanes;
  access.together = together;
  access.runs = std::span<const BulkAccess::Run>(staged.runs.data(), staged.count);
  context_.observer->bulk_access(access);
}

// Stages an operand in shared memory: 16 rows of A for this warp, or all of B.
void MatrixUnit::stage_shared(const MatrixOp& op, uint64_t descriptor, bool is_a, const Warp& warp,
                              uint32_t pc, float* staged, StagedRuns& reported_runs) const {
  const SharedMatrix matrix = shared_matrix(descriptor);
  const bool mn_major = is_a ? op.transpose_a : op.transpose_b;
  const ElementType type = is_a ? op.a : op.b;
  const TileLoops& loops = tile_loops();
  const size_t elements = core_elements(type), count = elements * 2;
  const uint32_t first = is_a ? warp.index % 4 * 2 : 0, cores = is_a ? 2 : op.groups;
  const std::byte* const shared = context_.block->shared.get();
  reported_runs.count = 0;
  for (uint32_t i = 0; i < cores; ++i) {
    for (uint32_t depth = 0; depth < 2; ++depth) {
      alignas(64) std::byte core[128];
      for (uint32_t line = 0; line < 8; ++line) {
        const uint32_t address = matrix.row_address(first + i, depth, line, mn_major);
        if (address + 16 > context_.launch.shared_bytes) {
          context_.fault(
              Fault::Kind::out_of_bounds, Culprit{context_.block, warp.index, 0, pc},
              fmt::format(
                  "Out of bounds: \x01 executes a wgmma whose descriptor of {} ({:#018x}) leads to byte {} "
                  "of shared memory, and the block has {} bytes (start {}, leading offset {}, stride offset "
                  "{}, swizzle {} bytes)",
                  is_a ? "A" : "B", descriptor, address, context_.launch.shared_bytes, matrix.start,
                  matrix.leading, matrix.stride, matrix.span == 16 ? 0 : matrix.span),
              "check the descriptor's address, what is added to it per k-step (in units of 16 bytes) and its "
              "swizzle, and that the tile fits in shared memory",
              {"product_descriptor", {{"operand", is_a ? "A" : "B"}}});
        }
        std::memcpy(core + line * 16, shared + address, 16);
        if (context_.observer != nullptr) reported_runs.add(address);
      }
      if (mn_major) loops.transpose(core, core);
      if (is_a)
        loops.stage_a(type, core, staged + depth * elements * kStagedA + i * 32);
      else
        loops.stage_b(type, core, staged + (i * count + depth * elements) * kStagedB);
    }
  }
}

// The product `ordinal` of each warp; B is the same for all.
void MatrixUnit::make_product(std::span<Warp> warps, uint64_t ordinal) {
  const WarpgroupEntry& first = warps.front().warpgroup->entry(ordinal);
  const MatrixOp& op = *first.op;
  if (op.a == ElementType::b1) {
    for (Warp& warp : warps)
      multiply_warpgroup_bits(warp, warp.warpgroup->entry(ordinal));
    return;
  }
  alignas(64) float staged_a[kWgmmaMaxK * kStagedA];
  alignas(64) float staged_b[kWgmmaMaxGroups * kWgmmaMaxK * kStagedB];
  StagedRuns runs_a, runs_b;
  stage_shared(op, first.b_descriptor, false, warps.front(), first.pc, staged_b, runs_b);
  const size_t elements = core_elements(op.a), count = 2 * elements;
  for (Warp& warp : warps) {
    const WarpgroupEntry& entry = warp.warpgroup->entry(ordinal);
    if (context_.observer != nullptr)
      notify_staged(runs_b, warp, entry.pc, &warp != &warps.front());
    if (op.a_in_registers) {
      for (size_t i = 0; i < 4; ++i)
        tile_loops().stage_a(op.a, entry.a[i].data(),
                             staged_a + i / 2 * elements * kStagedA + i % 2 * 32);
    } else {
      stage_shared(op, entry.a_descriptor, true, warp, entry.pc, staged_a, runs_a);
      if (context_.observer != nullptr) notify_staged(runs_a, warp, entry.pc, false);
    }
    if (op.negate) {
      for (size_t i = 0; i < count * kStagedA; ++i)
        staged_a[i] = -staged_a[i];
    }
    add_product(*warp.warpgroup, entry, staged_a, staged_b);
  }
}

void MatrixUnit::add_product(WarpgroupQueue& queue, const WarpgroupEntry& entry,
                             const float* staged_a, const float* staged_b) {
  const MatrixOp& op = *entry.op;
  const size_t count = 2 * core_elements(op.a), groups = op.groups, values = groups * kTile;
  auto* const accumulators = reinterpret_cast<float*>(queue.sets[entry.set].values.get());
  if (!entry.scale_d) std::memset(accumulators, 0, values * sizeof(float));
  if (op.d != AccumulatorType::s32) {
    const bool wide_range = op.a == ElementType::bf16 || op.a == ElementType::tf32;
    tile_loops().multiply(staged_a, staged_b, count, groups, accumulators, wide_range);
    if (op.d != AccumulatorType::f16) return;
    uint32_t packed[kLanes];  // rounds to f16
    for (size_t i = 0; i < values; i += 64) {
      tile_loops().pack_halves(accumulators + i, accumulators + i + 32, packed);
      tile_loops().unpack_halves(packed, accumulators + i, accumulators + i + 32);
    }
    return;
  }
  if (!queue.products) queue.products = allocate_aligned(kWgmmaMaxGroups * kTile * sizeof(float));
  auto* const products = reinterpret_cast<float*>(queue.products.get());
  std::memset(products, 0, values * sizeof(float));
  tile_loops().multiply(staged_a, staged_b, count, groups, products, false);
  add_wrapping(products, reinterpret_cast<int32_t*>(accumulators), values, op.saturate);
}

// b1: a row of a core matrix is 128 bits of k.
void MatrixUnit::multiply_warpgroup_bits(Warp& warp, const WarpgroupEntry& entry) const {
  const MatrixOp& op = *entry.op;
  auto* const accumulators =
      reinterpret_cast<int32_t*>(warp.warpgroup->sets[entry.set].values.get());
  if (!entry.scale_d) std::memset(accumulators, 0, op.groups * kTile * sizeof(int32_t));
  const SharedMatrix from_a = shared_matrix(entry.a_descriptor),
                     from_b = shared_matrix(entry.b_descriptor);
  const auto bits_at = [&](const SharedMatrix& matrix, size_t line, uint32_t depth,
                           uint64_t(&bits)[2]) {
    const uint32_t address = matrix.row_address(static_cast<uint32_t>(line / 8), depth,
                                                static_cast<uint32_t>(line % 8), false);
    if (address + 16 > context_.launch.shared_bytes) {
      context_.fault(
          Fault::Kind::out_of_bounds, Culprit{context_.block, warp.index, 0, entry.pc},
          fmt::format(
              "Out of bounds: \x01 executes a wgmma whose descriptor leads to byte {} of shared "
              "memory, and the block has {} bytes",
              address, context_.launch.shared_bytes),
          "check the descriptor's address and offsets, and that the tile fits in shared memory",
          {"product_descriptor", {}});
    }
    std::memcpy(bits, context_.block->shared.get() + address, 16);
  };
  for (uint32_t depth = 0; depth < 2; ++depth) {
    uint64_t a[16][2];
    for (size_t line = 0; line < 16; ++line) {
      if (op.a_in_registers)
        std::memcpy(a[line], entry.a[depth * 2 + line / 8].data() + line % 8 * 4, 16);
      else
        bits_at(from_a, warp.index % 4 * 16 + line, depth, a[line]);
    }
    for (size_t column = 0; column < op.groups * size_t{8}; ++column) {
      uint64_t b[2];
      bits_at(from_b, column, depth, b);
      for (size_t line = 0; line < 16; ++line) {
        const int sum = std::popcount(a[line][0] & b[0]) + std::popcount(a[line][1] & b[1]);
        accumulators[column / 8 * kTile + (line / 8 * 2 + column % 2) * 32 + line % 8 * 4 +
                     column % 8 / 2] += sum;
      }
    }
  }
}

}  // namespace ridge::machine
