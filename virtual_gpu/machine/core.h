// The executor of one host thread: schedules the warps of a block and executes their instructions,
// with one unit for each other part of the machine. It owns no data of a block, so a block can be
// suspended and another one continued.
#pragma once

#include "virtual_gpu/machine/barriers/block_barriers.h"
#include "virtual_gpu/machine/barriers/mbarriers.h"
#include "virtual_gpu/machine/copy_engine/copy_engine.h"
#include "virtual_gpu/machine/execution_context.h"
#include "virtual_gpu/machine/matrix/matrix_unit.h"
#include "virtual_gpu/machine/memory/atomic_unit.h"
#include "virtual_gpu/machine/memory/memory_unit.h"
#include "virtual_gpu/machine/native/native_code.h"
#include "virtual_gpu/machine/texture/texture_unit.h"

namespace ridge::machine {

class Core final : public MachineView, private PendingDeliveries {
 public:
  Core(Launch& launch, Observer* observer);

  const std::byte* registers() const override { return context_.registers; }
  const std::byte* shared_window() const override { return context_.owner->shared.get(); }
  uint32_t running_warp() const override { return context_.warp->index; }
  uint64_t running_block_index() const override { return context_.block->linear; }
  const void* frame() const override { return context_.frame; }
  void step_warp(bool on) override;
  void step_block() override;
  std::optional<CopyClash> copy_clash(uint64_t block, uint64_t begin, uint64_t end) const override {
    return copies_.copy_clash(block, begin, end);
  }
  std::optional<CopyClash> landed_clash(uint64_t block, uint64_t begin,
                                        uint64_t end) const override {
    return copies_.landed_clash(block, begin, end);
  }

  void begin_cluster(Cluster& cluster, uint64_t linear);
  SliceOutcome run_cluster_slice(Cluster& cluster);
  const Block& running_block() const { return *context_.block; }
  const ExecutionContext& context() const { return context_; }
  bool made_progress() const { return context_.made_progress; }
  // These describe the last time slice, see grid/time_slices.h.
  bool slice_is_over() const { return context_.slice_is_over; }
  bool shares_work() const { return context_.shares_work; }
  bool ends_waiting() const { return context_.ends_waiting; }
  void begin_slice(bool others_wait, bool one_signal, bool must_share_work) {
    ++context_.slice;
    context_.others_wait = others_wait;
    context_.one_signal = one_signal;
    context_.must_share_work = must_share_work;
    context_.slice_is_over = context_.shares_work = context_.ends_waiting = false;
  }
  uint64_t warp_instructions() const { return warp_instructions_; }
  // Describes the parked and polling threads of a block, one line each, for the message of a
  // deadlock.
  void describe_waiting(const Block& block, std::string& text, int& lines_left) const;
  Culprit first_waiting(const Block& block) const;
  // An earlier mistake at the block's mbarriers that explains the deadlock, as a sentence; `cause`
  // is set accordingly.
  std::string earlier_mistake(const Block& block, FaultCause& cause) const;
  // The same for threads that wait forever, which may also wait for each other.
  std::string mistake_before_deadlock(const Block& block, FaultCause& cause) const;
  // True when some of its threads wait for an mbarrier.
  bool waits_for_mbarrier(const Block& block) const;

  Fault observed_fault(const Block& block, const ObservedFault& seen) const;
  [[noreturn]] void fault(Fault::Kind kind, const Culprit& culprit, const std::string& what,
                          const std::string& advice, FaultCause cause = {}) const {
    context_.fault(kind, culprit, what, advice, std::move(cause));
  }
  // Something that an observer saw earlier in the running block and that explains a fault better
  // than the fault itself.
  std::optional<Fault> likely_cause() const;

 private:
  void land(Block& block, uint32_t mbarrier) override;  // of PendingDeliveries
  enum class SliceEnd : uint8_t { parked, spinning, busy };

  // Defined in block.cpp.
  void begin_block(Block& block, Dim3 index);
  SliceOutcome run_block(Block& block);
  void begin_warp(Warp& warp, uint32_t index);
  void check_limits();
  // How long this thread had waited for a processor at the first check of the launch; below 0: not
  // checked yet.
  double waited_before_s_ = -1;

