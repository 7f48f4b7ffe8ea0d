// Micro-operations, the decoded form of a kernel: one for each PTX instruction, so that the program
// counter is also the index of the instruction's source. Data that does not fit in 64 bytes is in a
// side table, by `detail`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/decode/maskable_reads.h"
#include "virtual_gpu/machine/lanes/lane_op.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/machine/program/program.h"

namespace ridge::machine {

inline constexpr RowOffset kNoRow = 0xffffffffu;
inline constexpr uint32_t kNoTarget = 0xffffffffu;

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
  kBackEdge = 4,  // a branch to a block that is not later than its own
  // A load whose value other threads are expected to change: volatile, acquire, relaxed.
  kPolls = 8,
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

struct MemoryOp;
struct Addresses;
struct AddressLoops;
using Transfer = void (*)(const MemoryOp& op, const Addresses& addresses, uint64_t origin, uint32_t mask,
                          std::byte* registers, const AddressLoops& loops);

enum class MemorySpace : uint8_t { global, shared, local, constant, generic, parameter };

inline constexpr uint32_t kNoSharedArray = 0xffffffffu;

struct MemoryOp {
  MemorySpace space = MemorySpace::generic;
  uint8_t element_bytes = 4;   // 1, 2, 4, 8, 16
  uint8_t count = 1;           // of the vector
  uint8_t register_bytes = 4;  // per lane of the value rows: 4, 8, 16
  bool sign_extend = false;
  bool wide_address = true;    // the address row has 8 bytes per lane, otherwise 4
  bool fixed_address = false;  // no register: `offset` is the address for all lanes
  RowOffset address = 0;
  int64_t offset = 0;                 // slots: bytes from the slot's first row
  std::array<RowOffset, 8> values{};  // kNoRow for `_`
  uint32_t cache = 0;                 // index of its inline cache
  uint32_t access_bytes = 4;          // per lane, the whole vector
  Transfer transfer = nullptr;
  Ordering ordering = Ordering::weak;  // how the access orders other threads
  Scope scope = Scope::system;
  // Instructions of a basic block that read the same address register, without a write in between,
  // share a slot in which the first of them stores the lane pattern. 0: none.
  uint8_t pattern_slot = 0;
  // The __shared__ array from which the address is certainly derived, as offsets; the full range
  // when none is certain.
  uint32_t shared_begin = 0, shared_end = kNoSharedArray;
  bool has_shared_array() const { return shared_end != kNoSharedArray; }
};
inline constexpr uint8_t kPatternSlots = 8;

enum class AtomicOperation : uint8_t {
  add,
  minimum,
  maximum,
  increment,
  decrement,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_swap
};
enum class AtomicType : uint8_t {
  u32,
  s32,
  b32,
  u64,
  s64,
  b64,
  b128,
  f32,
  f64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  b16
};

struct AtomicOp {
  MemoryOp place;  // values = destination of the old value (kNoRow for red)
  AtomicOperation operation = AtomicOperation::add;
  AtomicType type = AtomicType::u32;
  std::array<RowOffset, 8> a{};
  RowOffset b = 0;  // compare_swap: the new value
};

struct AsyncCopyOp {
  MemoryOp source, destination;
  uint32_t bytes = 4;
  RowOffset source_bytes = kNoRow;  // the rest is filled with zeros
  RowOffset ignore = kNoRow;        // predicate: copy nothing, fill with zeros
  bool ignore_negated = false;
};

// cp.async.bulk and cp.reduce.async.bulk: a request to the copy engine, per thread.
enum class BulkDirection : uint8_t { load, between_shared, store, prefetch };
struct BulkOp {
  BulkDirection direction = BulkDirection::load;
  bool is_tensor = false, is_im2col = false, multicast = false;
  uint8_t rank = 0;      // of the tensor, from the opcode
  bool reduces = false;  // the element type of a tensor is in its map
  AtomicOperation operation = AtomicOperation::add;
  AtomicType type = AtomicType::u32;
  MemoryOp destination, source, map, mbarrier;  // only their addresses are used
  RowOffset bytes = kNoRow, blocks = kNoRow;    // blocks: the mask of a multicast
  std::array<RowOffset, 5> start{};
  std::array<RowOffset, 3> offsets{kNoRow, kNoRow, kNoRow};
};

enum class TensorMapField : uint8_t {
  address,
  rank,
  box,
  dim,
  stride,
  element_stride,
  element,
  interleave,
  swizzle,
  fill,
};
struct TensorMapOp {
  enum class Kind : uint8_t { replace, copy, prefetch } kind = Kind::replace;
  TensorMapField field = TensorMapField::address;
  uint32_t ordinal = 0;
  MemoryOp map, source;
  RowOffset value = kNoRow;
  bool wide_value = false;
};

struct PackOp {
  RowOffset wide = 0;
  uint8_t wide_bytes = 8, part_bytes = 4, wide_register_bytes = 8, part_register_bytes = 4;
  std::vector<RowOffset> parts;
};

// Values passed through .param variables are stored as rows of 32-bit words in the frame's
// registers.
struct ParameterSlot {
  RowOffset row = 0;
  uint32_t words = 0;
  bool wide_register = false;  // a 64-bit register as a direct argument
};

enum class Builtin : uint8_t {
  none,
  print,
  assert_fail,
  allocate,
  release,
  // Dynamic parallelism.
  prepare_child,
  launch_child,
  last_error,
  peek_error,
  make_handle,
  use_handle,
  device_malloc,  // cudaMalloc and cudaFree in a kernel: from the heap of malloc
  device_free,
  error_string,
  error_name,
  device_count,
  current_device,
  set_conditional  // for a conditional node of a graph
};

// The built-in meaning of a function that no module defines; `none` when it is unknown.
Builtin builtin_named(std::string_view name);

struct CallOp {
  uint32_t callee = kNoTarget;  // index in Program::functions; kNoTarget: the address is in `target`
  Builtin builtin = Builtin::none;
  RowOffset target = 0;
  std::vector<ParameterSlot> arguments, results;
  std::string name;
};

enum class BarrierKind : uint8_t { sync, arrive, reduce_and, reduce_or, reduce_count };
struct BarrierOp {
  BarrierKind kind = BarrierKind::sync;
  RowOffset id = 0, count = kNoRow;            // rows of 4 bytes per lane
  RowOffset result = kNoRow, source = kNoRow;  // bar.red
  bool source_negated = false;
  bool aligned = true;
};

enum class MbarrierAction : uint8_t {
  init,
  invalidate,
  arrive,
  arrive_drop,
  expect_tx,
  complete_tx,
  test_wait,
  try_wait,
  pending_count,
  async_arrive,  // cp.async.mbarrier.arrive
};
struct MbarrierOp {
  MbarrierAction action = MbarrierAction::arrive;
  MemoryOp place;              // address of the object: shared or generic
  RowOffset result = kNoRow;   // the state, a predicate (waits), or a count
  RowOffset count = kNoRow;    // arrivals or bytes; kNoRow: 1
  RowOffset state = kNoRow;    // waits and pending_count: the result of an arrive
  RowOffset parity = kNoRow;   // waits: instead of a state
  bool expects = false;        // arrive*.expect_tx: `count` is bytes, the arrival counts 1
  bool may_complete = true;    // not .noComplete
  bool counts_itself = false;  // cp.async.mbarrier.arrive without .noinc
  Ordering ordering = Ordering::release;
};

// st.async and red.async: like an ordinary store or reduction, whose bytes an mbarrier counts on
// completion.
struct AsyncStoreOp {
  AtomicOp value;  // address and operands; a store uses only `place` and `a`
  bool reduces = false;
  MemoryOp mbarrier;
};

struct ClusterBarrierOp {
  bool aligned = false;
  bool orders = true;  // not .relaxed
};

enum class WarpOpMode : uint8_t {
  up,
  down,
  butterfly,
  index,  // shfl
  all,
  any,
  uniform,
  ballot,  // vote
  match_any,
  match_all,  // match
  sum,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,  // redux
};
struct WarpOp {
  WarpOpMode mode = WarpOpMode::index;
  bool is_signed = false, is_float = false, absolute = false, nan = false;
  bool wide = false;  // match of 64-bit values
  bool source_negated = false;
  RowOffset result = kNoRow, predicate = kNoRow;
  RowOffset source = 0, b = 0, c = 0;
  RowOffset members = kNoRow;  // row of masks; kNoRow: not a .sync form
};

enum class ClockKind : uint8_t { clock32, clock_high, clock64, nanoseconds };

enum class Special : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_shared,
  total_shared,
  reserved_shared_middle,
  reserved_shared_end,
  cluster_is_explicit,
  cluster_rank,
  cluster_blocks,
  cluster_block_x,
  cluster_block_y,
  cluster_block_z,
  cluster_size_x,
  cluster_size_y,
  cluster_size_z,
  cluster_id_x,
  cluster_id_y,
  cluster_id_z,
  cluster_count_x,
  cluster_count_y,
  cluster_count_z,
  grid_workspace_high,
  grid_workspace_low,
  zero,
};

