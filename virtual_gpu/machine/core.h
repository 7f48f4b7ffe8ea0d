// One host thread's executor. It owns nothing of a block, so a block can be set aside and another taken up.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <span>
#include <unordered_map>

#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/barriers/mbarrier.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/native/native_code.h"
#include "virtual_gpu/machine/poison.h"
#include "virtual_gpu/machine/warp/state.h"
#include "virtual_gpu/machine/memory/transfer.h"
#include "virtual_gpu/machine/vector/known_access.h"

namespace ridge::machine {

struct BadAccess;  // fault_text.h

// What all executors of one launch share.
struct Launch {
  const Program& program;
  const LaunchConfig& config;
  DeviceMemory& memory;
  uint32_t threads = 0, warps = 0, shared_bytes = 0;
  uint64_t blocks = 0;
  Dim3 cluster{};  // blocks in each direction
  uint32_t cluster_blocks = 1;
  bool is_explicit_cluster = false;
  std::atomic<bool> stop{false};
  // Clusters after one that failed are given up, those before it run on, so that the first fault is the one
  // reported.
  std::atomic<uint64_t> fault_cluster{~0ull};
  std::atomic<int64_t> last_progress_ns{
      0};  // when some thread of the grid last changed something, since `begin`
  std::mutex print_mutex{};
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

  int64_t elapsed_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
        .count();
  }
};

struct Texture;

// Thrown to leave the interpreter; becomes LaunchOutcome::fault.
struct LaunchFault {
  Fault fault;
};

enum class TurnEnd : uint8_t {
  finished,  // every thread of the block has exited
  waiting,   // all it does is poll: somebody else's turn
  stopped,   // the launch is being ended
};

// The fault of an observer that threw, or found something when the grid had ended.
Fault late_fault(const Launch& launch, uint64_t block, const ObservedFault& seen);

// The place a fault is about.
struct Culprit {
  const Block* block;
  uint32_t warp;
  uint32_t lane;
  uint32_t pc;
};

struct WarpgroupQueue;  // matrix/warpgroup_queue.h
struct WarpgroupEntry;

class Core final : public MachineView {
 public:
  Core(Launch& launch, Observer* observer);

  const std::byte* registers() const override { return registers_; }
  const std::byte* shared_window() const override { return owner_->shared.get(); }
  std::optional<CopyClash> copy_clash(uint64_t block, uint64_t begin, uint64_t end) const override;
  std::optional<CopyClash> landed_clash(uint64_t block, uint64_t begin, uint64_t end) const override;

  void begin_cluster(Cluster& cluster, uint64_t linear);
  TurnEnd run_turn(Cluster& cluster);
  const Block& running_block() const { return *block_; }
  bool made_progress() const { return made_progress_; }
  uint64_t warp_instructions() const { return warp_instructions_; }
  // The parked and polling threads of a block, a line each, for the message of a deadlock.
  void describe_waiting(const Block& block, std::string& text, int& lines_left) const;
  Culprit first_waiting(const Block& block) const;

  [[noreturn]] void fault(Fault::Kind kind, const Culprit& culprit, const std::string& what,
                          const std::string& advice) const;
  Fault observed_fault(const Block& block, const ObservedFault& seen) const;

 private:
  enum class SliceEnd : uint8_t { parked, spinning, busy };
  enum class Next : uint8_t { go_on, reschedule };

  // block.cpp
  void begin_block(Block& block, Dim3 index);
  void find_read_log();
  TurnEnd run_block(Block& block);
  void begin_warp(Warp& warp, uint32_t index);
  void check_limits() const;

  // interpreter.cpp
  SliceEnd run_slice();
  void run_split(Split& split);
  Next step(Split& split, const MicroOp& op, uint32_t mask);
  void prepare_native();
  static uint32_t access_from_native(NativeContext* context, uint32_t pc, uint32_t mask);
  void leave_native(Split& split, uint32_t first, uint32_t pc);
  void note_issued(uint32_t first, uint32_t last, uint32_t mask);
  void branch_diverged(Split& split, uint32_t pc, uint32_t taken);
  void jump_indexed(Split& split, const MicroOp& op);
  bool count_back_edge(Split& split);

