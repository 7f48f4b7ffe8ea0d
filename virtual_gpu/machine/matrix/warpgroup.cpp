// wgmma: each warp of the warpgroup makes its own 16 of the 64 rows.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "virtual_gpu/machine/async_step.h"
#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/fault_text.h"
#include "virtual_gpu/machine/matrix/accumulators.h"
#include "virtual_gpu/machine/matrix/descriptor.h"
#include "virtual_gpu/machine/matrix/product.h"
#include "virtual_gpu/machine/matrix/tile_loops.h"
#include "virtual_gpu/machine/matrix/warpgroup_queue.h"

namespace ridge::machine {
namespace {

// What observers hear of a product of the running warp.
Product told(const WarpgroupEntry& entry, uint64_t block, uint32_t warp) {
  const MatrixOp& op = *entry.op;
  Product product{block, warp, entry.pc, entry.ordinal, {}};
  product.operands[0] = {entry.b_descriptor, op.groups, op.transpose_b};
  if (!op.a_in_registers) product.operands[1] = {entry.a_descriptor, 8, op.transpose_a};
  return product;
}

constexpr size_t kMostK = 32, kMostGroups = 32;

// The set whose accumulators the registers name, kMostSets when they hold ordinary values.
size_t named_set(const MatrixOp& op, const std::byte* registers) {
  const auto first = [&](size_t word) {
    return *reinterpret_cast<const uint32_t*>(registers + op.d_rows[word]);
  };
  if (!is_poison(first(0))) return WarpgroupQueue::kMostSets;
  return poison_name(first(0)) >> 7;
}

}  // namespace

void Core::issue_warpgroup(const MatrixOp& op) {
  if (!warp_->warpgroup) warp_->warpgroup = std::make_shared<WarpgroupQueue>();
  WarpgroupQueue& queue = *warp_->warpgroup;
  const size_t words = op.d_rows.size();
  check_warpgroup_fence(op);
  ++queue.issued;
  queue.last_pc = pc_;
  tell_step(observer_, {AsyncStep::Kind::issue, block_->linear, warp_->index, kAllLanes, pc_, 0,
                        groups_of(Groups::products, block_->linear, warp_->index, queue.committed_groups)});
  size_t set_index = named_set(op, registers_);
  if (set_index == WarpgroupQueue::kMostSets) {
    set_index = 0;
    while (set_index < WarpgroupQueue::kMostSets && queue.sets[set_index].entries != 0)
      ++set_index;
    if (set_index == WarpgroupQueue::kMostSets) {
      fault(
          Fault::Kind::trap, culprit(0),
          fmt::format(
              "Too many wgmma in flight: \x01 begins a product with new accumulators while {} others are not "
              "waited for",
              WarpgroupQueue::kMostSets),
          "close groups with wgmma.commit_group and wait for them with wgmma.wait_group");
    }
    WarpgroupQueue::Set& set = queue.sets[set_index];
    if (!set.values) set.values = allocate_aligned(kMostGroups * kTile * sizeof(float));
    set.words = static_cast<uint32_t>(words);
    set.type = op.d;
    set.pc = pc_;
    set.delivered = nullptr;
    auto* values = reinterpret_cast<float*>(set.values.get());
    for (size_t word = 0; word < words; ++word) {
      uint32_t* const registers = row<uint32_t>(op.d_rows[word]);
      if (op.d == AccumulatorType::f16)
        tile_loops().unpack_halves(registers, values + word * 64, values + word * 64 + 32);
      else
        std::memcpy(values + word * 32, registers, 128);
      std::fill_n(registers, kLanes, poison(set_index, word));
    }
  } else {
    const WarpgroupQueue::Set& set = queue.sets[set_index];
    bool same = set.words == words && set.type == op.d && set.entries != 0;
    for (size_t word = 0; same && word < words; ++word)
      same = row<uint32_t>(op.d_rows[word])[0] == poison(set_index, word);
    if (!same) {
      fault(Fault::Kind::race, culprit(0),
            "Accumulators in flight: \x01 gives a wgmma registers of which another wgmma, not waited for "
            "yet, has some "
            "and in another order or shape",
            "wait for the first with wgmma.wait_group before its accumulators are used in another way");
    }
  }
  WarpgroupEntry& entry = queue.entries.emplace_back();
  entry.op = &op;
  entry.frame = frame_;
  entry.pc = pc_;
  entry.ordinal = queue.issued;
  entry.group = queue.committed_groups;
  entry.set = set_index;
  entry.b_descriptor = row<uint64_t>(op.b_descriptor)[0];
  if (op.a_in_registers) {
    for (size_t i = 0; i < 4; ++i)
      std::memcpy(entry.a[i].data(), row<uint32_t>(op.a_rows[i]), 128);
  } else {
    entry.a_descriptor = row<uint64_t>(op.a_descriptor)[0];
  }
  const uint32_t scale = *row<uint32_t>(op.scale_d);
  entry.scale_d = ((op.scale_d_negated ? ~scale : scale) & 1u) != 0;
  queue.sets[set_index].last = &op;
  queue.sets[set_index].frame = frame_;
  ++queue.sets[set_index].entries;
  if (observer_ != nullptr) observer_->product(told(entry, block_->linear, warp_->index), false);
  // Compiled for a debugger, accumulators are stored to memory at once; ptxas then waits after each product.
  if (op.at_once) {
    commit_warpgroup();
    wait_warpgroup(0);
  }
}

void Core::commit_warpgroup() {
  if (!warp_->warpgroup) warp_->warpgroup = std::make_shared<WarpgroupQueue>();
  tell_step(observer_,
            {AsyncStep::Kind::commit, block_->linear, warp_->index, kAllLanes, pc_, 0,
             groups_of(Groups::products, block_->linear, warp_->index, warp_->warpgroup->committed_groups)});
  ++warp_->warpgroup->committed_groups;
}

// All but the newest `pending_groups` groups have been made when this returns; what was never committed has
// not.
void Core::wait_warpgroup(uint32_t pending_groups) {
  if (!warp_->warpgroup) return;
  WarpgroupQueue& queue = *warp_->warpgroup;
  tell_step(observer_, {AsyncStep::Kind::wait, block_->linear, warp_->index, kAllLanes, pc_, 0,
                        groups_of(Groups::products, block_->linear, warp_->index, queue.committed_groups)});
  size_t done = 0;
  uint32_t touched = 0;
  while (done < queue.entries.size() && queue.entries[done].group + pending_groups < queue.committed_groups) {
    execute_warpgroup(queue, done);
    if (observer_ != nullptr)
      observer_->product(told(queue.entries[done], block_->linear, warp_->index), true);
    touched |= 1u << queue.entries[done].set;
    --queue.sets[queue.entries[done].set].entries;
    ++done;
  }
  tell_step(observer_, {AsyncStep::Kind::waited, block_->linear, warp_->index, kAllLanes, pc_, 0,
                        groups_of(Groups::products, block_->linear, warp_->index, queue.committed_groups)});
  if (done == 0) return;
  queue.entries.erase(queue.entries.begin(), queue.entries.begin() + static_cast<std::ptrdiff_t>(done));
  uint32_t finished = 0;
  for (size_t set = 0; set < WarpgroupQueue::kMostSets; ++set) {
    if ((touched >> set & 1) && queue.sets[set].entries == 0) finished |= 1u << set;
  }
  if (finished != 0) deliver_accumulators(queue, finished);
}

// An operand in shared memory, staged: 16 rows of A for this warp, or all of B.
void Core::stage_shared(const MatrixOp& op, uint64_t descriptor, bool is_a, uint32_t pc, float* staged) {
  const SharedMatrix matrix = shared_matrix(descriptor);
  const bool mn_major = is_a ? op.transpose_a : op.transpose_b;
  const ElementType type = is_a ? op.a : op.b;
  const TileLoops& loops = tile_loops();
  const size_t elements = core_elements(type), count = elements * 2;
  const uint32_t first = is_a ? warp_->index % 4 * 2 : 0, cores = is_a ? 2 : op.groups;
  const std::byte* const shared = block_->shared.get();
  std::array<BulkAccess::Run, 2 * 8 * 2 * kMostGroups> runs;
  size_t run_count = 0;
  for (uint32_t i = 0; i < cores; ++i) {
    for (uint32_t depth = 0; depth < 2; ++depth) {
      alignas(64) std::byte core[128];
      for (uint32_t line = 0; line < 8; ++line) {
        const uint32_t address = matrix.row_address(first + i, depth, line, mn_major);
        if (address + 16 > launch_.shared_bytes) {
          fault(
              Fault::Kind::out_of_bounds, Culprit{block_, warp_->index, 0, pc},
              fmt::format(
                  "Out of bounds: \x01 executes a wgmma whose descriptor of {} ({:#018x}) leads to byte {} "
                  "of "
                  "shared memory, and the block has {} bytes (start {}, leading offset {}, stride offset {}, "
                  "swizzle {} bytes)",
                  is_a ? "A" : "B", descriptor, address, launch_.shared_bytes, matrix.start, matrix.leading,
                  matrix.stride, matrix.span == 16 ? 0 : matrix.span),
              "check the descriptor's address, its offsets in units of 16 bytes and its swizzle, and that "
              "the tile fits "
              "in shared memory");
        }
        std::memcpy(core + line * 16, shared + address, 16);
        if (observer_ != nullptr) {
          BulkAccess::Run* const last = run_count == 0 ? nullptr : &runs[run_count - 1];
          if (last != nullptr && last->begin + last->bytes == address)
            last->bytes += 16;
          else if (last != nullptr && address + 16 == last->begin)
            last->begin = address, last->bytes += 16;
          else
            runs[run_count++] = {address, 16};
        }
      }
      if (mn_major) loops.transpose(core, core);
      if (is_a)
        loops.stage_a(type, core, staged + depth * elements * kStagedA + i * 32);
      else
        loops.stage_b(type, core, staged + (i * count + depth * elements) * kStagedB);
    }
  }
  if (observer_ == nullptr) return;
  BulkAccess access;
  access.instruction = pc;
  access.block = access.owner = block_->linear;
  access.warp = warp_->index;
  access.mask = kAllLanes;
  access.runs = std::span<const BulkAccess::Run>(runs.data(), run_count);
  observer_->bulk_access(access);
}

void Core::execute_warpgroup(WarpgroupQueue& queue, size_t index) {
  const WarpgroupEntry& entry = queue.entries[index];
  const MatrixOp& op = *entry.op;
  WarpgroupQueue::Set& set = queue.sets[entry.set];
  const size_t elements = core_elements(op.a), groups = op.groups, values = groups * kTile;
  auto* const accumulators = reinterpret_cast<float*>(set.values.get());
  if (!entry.scale_d) std::memset(accumulators, 0, values * sizeof(float));
  if (op.a_in_registers && entry.frame == frame_) {
    for (size_t i = 0; i < 4; ++i) {
      if (std::memcmp(entry.a[i].data(), row<uint32_t>(op.a_rows[i]), 128) == 0) continue;
      fault(Fault::Kind::race, Culprit{block_, warp_->index, 0, entry.pc},
            "Registers in flight: \x01 changes the registers that hold A of this wgmma before it has waited "
            "for it",
            "wait with wgmma.wait_group before the registers get new values, or use others in turn");
    }
  }
  if (op.a == ElementType::b1)
    return multiply_warpgroup_bits(entry, reinterpret_cast<int32_t*>(accumulators));
  alignas(64) float staged_a[kMostK * kStagedA];
  alignas(64) float staged_b[kMostGroups * kMostK * kStagedB];
  if (op.a_in_registers) {
    for (size_t i = 0; i < 4; ++i)
      tile_loops().stage_a(op.a, entry.a[i].data(), staged_a + i / 2 * elements * kStagedA + i % 2 * 32);
  } else {
    stage_shared(op, entry.a_descriptor, true, entry.pc, staged_a);
  }
  stage_shared(op, entry.b_descriptor, false, entry.pc, staged_b);
  const size_t count = 2 * elements;
  if (op.negate) {
    for (size_t i = 0; i < count * kStagedA; ++i)
      staged_a[i] = -staged_a[i];
  }
  if (op.d != AccumulatorType::s32) {
    const bool wide_range = op.a == ElementType::bf16 || op.a == ElementType::tf32;
    tile_loops().multiply(staged_a, staged_b, count, groups, accumulators, wide_range);
    if (op.d != AccumulatorType::f16) return;
    uint32_t packed[kLanes];  // rounds
    for (size_t i = 0; i < values; i += 64) {
      tile_loops().pack_halves(accumulators + i, accumulators + i + 32, packed);
      tile_loops().unpack_halves(packed, accumulators + i, accumulators + i + 32);
    }
    return;
  }
  if (!queue.products) queue.products = allocate_aligned(kMostGroups * kTile * sizeof(float));
  auto* const products = reinterpret_cast<float*>(queue.products.get());
  std::memset(products, 0, values * sizeof(float));
  tile_loops().multiply(staged_a, staged_b, count, groups, products, false);
  add_wrapping(products, reinterpret_cast<int32_t*>(accumulators), values, op.saturate);
}

// b1: a row of a core matrix is 128 bits of k.
void Core::multiply_warpgroup_bits(const WarpgroupEntry& entry, int32_t* accumulators) {
  const MatrixOp& op = *entry.op;
  const SharedMatrix from_a = shared_matrix(entry.a_descriptor), from_b = shared_matrix(entry.b_descriptor);
  const auto bits_at = [&](const SharedMatrix& matrix, size_t line, uint32_t depth, uint64_t(&bits)[2]) {
    const uint32_t address =
        matrix.row_address(static_cast<uint32_t>(line / 8), depth, static_cast<uint32_t>(line % 8), false);
    if (address + 16 > launch_.shared_bytes) {
      fault(Fault::Kind::out_of_bounds, Culprit{block_, warp_->index, 0, entry.pc},
            fmt::format("Out of bounds: \x01 executes a wgmma whose descriptor leads to byte {} of shared "
                        "memory, and the "
                        "block has {} bytes",
                        address, launch_.shared_bytes),
            "check the descriptor's address and offsets, and that the tile fits in shared memory");
    }
    std::memcpy(bits, block_->shared.get() + address, 16);
  };
  for (uint32_t depth = 0; depth < 2; ++depth) {
    uint64_t a[16][2];
    for (size_t line = 0; line < 16; ++line) {
      if (op.a_in_registers)
        std::memcpy(a[line], entry.a[depth * 2 + line / 8].data() + line % 8 * 4, 16);
      else
        bits_at(from_a, warp_->index % 4 * 16 + line, depth, a[line]);
    }
    for (size_t column = 0; column < op.groups * size_t{8}; ++column) {
      uint64_t b[2];
      bits_at(from_b, column, depth, b);
      for (size_t line = 0; line < 16; ++line) {
        const int sum = std::popcount(a[line][0] & b[0]) + std::popcount(a[line][1] & b[1]);
        accumulators[column / 8 * kTile + (line / 8 * 2 + column % 2) * 32 + line % 8 * 4 + column % 8 / 2] +=
            sum;
      }
    }
  }
}

// Every register that names an accumulator of a finished set gets its value. A name that no register has any
// more was written over: on a GPU, either value may be the one that stays.
void Core::deliver_accumulators(WarpgroupQueue& queue, uint32_t finished) {
  std::array<std::array<uint64_t, 2>, WarpgroupQueue::kMostSets> found{};
  for (const auto& frame : warp_->frames) {
    const uint32_t bytes = program_.functions[frame->function].register_bytes;
    for (uint32_t at = 0; at + 128 <= bytes; at += 64) {
      uint32_t* const registers = reinterpret_cast<uint32_t*>(frame->registers.get() + at);
      const uint32_t value = registers[0];
      if (!is_poison(value) || registers[kLanes - 1] != value) continue;
      const uint32_t name = poison_name(value), set = name >> 7, word = name & 127u;
      if (!(finished >> set & 1) || word >= queue.sets[set].words) continue;
      const auto* values = reinterpret_cast<const float*>(queue.sets[set].values.get());
      if (queue.sets[set].type == AccumulatorType::f16)
        tile_loops().pack_halves(values + word * 64, values + word * 64 + 32, registers);
      else
        std::memcpy(registers, values + word * 32, 128);
      found[set][word / 64] |= 1ull << word % 64;
    }
  }
  for (size_t set = 0; set < WarpgroupQueue::kMostSets; ++set) {
    if (!(finished >> set & 1)) continue;
    queue.sets[set].delivered = queue.sets[set].last;
    for (uint32_t word = 0; word < queue.sets[set].words; ++word) {
      if (found[set][word / 64] >> word % 64 & 1) continue;
      fault(Fault::Kind::race, Culprit{block_, warp_->index, 0, queue.sets[set].pc},
            fmt::format("Accumulator in flight: \x01 has written over register {} of the {} that this wgmma "
                        "was still to "
                        "write",
                        word, queue.sets[set].words),
            "do not touch the accumulators between wgmma and wgmma.wait_group, and wait before you set them "
            "to zero");
    }
  }
}

}  // namespace ridge::machine