enum class TextureOpKind : uint8_t { sample, gather, query, load_surface, store_surface };
enum class SurfaceBoundary : uint8_t { trap, clamp, zero };
struct TextureOp {
  TextureOpKind kind = TextureOpKind::sample;
  uint8_t dimensions = 1;
  bool is_layered = false;
  bool float_coordinates = true;
  uint8_t component = 0;      // gather: the channel; query: width, height, depth
  uint8_t element_bytes = 4;  // surfaces
  uint8_t count = 4;
  SurfaceBoundary boundary = SurfaceBoundary::trap;
  RowOffset handle = 0, layer = 0;
  std::array<RowOffset, 3> coordinates{};
  std::array<RowOffset, 4> values{};
};

struct ConstantRow {
  RowOffset row;
  RowType type;
  uint64_t value;
};
struct SpecialRow {
  RowOffset row;
  RowType type;
  Special special;
};
struct LocalAddressRow {
  RowOffset row;
  RowType type;
  uint64_t offset;
};  // + the frame's offset in local memory

struct FunctionCode {
  std::string name;
  uint32_t first = 0, end = 0;  // instructions
  uint32_t register_bytes = 0;
  uint32_t local_bytes = 0;
  std::vector<ConstantRow> constants;
  std::vector<SpecialRow> specials;
  std::vector<LocalAddressRow> local_addresses;
  std::vector<ParameterSlot> parameters, results;
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