  // splits.cpp
  Split* choose();
  Split& add_split(const Split& like, uint32_t pc, uint32_t mask);
  void remove_split(Split& split);
  void exit_lanes(Split& split, uint32_t mask);
  uint64_t key_of(const Split& split) const;
  void rotate(Split& split);

  // calls.cpp
  Frame* activate(uint32_t function, Frame* caller, uint32_t call_pc, uint32_t lanes);
  void refresh_specials(Frame& frame, bool all) const;
  void release_frame(Frame* frame);
  void call(Split& split, const MicroOp& op);
  void return_lanes(Split& split);
  uint32_t indirect_callee(const CallOp& call, uint32_t mask, uint32_t& group) const;
  void ensure_local(uint32_t bytes_per_thread);
  void allocate_stack(const MicroOp& op, uint32_t mask);
  void save_stack(const MicroOp& op, uint32_t mask);
  void restore_stack(const MicroOp& op, uint32_t mask);

  // memory_access.cpp
  void load(const MicroOp& op, uint32_t mask);
  void store(const MicroOp& op, uint32_t mask);
  void load_parameter(const MicroOp& op, uint32_t mask);
  void load_slot(const MicroOp& op, uint32_t mask);
  void store_slot(const MicroOp& op, uint32_t mask);
  bool access_as_known(const MicroOp& op, uint32_t mask);
  template <class AddressRow>
  bool is_as_known(KnownAccess& known, AddressRow address, uint32_t mask, uint64_t& first);
  bool is_quiet(const KnownAccess& known, uint64_t first);
  void set_pc(const MicroOp& op);
  void access_anew(const MemoryOp& op, AccessKind kind, uint32_t mask);
  void find_addresses(const MemoryOp& op, uint32_t mask, Addresses& addresses) const;
  bool transfer_at_once(const MemoryOp& op, AccessKind kind, const Addresses& addresses, uint32_t mask);
  void transfer(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask);
  void transfer_in_space(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask);
  void transfer_generic(const MemoryOp& op, AccessKind kind, Addresses& addresses, uint32_t mask);
  template <class F>
  void for_each_space(Addresses& addresses, uint32_t mask, F&& visit) const;
  void move_values(const MemoryOp& op, AccessKind kind, MemorySpace space, const Addresses& addresses,
                   uint32_t mask);
  std::byte* host_address(MemorySpace space, uint64_t address) const;

  // known_access.cpp: what is remembered of each memory instruction
  void see_pattern(KnownAccess& known);
  void learn(const MemoryOp& op, AccessKind kind, const Addresses& addresses, uint32_t mask);
  void forget_accesses();
  void observe_known(const KnownAccess& known, const MemoryOp& op, uint64_t first);
  void observe_scattered(const KnownAccess& known, const MemoryOp& op, Access& access);
  void poison_known(const MemoryOp& op);
  void transfer_known(const KnownAccess& known, const MemoryOp& op, uint64_t first);
  static void fill_known(const KnownAccess& known, const MemoryOp& op, uint64_t first, uint64_t* lanes);

  // access_checks.cpp
  // Where the access may go in shared memory: its array, when that is certain, or all the block has.
  DeviceMemory::Range shared_range(const MemoryOp& op) const {
    if (!launch_.config.bounds_checks) return {0, launch_.shared_bytes};
    return {op.shared_begin, std::min(op.shared_end, launch_.shared_bytes)};
  }
  void name_shared_array(const MemoryOp& op, BadAccess& bad) const;
  void check(const MemoryOp& op, AccessKind kind, MemorySpace space, const Addresses& addresses,
             uint32_t mask, uint32_t bytes);
  bool inside_global(const MemoryOp& op, uint64_t lowest, uint64_t end);
  void check_lanes(const MemoryOp& op, AccessKind kind, MemorySpace space, const Addresses& addresses,
                   uint32_t mask, uint32_t bytes);
  void observe(AccessKind kind, MemorySpace space, const Addresses& addresses, uint32_t mask, uint32_t bytes,
               uint32_t instruction, Ordering ordering = Ordering::weak, Scope scope = Scope::system,
               const uint64_t* lands_at = nullptr);
  void observe_values(const MemoryOp& op, AccessKind kind, MemorySpace space, const Addresses& addresses,
                      uint32_t mask);