  // Defined in interpreter.cpp.
  SliceEnd run_slice();
  void run_split(Split& split);
  void step_instruction(Split& split);
  Next step(Split& split, const MicroOp& op, uint32_t mask);
  void show_operands(const MicroOp& op, uint32_t mask) const;
  void prepare_native();
  static uint32_t access_from_native(NativeContext* context, uint32_t pc, uint32_t mask);
  void leave_native(Split& split, uint32_t first, uint32_t pc);
  void record_issued(uint32_t first, uint32_t last, uint32_t mask);
  void branch_diverged(Split& split, uint32_t pc, uint32_t taken);
  void jump_indexed(Split& split, const MicroOp& op);
  bool count_back_edge(Split& split);
  bool lets_others_run(const MicroOp& op, uint32_t mask);

  // Defined in splits.cpp.
  Split* choose();
  void remove_split(Split& split);
  void exit_lanes(Split& split, uint32_t mask);
  uint64_t key_of(const Split& split) const;

  // Defined in calls.cpp.
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

  // Defined in ordering.cpp: synchronisation events for observers.
  void notify_synced(uint32_t mask);
  void notify_fence(const MicroOp& op, uint32_t mask);

  // Defined in registers.cpp: register operations other than arithmetic and memory.
  void pack(const PackOp& op, uint32_t mask) const;
  void unpack(const PackOp& op, uint32_t mask) const;
  void is_space(const MicroOp& op, uint32_t mask) const;
  void map_shared(const MicroOp& op, uint32_t mask);
  void read_clock(const MicroOp& op, uint32_t mask);

  // Defined in warp_sync.cpp.
  bool members_present(Split& split, const WarpOp& op);
  void release_synced();
  void join_parked(Split& split);
  uint32_t satisfied_lanes(const Split& split) const;
  uint32_t members_of(const Split& split, int lane) const;

  // Defined in joint_votes.cpp.
  const WarpOp* waiting_vote(const Split& split) const;
  uint32_t lanes_of_joint_vote(const Split& split) const;
  void release_joint_vote();

  // Defined in warp_ops.cpp.
  bool warp_op(Split& split, const MicroOp& op);
  void shuffle(const WarpOp& op, uint32_t mask) const;
  void shuffle_whole_warp(const WarpOp& op);
  uint32_t absent_sources(const WarpOp& op, uint32_t mask,
                          std::array<uint8_t, kLanes>& sources) const;
  void observe_absent(const WarpOp& op, uint32_t mask) const;
  void vote(const WarpOp& op, uint32_t mask) const;
  static void write_vote(const WarpOp& op, uint32_t said,
                         const std::array<uint32_t, kLanes>& groups, uint32_t mask,
                         uint32_t* result_row);
  void match(const WarpOp& op, uint32_t mask) const;
  void redux(const WarpOp& op, uint32_t mask) const;
  void elect(const WarpOp& op, uint32_t mask) const;
  uint32_t group_of(const WarpOp& op, int lane, uint32_t mask) const {
    return op.members == kNoRow ? mask : context_.row<uint32_t>(op.members)[lane] & mask;
  }

  // Defined in stuck.cpp: blocked warps.
  [[noreturn]] void report_stuck() const;

  // Defined in builtins.cpp.
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

  // Defined in child_launches.cpp: kernels that launch kernels.
  void child_builtin(const CallOp& call, uint32_t mask);
  uint64_t prepare_child(const CallOp& call, int lane) const;
  void write_result(const CallOp& call, int lane, uint64_t value, uint32_t bytes);

  ExecutionContext context_;
  AddressSpaces spaces_;
  AccessCaches caches_;
  MemoryUnit memory_;
  Mbarriers mbarriers_;
  AtomicUnit atomics_;
  CopyEngine copies_;
  MatrixUnit matrix_;
  TextureUnit textures_;
  BlockBarriers barriers_;
  NativeCode* const native_;  // nullptr: everything is interpreted
  NativeContext native_context_;
  uint64_t join_key_ = 0;  // the running split stops at a leader with at least this key
  uint64_t warp_instructions_ = 0;
  // For shuffles of a complete warp, by mode, distance and segments.
  struct ShuffleSources {
    uint32_t key = 0, inside = 0;
    std::array<uint32_t, kLanes> lanes{};
  };
  std::array<ShuffleSources, 16> shuffle_sources_;
};

}  // namespace ridge::machine
