// The texts for threads that wait forever, and for kernels that do not end.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kWaitingTexts[] = {
    {"deadlock.cluster_barrier",
     "Not all threads of a cluster come to its barrier in the same way{place}.",
     "Let every thread of every block of the cluster arrive and wait equally often, one after the "
     "other: no second arrival before the wait, and neither in an if that only some threads "
     "enter."},
    {"deadlock.block_barrier", "Not all threads of a block reach the same __syncthreads(){place}.", "{advice}"},
    {"deadlock.barrier_in_branch",
     "{missing} of the block's {threads} threads do not reach this __syncthreads(): it is inside "
     "`if ({condition})`{place}.",
     "Take the __syncthreads() out of the `if`: every thread of the block has to reach it."},
    {"deadlock.barrier_in_loop",
     "{missing} of the block's {threads} threads do not reach this __syncthreads(): its loop, `{condition}`, runs "
     "less often for them{place}.",
     "Let the loop run equally often for all threads of the block, and put the condition around the work inside "
     "it."},
    {"deadlock.return_before_barrier",
     "{missing} of the block's {threads} threads return before they reach this __syncthreads(){place}.",
     "Do not return before a __syncthreads(): let threads without work skip the work and reach the barrier."},
    {"deadlock.two_barriers", "Lanes of one warp wait at two different barriers{place}.",
     "Let all threads of the block reach the same __syncthreads(): take it out of the two branches and put one "
     "behind them."},
    {"deadlock.named_barrier", "The threads of a named barrier do not fit its number or its thread count{place}.",
     "{advice}"},
    {"deadlock.barrier", "Not all threads that a barrier waits for reach it{place}.", "{advice}"},
    {"deadlock.warp_lanes", "A warp operation names lanes that do not execute it{place}.", "{advice}"},
    {"deadlock.matrix_lanes", "A matrix instruction is not reached by all lanes of its warp{place}.", "{advice}"},
    {"deadlock.warpgroup", "A wgmma is not executed by all four warps of its warpgroup{place}.", "{advice}"},
    {"deadlock.warpgroup_descriptors", "The warps of a warpgroup give one wgmma different operands{place}.",
     "{advice}"},
    {"deadlock.mbarrier_arrivals",
     "{mbarrier} gets more arrivals than init gave it, {expected} per phase{place}.",
     "Count the arrivals of one phase: how many threads execute this line, and does each of them wait for the "
     "phase before it arrives again? Also compare the stage's index with the one that is waited for: it has to "
     "advance."},
    {"deadlock.wait_passed_at_once",
     "A wait for {mbarrier} waited for nothing, and then threads wait for a phase that never completes{place}.",
     "The wait at {wait} asks for parity {parity} twice in a row, and that phase was already over: flip the "
     "parity each time the stages start again from the first."},
    {"deadlock.mbarrier_overrun",
     "{mbarrier} gets more arrivals than init gave it, {expected} per phase, and threads wait for a phase that is "
     "long over{place}.",
     "Count the threads that arrive in one phase (one per warp, or all of them?), and give init that number."},
    {"deadlock.announced_too_few",
     "A phase of {mbarrier} ended before all of its copies had landed: {announced} bytes were announced, and a copy "
     "of {bytes} bytes came later; then threads wait for a phase that never completes{place}.",
     "Announce the bytes of all copies of a phase with one expect_bytes, before the first of them: the sum of their "
     "sizes, in bytes."},
    {"deadlock.first_phases",
     "Every thread waits for the first phase of an mbarrier, so none arrives: the one that is to fill the buffers "
     "waits at {wait} for {mbarrier} with parity {parity}{place}.",
     "A buffer that was never used is empty, so the first wait for it must pass: wait for the other parity in the "
     "first pass through the stages (parity 1, then 0: the phase before the first one counts as complete)."},
    {"deadlock.mbarrier_index", "The line names `{named}`, and the address is that of {mbarrier}{place}.",
     "Print the index: an index below 0 or beyond the last stage leads into the neighbouring array of mbarriers."},
    {"deadlock.mbarrier_uninitialised", "A thread uses {mbarrier}, which is not initialised{place}.", "{advice}"},
    {"deadlock.mbarrier_use", "An mbarrier is used in a way that it does not allow{place}.", "{advice}"},
    {"deadlock.mbarrier_phase", "Threads wait for a phase of an mbarrier that never completes{place}.",
     "Look below at what it still needs: arrivals (how many threads arrive, and init's count), bytes (what "
     "was announced, and what the copies bring), or another parity."},
    {"deadlock.waits", "Threads wait for something that never happens{place}.", "{advice}"},

    {"timeout.endless_loop",
     "A kernel ran longer than the {seconds} s that it may; {done} of its {blocks} blocks ended, "
     "and then no more did{place}.",
     "Look at the line below and the loop around it: does its condition ever become false, and does its variable "
     "move in the right direction?"},
    {"timeout.too_much_work",
     "A kernel ran longer than the {seconds} s that it may; {done} of its {blocks} blocks "
     "ended{place}.",
     "Its loops end, so it does too much: does every thread repeat the work of all others, or does the grid have "
     "many more blocks than the work needs?"},
    {"timeout.kernel", "A kernel ran longer than it may{place}.", "{advice}"},
    {"timeout.many_launches",
     "Your function did not return within {seconds} seconds; by then it had launched {launches} "
     "kernels.",
     "Look for a loop around the launch that does not end, or that runs once per element."},
    {"timeout.kernel_on_gpu", "A kernel ran longer than it may.",
     "Look for a loop that does not end."},
    {"timeout.load",
     "Your file was not loaded within {seconds} seconds: code that runs before your function is called does not end.",
     "Look for a loop in a constructor or in the first value of a global variable, and do that work in the "
     "function."},
    {"timeout.call", "Your code did not return within {seconds} seconds.",
     "Look for a loop that does not end, in the kernel or in the function that launches it."},
};
// clang-format on

}  // namespace

std::span<const FindingText> waiting_texts() {
  return kWaitingTexts;
}

}  // namespace ridge::grade