  // atomics.cpp
  void atomic(const MicroOp& op, uint32_t mask);
  void atomic_in_space(const AtomicOp& op, MemorySpace space, Addresses& addresses, uint32_t mask);
  template <class Word>
  void update_lanes(const AtomicOp& op, MemorySpace space, const Addresses& addresses, uint32_t mask);
  void update_wide(const AtomicOp& op, MemorySpace space, const Addresses& addresses, uint32_t mask);

  // shared_owner.cpp: shared memory of the cluster's other blocks
  template <class F>
  void for_each_owner(Addresses& addresses, uint32_t mask, AccessKind kind, F&& visit);
  Block& owner_of(uint64_t shared_address, AccessKind kind, int lane) const;
  uint32_t peer_rank(MemorySpace space) const;
  void rank_of_address(const MicroOp& op, uint32_t mask) const;
  void store_async(const MicroOp& op, uint32_t mask);
  void land_stores(Block& owner, uint32_t mbarrier);
  void reduce_at(const AtomicOp& op, std::byte* at, const std::byte* value) const;

  // cluster_barrier.cpp
  void cluster_arrive(const MicroOp& op, uint32_t mask);
  Next cluster_wait(Split& split, const MicroOp& op);
  void try_complete_cluster();

  // mbarrier.cpp, mbarrier_text.cpp; what other units need of it is in mbarrier.h
  void mbarrier(const MicroOp& op, uint32_t mask);
  Next mbarrier_try_wait(Split& split, const MicroOp& op);
  MbarrierPlace mbarrier_place(const MemoryOp& op, const Addresses& addresses, int lane,
                               AccessKind kind) const;
  void mbarrier_init(const MbarrierOp& op, MbarrierPlace place, int lane);
  void mbarrier_update(const MbarrierOp& op, MbarrierPlace place, int lane);
  void tell_mbarrier(MbarrierPlace place, uint32_t mask, bool initialises = false);
  bool arrive_together(const MbarrierOp& op, const Addresses& addresses, uint32_t mask);
  uint32_t mbarrier_test(const MbarrierOp& op, uint32_t mask);
  void mbarrier_async_arrive(const MbarrierOp& op, MbarrierPlace place, int lane);
  void pending_count(const MbarrierOp& op, uint32_t mask) const;
  Mbarrier read_mbarrier(MbarrierPlace place, const Culprit& who) const;
  void write_mbarrier(MbarrierPlace place, Mbarrier object);
  void arrive_on(MbarrierPlace place, Mbarrier object, uint32_t count, const Culprit& who);
  void add_transactions(MbarrierPlace place, Mbarrier& object, int64_t bytes, const Culprit& who) const;
  MbarrierPhase& mbarrier_phase(MbarrierPlace place) const;
  void land_arrivals(Block& owner, uint32_t mbarrier);
  void deliver(MbarrierPlace place);
  void complete_transaction(MbarrierPlace place, uint32_t bytes, const Culprit& who);
  std::string mbarrier_text(MbarrierPlace place) const;
  uint64_t phase_number(MbarrierPlace place) const;
  std::string waited_text(const Block& block, const Warp& warp, const Split& split) const;

  // ordering.cpp: what observers hear of synchronisation
  void tell_synced(uint32_t mask);
  void tell_fence(const MicroOp& op, uint32_t mask);
  void tell_groups(uint32_t mask, const std::array<uint32_t, kLanes>& first,
                   const std::array<uint32_t, kLanes>& last, bool release);

