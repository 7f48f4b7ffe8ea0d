// The texts for unordered accesses.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kRaceTexts[] = {
    {"race.shared_read_too_early",
     "A thread reads shared memory that another thread writes, and no barrier is between the two{place}.",
     "{advice}"},
    {"race.shared_written_too_early",
     "A thread writes shared memory that another thread may still read: no barrier is between the two{place}.",
     "{advice}"},
    {"race.shared_two_writes",
     "Two threads write the same place in shared memory, and nothing says which of them is first{place}.",
     "{advice} Or does the index map two elements to one place?"},
    {"race.shared_one_instruction",
     "Two threads write different values to the same place with one instruction{place}.", "{advice}"},

    {"race.wait_passed_at_once", "A wait for {mbarrier} waited for nothing, so its buffer is used too early{place}.",
     "The wait at {wait} asks for parity {parity} twice in a row, and that phase was already over: flip the "
     "parity each time the stages start again from the first."},
    {"race.mbarrier_overrun",
     "{mbarrier} gets more arrivals than init gave it, {expected} per phase, so its buffer is used too early{place}.",
     "{advice}"},
    {"race.announced_too_few",
     "A wait for {mbarrier} ended before all of its copies had landed: {announced} bytes were announced, and a copy "
     "of {bytes} bytes came later{place}.",
     "Announce the bytes of all copies of a phase with one expect_bytes, before the first of them: the sum of their "
     "sizes, in bytes."},
    {"race.waited_by_none",
     "A wgmma reads a buffer, and no warp that executes it has waited for the copy that fills it{place}.", "{advice}"},
    {"race.waited_by_some",
     "A wgmma reads a buffer, and only some of the warps that execute it have waited for the copy that fills "
     "it{place}.",
     "{advice}"},
    {"race.copy_not_waited", "A thread uses what {copy} is still filling{place}.", "{advice}"},
    {"race.copy_waited_by_others", "A thread uses what {copy} fills, and only other threads have waited for it{place}.",
     "{advice}"},
    {"race.group_not_waited", "A thread uses what {copy} is still filling{place}.", "{advice}"},
    {"race.group_not_committed", "A thread uses what {copy} is still filling: the copy was never committed{place}.",
     "{advice}"},
    {"race.wait_lets_group_through",
     "A thread uses what {copy} is still filling: the wait at {wait} lets the newest groups through{place}.",
     "{advice}"},
    {"race.store_not_waited", "Shared memory is written while a copy to global memory may still read it{place}.",
     "{advice}"},
    {"race.copy_at_exit", "A block ends while a copy still uses its shared memory{place}.", "{advice}"},
    {"race.copy_too_early", "A copy is started into a buffer that threads may still use{place}.", "{advice}"},
    {"race.two_copies", "Two copies fill the same place, and nothing says which of them is last{place}.",
     "{advice}"},
    {"race.proxy_fence",
     "The copy engine or the tensor cores may read shared memory before a thread's writes are visible to "
     "them{place}.",
     "{advice}"},

    {"race.mma_not_waited", "A buffer is written while a wgmma may still read it{place}.", "{advice}"},
    {"race.mma_not_released",
     "A buffer is written after a wgmma has read it, and nothing makes the write wait for that{place}.",
     "{advice}"},
    {"race.mma_fence", "A wgmma may use registers before the threads' writes to them{place}.", "{advice}"},
    {"race.mma_registers", "Registers are changed while a wgmma uses them{place}.", "{advice}"},

    {"race.blocks_write", "Two blocks write the same element in one launch{place}.",
     "Blocks do not wait for each other. Let every element be written by one block only: look at "
     "blockIdx in the index and at the grid; to add up what several blocks have, use atomicAdd or "
     "a second launch."},
    {"race.blocks_update", "Two blocks access the same element in one launch, and one of them "
                           "writes it{place}.",
     "{advice}"},
    {"race.loop_step",
     "Blocks {block} and {other_block} both access {element}{place}: the loop moves `{variable}` "
     "by `{step}`, and the grid has {blocks} blocks of {threads} threads.",
     "In a grid-stride loop every thread starts at its own index in the grid and moves by the number of all "
     "threads, gridDim.x * blockDim.x = {all_threads}: does `{variable}` start at blockIdx.x * blockDim.x + "
     "threadIdx.x, and is the step as large as that?"},
    {"race.blocks_read", "A block reads what another block writes in the same launch{place}.", "{advice}"},
    {"race.global_one_block",
     "Two threads of a block use the same element of global memory, one of them writes, and no barrier is "
     "between the two{place}.",
     "{advice}"},
    {"race.flag_order", "A block reads what another block writes before it can know that it is there{place}.",
     "{advice}"},

    {"race.dependency_wait",
     "A kernel reads what the kernel ahead of it in the stream writes, before it has waited for it{place}.",
     "Call cudaGridDependencySynchronize() before the first access to what the kernel ahead writes: launched with "
     "programmatic stream serialization, this one may begin while that one still runs. Only what no kernel of the "
     "chain writes may be loaded before it."},
    {"race.dependency_overwrite",
     "A kernel writes what the kernel ahead of it in the stream may still {theirs}, before it has waited for "
     "it{place}.",
     "Call cudaGridDependencySynchronize() before the first store: launched with programmatic stream serialization, "
     "this kernel may begin while the one ahead still runs."},

    {"race.peer_not_ordered",
     "Device {device} reads what device {other_device} writes, and has waited for nothing that it released{place}.",
     "{advice}"},
    {"race.peer_written_after_flag",
     "A device writes data after it has set the flag that their reader waited for{place}.", "{advice}"},
    {"race.peer_flag", "A flag between devices does not order the data that it announces{place}: {why}.", "{advice}"},
    {"race.peer_two_writes", "Two devices write the same element, and nothing orders the two{place}.", "{advice}"},
    {"race.peer_copy", "A copy races with a kernel or a copy of another device.",
     "Record an event after the one and let the other's stream wait for it (cudaEventRecord, cudaStreamWaitEvent)."},
    {"race.output_incomplete",
     "When streams[{device}] goes on, outputs[{device}] may be incomplete: another device still writes to it.",
     "Let streams[{device}] wait for every device that writes to its output: by events (cudaEventRecord in the "
     "writer's stream, cudaStreamWaitEvent), or by signals that its kernel waits for before it ends."},
    {"race.cluster_not_started",
     "A thread uses the shared memory of {owner} before that block is known to have started{place}.",
     "Put {sync} before the first use of another block's shared memory: __syncthreads() makes no other block "
     "wait."},
    {"race.cluster_access",
     "A block uses the shared memory of {owner}, and nothing orders that with an access by {other_block}{place}.",
     "Put {sync} after a block has filled its shared memory and before others read it, and again before it is "
     "overwritten: __syncthreads() makes no other block wait."},
    {"race.cluster_copy", "A copy is started into shared memory of {owner} that its threads may still use{place}.",
     "{advice}"},
    {"race.cluster_early_end", "{owner} may end while {other_block} still uses its shared memory{place}.",
     "Let no block of a cluster leave while others use its shared memory: end the kernel with {sync}."},
    {"race.mbarrier_init", "A thread uses an mbarrier before its initialisation is known to be over{place}.",
     "{advice}"},
    {"race.unordered", "Two threads use the same memory, one of them writes, and nothing orders the two{place}.",
     "{advice}"},
};
// clang-format on

}  // namespace

std::span<const FindingText> race_texts() {
  return kRaceTexts;
}

}  // namespace ridge::grade
