// The texts for correct but slow kernels.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kSlowTexts[] = {
    {"slow.too_many_bytes", "The kernels request {times} times the bytes of the problem.",
     "Access every element once: further accesses improve no count."},
    {"slow.at_hidden_size", "{gate} This is for {size}, a size drawn for this grading.", ""},
    {"slow.at_other_size", "{gate} This is for {size}: the rung has limits of its own for this size.", ""},
    {"slow.copies",
     "cudaMemcpy and cudaMemset move {copied} bytes inside the call; inputs and outputs are {work}.",
     "Read the inputs and write the outputs in your kernels alone: a copy takes as long as a kernel."},
    {"slow.measured", "The answers are right, at {percent}% of {baseline} ({time_ms} ms, {rate}); {pass}% passes.{bound}",
     ""},
    {"slow.second_baseline",
     "The answers are right, and {percent}% of {baseline} would pass, but it is only {times} times as fast as {second}; "
     "{at_least} times passes.",
     "Both baselines ran in the same rounds. Count the bytes that each of the two moves, and look at what your kernel "
     "does beside moving them."},
    {"slow.gate", "The answers are right, but {count} is {value}, and {limit}.", ""},
    {"slow.line_in_shared_memory",
     "{requests} warp accesses ({space} {kind}) take {found} wavefronts where {ideal} would do, "
     "{times} times as many",
     ""},
    {"slow.line_in_global_memory",
     "{requests} warp accesses ({space} {kind}) touch {found} sectors of 32 bytes where {ideal} "
     "would do, {times} times as many",
     ""},
    {"slow.far_bytes",
     "These bytes come from a lower level than necessary: keep reused data in shared memory or "
     "registers.",
     ""},
    {"slow.sectors",
     "Memory moves whole sectors of 32 bytes. The threads of a warp make one request together, "
     "and the addresses of this request are scattered: {times} times the sectors cross the bus "
     "for the same bytes.",
     ""},
    {"slow.bank_conflicts",
     "Shared memory has 32 banks of 4 bytes. Lanes that want different words of one bank wait for "
     "each other: this line takes {times} wavefronts where 1 would do.",
     ""},
    {"slow.narrow_requests",
     "An instruction of a warp moves {value} bytes. With 16 bytes per lane (float4) it moves "
     "512: fewer instructions, and more bytes in flight.",
     ""},
    {"slow.round_trips",
     "A warp that waits for a load before it issues the next one waits for the memory once more, with "
     "nothing in flight. Issue the loads of several vectors first, and use the first one then.",
     ""},
    {"slow.few_blocks",
     "A block runs on one SM, and an SM without a block does nothing: {value} {count} cannot fill "
     "the GPU.",
     ""},
    {"slow.busiest_block",
     "A block runs on one SM. While the block with most of the work computes, the SMs without such a block do "
     "nothing, however many blocks the grid has.",
     ""},
    {"slow.many_blocks",
     "{value} {count} each do little, and each block that ends is replaced by one that starts "
     "from scratch. A grid of the machine's size starts once, and its threads stride over the "
     "elements.",
     ""},
    {"slow.registers",
     "A thread uses {registers} registers. What does not fit goes to local memory, which is off "
     "the chip; and the more a thread has, the fewer warps an SM holds.",
     ""},
    {"slow.divergence",
     "When lanes of a warp take different branches, the warp executes one branch after the other, "
     "and the lanes of the other branch wait.",
     ""},
    {"slow.issue",
     "Each quarter of an SM issues one instruction per cycle: one that is not needed takes the "
     "place of one that is.",
     ""},
    {"slow.launches",
     "Each launch costs some microseconds in which the GPU may have nothing to do.", ""},
    {"slow.api_calls",
     "Each call of the runtime costs the host about as long as a small kernel runs, and the GPU waits for it: "
     "{value} calls for each step.",
     ""},
    {"slow.kernels_per_step",
     "Between two kernels the GPU drains and fills again. One kernel can execute all steps, with a barrier of all "
     "its blocks between two steps.",
     ""},
    {"slow.synchronizations",
     "The host waits {value} times for the GPU inside the call, and the GPU has nothing to do until the host has "
     "launched again. Work of one stream is in order without it.",
     ""},
    {"slow.allocations",
     "cudaMalloc and cudaFree cost more than a small kernel, and cudaFree waits for the GPU: allocate once, before "
     "the loop, and keep it for the next call.",
     ""},
    {"slow.no_graph",
     "Every kernel was launched by itself. A graph is captured once, and one call launches all of its kernels.", ""},
    {"slow.graph_instantiations",
     "An instantiation costs as much as tens of launches: {value} of them. Make the graph once, and change the "
     "parameters of its nodes.",
     ""},
    {"slow.no_early_launches",
     "Most kernels begin only after the one ahead of them has ended: the launch must say that they may begin "
     "early (cudaLaunchAttributeProgrammaticStreamSerialization).",
     ""},
    {"slow.late_loads",
     "What no kernel of the chain writes need not wait: load it before cudaGridDependencySynchronize(), so that it "
     "arrives while the kernel ahead ends.",
     ""},
    {"slow.no_trigger",
     "The next kernel begins when every block has called cudaTriggerProgrammaticLaunchCompletion() or has ended: "
     "without the call it begins no earlier than an ordinary launch.",
     ""},
    {"slow.atomic_answers",
     "An atomic that returns the old value waits for a round trip to L2; an arrival at a barrier needs no answer "
     "(red instead of atom), because every block knows the total number of arrivals.",
     ""},
    {"slow.reloaded_state",
     "A thread loads again what it has just computed: what only it needs can stay in a register from step to step.",
     ""},
    {"slow.link_traffic",
     "A device sends or receives more over its links than it must, and the busiest device determines the time.",
     ""},
    {"slow.link_requests",
     "A request between devices moves whole sectors of a line of 128 bytes: neighbouring lanes should access "
     "neighbouring addresses, so that each request fills its line.",
     ""},
    {"slow.pulled",
     "A load from another device waits for a round trip over the link; a lane does not wait for its stores.", ""},
    {"slow.pushed", "Most bytes are stored to other devices by their sender.", ""},
    {"slow.many_links", "A device sends to {value} others; in a ring it sends to its neighbour only.", ""},
    {"slow.few_links", "Most links carry nothing while the others work.", ""},
    {"slow.separate_flags",
     "Data with a separate flag cross the link first, and the flag follows them after a barrier of the block and a "
     "release.",
     ""},
    {"slow.link_polls",
     "Each poll of a signal in another device's memory takes a round trip over the link, and keeps the link busy. "
     "Put a signal into the memory of the device that waits for it.",
     ""},
    {"slow.divergent_line",
     "{place}: in {part}% of {executions} executions the lanes of a warp diverge here, and one "
     "part waits for the other; in all instructions together {idle}% of the lanes are inactive.",
     ""},
    {"slow.spills",
     "{registers} registers per thread do not suffice: {stores} stores and {loads} loads of "
     "spilled values.",
     ""},
    {"slow.occupancy",
     "An SM holds {warps} of these warps at once, {part}% of its maximum; the limit is set by "
     "{limit}.",
     ""},
    {"slow.loaded_again",
     "The loads ask for {bytes} bytes, {times} times what there is to read and write: most bytes "
     "are loaded again and again.",
     ""},
    {"slow.bound_by_memory",
     "The work is bound by {bound}: its bytes need {ms} ms at {rate}, so it is at {percent}% of "
     "its roof.",
     "Each byte should cross the bus once, in whole sectors, with many in flight at any moment."},
    {"slow.bound_by_compute",
     "The work is bound by {bound}: its operations need {ms} ms at the {rate} rate, so it is at "
     "{percent}% of its roof.",
     "The arithmetic units wait for their operands: keep reused data in shared memory and "
     "registers, and load the next data while the units work."},
    {"slow.bound_by_overhead",
     "The work is bound by {bound}: an empty kernel needs {ms} ms, measured, so it is at "
     "{percent}% of its roof.",
     "The work is small, so the cost of every launch, wait and dependent step is visible: use "
     "fewer of them."},
    {"slow.no_roof", "", "Look at what its warps do to memory."},
    {"slow.waits_for_the_host", "",
     "The kernel waits for the host: the function keeps it busy before its kernel starts. Launch "
     "first, and neither allocate nor wait in it."},
    {"slow.at_the_memory_roof", "",
     "It moves its bytes nearly as fast as a copy does: only moving fewer of them would help."},
    {"slow.at_the_compute_roof", "",
     "Its units are nearly always busy: only fewer operations would help."},
    {"slow.at_the_launch", "", "Little is left but the launch itself."},
};
// clang-format on

}  // namespace

std::span<const FindingText> slow_texts() {
  return kSlowTexts;
}

}  // namespace ridge::grade
