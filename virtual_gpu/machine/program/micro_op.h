// Micro-operations, the decoded form of a kernel: one for each PTX instruction, so that the program
// counter is also the index of the instruction's source. Data that does not fit in 64 bytes is in a
// side table, by `detail`.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/decode/maskable_reads.h"
#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/machine/program/bulk_op.h"
#include "virtual_gpu/machine/program/call_op.h"
#include "virtual_gpu/machine/program/memory_op.h"
#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/machine/program/special_row.h"
#include "virtual_gpu/machine/program/synchronisation_op.h"

namespace ridge::machine {

enum class OpKind : uint8_t {
  // Straight-line: the split continues with the next instruction.
  lane,
  lane_guarded,
  lane_not,  // operand `dst2`'s source predicate is inverted first (see Decoder)
  pack,
  unpack,  // mov between a vector and a wide register
  load,
  store,
  load_parameter,
  load_slot,
  store_slot,
  atomic,
  prefetch,
  fence,
  is_space,
  map_shared,
  async_copy,
  async_commit,
  async_wait,
  active_mask,
  read_clock,
  allocate_stack,
  save_stack,
  restore_stack,
  nothing,
  grid_dependency,  // griddepcontrol: target 1 waits, 0 lets the next launch begin
  bulk_copy,
  bulk_commit,
  bulk_wait,
  tensor_map,
  mbarrier,         // all except waits that may suspend
  cluster_arrive,   // barrier.cluster.arrive
  rank_of_address,  // getctarank
  store_async,      // st.async, red.async
  texture,
  // Ends a basic block: the next instruction is a leader.
  branch,
  branch_indexed,
  call,
  ret,
  exit,
  trap,
  breakpoint,
  block_barrier,
  warp_barrier,
  shuffle,
  vote,
  match,
  redux,
  elect,
  sleep,
  mbarrier_try_wait,
  cluster_wait,
  matrix,  // `target`: index in Program::matrices
  unknown,
};

enum OpFlag : uint8_t {
  kGuarded = 1,
  kGuardNegated = 2,
  kBackEdge = 4,  // a branch to a block that comes no later than its own
  kPolls = 8,     // a load that other threads are expected to answer: volatile, acquire, relaxed
  kSignals = 32,  // may store what another block waits for: an atomic, a volatile or releasing store
  kTakesWork = 64,  // adds to a place in global memory and returns the old value
  kShowsOperands = 16,  // observers see the operands before it is executed; only with lane_guarded
};

// For micro-operations that are executed without returning to the loop.
inline constexpr uint16_t kLongestRun = 1024;

struct alignas(64) MicroOp {
  OpKind kind = OpKind::unknown;
  uint8_t flags = 0;
  // Lane: number of consecutive such operations from here on, at most kLongestRun.
  uint16_t run = 0;
  RowOffset guard = 0;
  LaneFunction full = nullptr, masked = nullptr;
  LaneOperands operands;
  uint32_t detail = 0;          // index in the side table of `kind`
  uint32_t target = kNoTarget;  // branch; load and store: MemoryOp::cache
  // At the first of consecutive unguarded lane operations, loads and stores: the number that
  // native/ executes at once.
  uint32_t stretch = 0;
};
static_assert(sizeof(MicroOp) == 64);

struct PackOp {
  RowOffset wide = 0;
  uint8_t wide_bytes = 8, part_bytes = 4, wide_register_bytes = 8, part_register_bytes = 4;
  std::vector<RowOffset> parts;
};

enum class TextureOpKind : uint8_t { sample, gather, query, load_surface, store_surface };
enum class SurfaceBoundary : uint8_t { trap, clamp, zero };
struct TextureOp {
  TextureOpKind kind = TextureOpKind::sample;
  uint8_t dimensions = 1;
  bool is_layered = false;
  bool is_cube = false;  // three coordinates are a direction
  bool float_coordinates = true;
  uint8_t component = 0;      // gather: the channel; query: width, height, depth
  uint8_t element_bytes = 4;  // surfaces
  uint8_t count = 4;
  SurfaceBoundary boundary = SurfaceBoundary::trap;
  RowOffset handle = 0, layer = 0;
  std::array<RowOffset, 3> coordinates{};
  std::array<RowOffset, 4> values{};
};

struct FunctionCode {
  std::string name;
  uint32_t first = 0, end = 0;  // instructions
  uint32_t register_bytes = 0;
  uint32_t local_bytes = 0;
  std::vector<ConstantRow> constants;
  std::vector<SpecialRow> specials;
  std::vector<LocalAddressRow> local_addresses;
  std::vector<ParameterSlot> parameters, results;
  std::vector<RowOffset> unset;  // rows of registers that may be read before they are written
};

// A __shared__ array by its name in the source, for messages and for its bounds.
struct SharedArray {
  std::string name;
  uint32_t offset = 0, bytes = 0;  // 0 bytes: as much as the launch provides
};

struct MatrixOp;   // matrix/matrix_op.h
class NativeCode;  // native/native_code.h
struct PointerRoots;  // program/pointer_roots.h

class Program {
 public:
  std::shared_ptr<const ptx::Module> module;
  KernelInfo info;
  std::vector<InstructionSource> sources;
  std::deque<std::string> texts;  // InstructionSource::text
  std::vector<MicroOp> ops;
  std::vector<uint32_t> block_end;      // by leader: one past the block's last instruction
  std::vector<uint32_t> rank;           // by leader: its block's rank in the order of execution
  std::vector<FunctionCode> functions;  // [0] is the kernel
  std::unordered_map<uint64_t, uint32_t> function_at;  // by address, for indirect calls

  std::vector<MemoryOp> memory;
  std::vector<AtomicOp> atomics;
  std::vector<AsyncCopyOp> async_copies;
  std::vector<BulkOp> bulk_copies;
  std::vector<TensorMapOp> tensor_maps;
  std::vector<PackOp> packs;
  std::vector<CallOp> calls;
  std::vector<BarrierOp> barriers;
  std::vector<TextureOp> textures;
  std::vector<WarpOp> warp_ops;
  std::vector<MatrixOp> matrices;
  std::vector<std::vector<uint32_t>> branch_tables;
  std::vector<MbarrierOp> mbarriers;
  std::vector<AsyncStoreOp> async_stores;
  std::vector<ClusterBarrierOp> cluster_barriers;
  std::vector<MaskableRead> maskable_reads;  // by instruction of the load
  uint32_t cache_count = 0;                // number of inline caches per executor
  std::vector<SharedArray> shared_arrays;  // by offset
  mutable std::once_flag roots_found;
  mutable std::shared_ptr<const PointerRoots> roots;  // computed once by pointer_roots()
  std::shared_ptr<NativeCode> native;      // of its hot runs; nullptr without a second tier
};

}  // namespace ridge::machine