  // async_copy.cpp
  void async_copy(const MicroOp& op, uint32_t mask);
  void async_commit(uint32_t mask);
  void async_wait(const MicroOp& op, uint32_t mask);
  void find_destination(const AsyncCopyOp& copy, uint32_t mask, Addresses& destination);
  void find_source(const MicroOp& op, const Addresses& destination, uint32_t mask, uint32_t whole,
                   Addresses& source);
  void write_copy(PendingCopy& copy, uint32_t mask);
  void tell_copy_begins(const Addresses& destination, uint32_t mask, uint32_t bytes);
  void tell_landed(const PendingCopy& copy, uint32_t mask);

  // bulk_issue.cpp: what threads ask the copy engine for
  void bulk_copy(const MicroOp& op, uint32_t mask);
  void bulk_commit(uint32_t mask);
  void bulk_wait(const MicroOp& op, uint32_t mask);
  void issue_bulk(const BulkOp& op, int lane);
  void issue_to_blocks(const BulkOp& op, BulkCopy&& copy, uint64_t destination, uint64_t mbarrier, int lane);
  void read_box(const BulkOp& op, BulkCopy& copy, int lane) const;
  uint64_t lane_address(const MemoryOp& op, int lane) const;

  // bulk_checks.cpp
  [[noreturn]] void bulk_fault(Fault::Kind kind, int lane, const std::string& what,
                               const std::string& advice) const;
  void check_bulk_shared(const char* what, AccessKind kind, uint64_t offset, uint64_t bytes,
                         uint32_t alignment, int lane) const;
  void check_bulk_global(const BulkCopy& copy, AccessKind kind, int lane) const;
  void check_bulk_box(const BulkOp& op, const TensorLayout& layout, int lane) const;
  void check_bulk_start(const TensorBox& box, int lane) const;
  bool is_live(uint64_t begin, uint64_t end) const;

  // bulk_move.cpp: their bytes
  void tell_bulk_begins(const BulkCopy& copy, AccessKind kind, const Block& owner, uint32_t at);
  bool land_copies(Block& block, uint32_t mbarrier);  // those that complete on it; true when there were some
  bool land_all_copies(Block& block);
  void finish_stores(Block& block);
  void land(Block& block, BulkCopy& copy);
  void read_store(Block& block, BulkCopy& copy);
  void write_store(Block& block, BulkCopy& copy);
  void limit_staged(Block& block);
  void complete_bytes(Block& block, const BulkCopy& copy);

  // tensor_map_ops.cpp
  void tensor_map(const MicroOp& op, uint32_t mask);
  std::byte* tensor_map_bytes(const MemoryOp& op, int lane) const;
  TensorLayout tensor_layout(const MemoryOp& op, int lane) const;
  void replace_field(const TensorMapOp& op, int lane);

  // registers.cpp: what is neither arithmetic nor memory
  void pack(const PackOp& op, uint32_t mask) const;
  void unpack(const PackOp& op, uint32_t mask) const;
  void is_space(const MicroOp& op, uint32_t mask) const;
  void map_shared(const MicroOp& op, uint32_t mask) const;
  void read_clock(const MicroOp& op, uint32_t mask);

  // warp_sync.cpp
  bool members_present(Split& split, const WarpOp& op);
  void release_synced();
  void join_parked(Split& split);
  uint32_t satisfied_lanes(const Split& split) const;
  uint32_t members_of(const Split& split, int lane) const;

  // warp_ops.cpp
  bool warp_op(Split& split, const MicroOp& op);
  void shuffle(const WarpOp& op, uint32_t mask) const;
  // absent_lanes.cpp: shuffles that read from a lane which does not take part
  uint32_t absent_sources(const WarpOp& op, uint32_t mask, std::array<uint8_t, kLanes>& sources) const;
  void poison_absent(const WarpOp& op, uint32_t mask, uint32_t lanes,
                     const std::array<uint8_t, kLanes>& sources);
  std::string absent_text(const UndefinedRead& read, int lane) const;
  void vote(const WarpOp& op, uint32_t mask) const;
  void match(const WarpOp& op, uint32_t mask) const;
  void redux(const WarpOp& op, uint32_t mask) const;
  void elect(const WarpOp& op, uint32_t mask) const;
  uint32_t group_of(const WarpOp& op, int lane, uint32_t mask) const {
    return op.members == kNoRow ? mask : row<uint32_t>(op.members)[lane] & mask;
  }

  // matrix/
  void matrix(Split& split, const MicroOp& op);
  void move_fragments(const MatrixOp& op);
  bool find_known_rows(const MatrixOp& op, uint32_t mask, Addresses& addresses);
  void multiply_warp(const MatrixOp& op);
  void multiply_floats(const MatrixOp& op);
  void multiply_bits(const MatrixOp& op);
  void multiply_doubles(const MatrixOp& op);
  void multiply_quarters(const MatrixOp& op);
  void multiply_sparse(const MatrixOp& op, float* sums) const;
  void move_wmma(const MatrixOp& op);
  void wmma_access(const MatrixOp& op, RowOffset value, const std::array<uint64_t, 32>& offsets);
  void issue_warpgroup(Split& split, const MatrixOp& op);
  void commit_warpgroup();
  void wait_warpgroup(Split& split, uint32_t pending_groups);
  std::span<Warp> warpgroup_of(const Warp& warp) const;
  static uint64_t issued_by_all(std::span<const Warp> warps);
  void release_warpgroup();
  void make_products(std::span<Warp> warps, uint64_t last);
  void finish_wait(Warp& warp);
  void deliver_accumulators(const Warp& warp, uint32_t finished);
  // warpgroup_product.cpp
  struct StagedRuns;
  void make_product(std::span<Warp> warps, uint64_t ordinal);
  static void add_product(WarpgroupQueue& queue, const WarpgroupEntry& entry, const float* staged_a,
                          const float* staged_b);
  void multiply_warpgroup_bits(Warp& warp, const WarpgroupEntry& entry) const;
  void stage_shared(const MatrixOp& op, uint64_t descriptor, bool is_a, const Warp& warp, uint32_t pc,
                    float* staged, StagedRuns& told) const;
  void tell_staged(const StagedRuns& staged, const Warp& warp, uint32_t pc, bool together);
  // warpgroup_checks.cpp
  void fence_warpgroup();
  void check_warpgroup_fence(const MatrixOp& op) const;
  void check_unchanged(const Warp& warp, const WarpgroupEntry& entry) const;
  void check_same_product(std::span<const Warp> warps, uint64_t ordinal) const;
  void compare_warpgroups(const Block& block) const;
  std::string stands_at(const Warp& warp) const;
  void poison_fragments(const MatrixOp& op, const Addresses& addresses, MemorySpace space);
  void watch_matrix(const MatrixOp& op);

  bool is_unreachable(uint64_t address) const;
  DeviceMemory::Range reachable_range(uint64_t address) const;

  // texture_access.cpp
  void texture(const MicroOp& op, uint32_t mask);
  void read_texture(const TextureOp& op, int lane);
  void access_surface(const TextureOp& op, int lane);
  const Texture& texture_of(const TextureOp& op, int lane) const;

  // barriers.cpp
  void block_barrier(Split& split, const BarrierOp& op);
  void arrive(Split& split, const BarrierOp& op, uint32_t id, uint32_t count);
  bool is_complete(const Barrier& barrier) const;
  void try_complete(uint32_t id);
  void complete(uint32_t id);
  void check_barriers_after_exit();

  // watched.cpp: a warp that holds values which nobody wrote, an instruction at a time
  void run_watched(Split& split);
  void watch(const MicroOp& op, uint32_t mask);
  void watch_lane(const MicroOp& op, uint32_t mask);
  void watch_memory(const MicroOp& op, uint32_t mask);
  void watch_warp_op(const MicroOp& op, uint32_t mask);
  void poison_loaded(const MemoryOp& op, const Addresses& addresses, MemorySpace space);
  void find_undefined_values(const MemoryOp& op, uint32_t mask);
  bool is_ever_read(RowOffset row);
  bool stores_globally(const MemoryOp& op, uint32_t mask) const;
  void must_be_defined(RowOffset row, uint32_t mask, const char* use);
  bool decides_at_will(RowOffset guard) const;
  void report_undefined(PoisonedRow row, uint32_t lanes, const char* use);

  // stuck.cpp: who waits where
  [[noreturn]] void report_two_barriers(const Split& split, uint32_t other_pc) const;
  [[noreturn]] void report_exited(uint32_t id) const;
  [[noreturn]] void report_stuck() const;
  std::string barrier_name(uint32_t pc) const;

  // builtins.cpp
  uint64_t allocate_on_heap(uint64_t bytes) const;
  bool release_on_heap(uint64_t address) const;
  void builtin(const CallOp& call, uint32_t mask);
  void print(const CallOp& call, uint32_t mask);
  [[noreturn]] void assert_fail(const CallOp& call, int lane) const;
  uint64_t argument(const CallOp& call, size_t index, int lane) const;
  uint32_t argument_word(const CallOp& call, size_t index, uint32_t word, int lane) const;
  void set_result(const CallOp& call, int lane, uint64_t value) const;
  std::string read_string(uint64_t address, int lane) const;
  bool read_generic(uint64_t address, int lane, std::byte* out, size_t bytes) const;

  // child_launches.cpp: kernels that launch kernels
  void child_builtin(const CallOp& call, uint32_t mask);
  uint64_t prepare_child(const CallOp& call, int lane) const;
  void write_handle(const CallOp& call, int lane);

  template <class T>
  T* row(RowOffset offset) const {
    return reinterpret_cast<T*>(registers_ + offset);
  }
  Culprit culprit(int lane) const;

  Launch& launch_;
  const Program& program_;
  NativeCode* const native_;  // nullptr: everything is interpreted
  NativeContext native_context_;
  Observer* observer_;
  bool wants_values_ = false;
  const AddressLoops& loops_;
  std::vector<DeviceMemory::Range> caches_;
  const KnownAccessLoops& known_loops_;
  std::vector<KnownAccess> known_;  // by MemoryOp::cache
  uint64_t last_pattern_ = 0;
  // By MemoryOp::seen_place, in the block that runs: the pattern that the address register was seen to have.
  std::array<uint64_t, kSeenPlaces> seen_{};
  std::vector<Access> known_observed_;  // what observers were told of it
  Access observed_;                     // what they were told last
  // By AsyncCopyOp: the copy that landed last, as observers were told, and KnownAccess::pattern of where.
  struct LandedCopy {
    uint64_t pattern = 0;
    Access access;
    uint64_t source_to = 0;  // and the pattern of where the load went that they were told last
  };
  std::vector<LandedCopy> landed_;
  std::vector<QuietAccess> never_quiet_;  // by instruction, when the observer has none
  QuietAccess* quiet_ = nullptr;          // by instruction
  ReadLog no_log_;
  ReadLog* read_log_ = &no_log_;  // of the block that runs
  uint64_t cache_generation_ = 0;

  // Where execution stands; valid inside a slice.
  Block* block_ = nullptr;
  Block* owner_ = nullptr;  // whose shared memory is accessed: nearly always block_
  Warp* warp_ = nullptr;
  Frame* frame_ = nullptr;
  std::byte* registers_ = nullptr;
  uint32_t pc_ = 0;

  int64_t slice_budget_ = 0;  // back-edges left before another warp gets its turn
  int64_t split_budget_ = 0;  // ... before another split of the warp does
  uint64_t watch_key_ = 0;    // the split running gives way at a leader with this key or a later one
  bool rotating_ = false;     // some split has a penalty: look at every leader
  bool polled_ = false;       // since the last back-edge, something other threads must answer was read
  bool polled_in_slice_ = false;
  bool yield_now_ = false;
  bool made_progress_ = false;  // in this turn, something that other threads can see has changed
  uint64_t warp_instructions_ = 0;
  bool poison_added_ = false;  // the load just made read bytes that nobody wrote
  std::unordered_map<uint64_t, bool> ever_read_;
};

}  // namespace ridge::machine
