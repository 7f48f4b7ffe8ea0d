// The table of findings: every sentence that a grade says, by identifier. To add one: a row here, and
// Finding{"verdict.cause", {{"name", value}, ...}} where it is found. Rows are ordered by verdict.
//
// The first text says what happened, with the numbers; the second says what to do next. "{name}" is
// replaced by a value. Where a finding only adds to another one, one of its texts may be empty.
#include "harness/grade/findings/finding.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kFindingTexts[] = {
    {"compile_error.stopped", "{why}",
     "Look for a template or a constexpr function that does not end, and for very large arrays "
     "with initial values."},
    {"compile_error.one", "nvcc could not compile the file.",
     "Read the first error: later ones often follow from it."},
    {"compile_error.device_launch", "A kernel of the file launches a kernel.",
     "The course's files are compiled without -rdc=true, which that needs: launch both from the host function. "
     "`ridge nvcc -rdc=true` compiles such a program, and `ridge exec` runs it without a grade."},
    {"compile_error.several", "nvcc found {count} errors.",
     "Read the first error: later ones often follow from it."},

    {"launch_error.trap", "The kernel stopped itself{place}.", "Look at the line that stopped it."},
    {"launch_error.assertion", "An assert() in the kernel is false{place}.",
     "Look at the values the assertion names."},
    {"launch_error.unknown_instruction",
     "The kernel uses an instruction that the virtual GPU does not have yet{place}.",
     "Grade it on a GPU (--on gpu), or write that line another way."},
    {"launch_error.stopped", "The kernel was stopped{place}.", "Look at what stopped it, below."},
    {"launch_error.configuration",
     "The launch was refused: its grid or block has a size that no GPU takes.",
     "A block has 1 to 1024 threads, a grid at least 1 block, and at most 65535 blocks in y and "
     "z: print what you put in <<<...>>>."},
    {"launch_error.registers",
     "The launch was refused: a block needs more registers than there are.",
     "Use fewer threads per block, or limit the registers per thread with __launch_bounds__."},
    {"launch_error.register_pool",
     "On a GPU {kernel} would never end: the warps of a block ask for {wanted} registers with "
     "setmaxnreg, and the block was launched with {launched}.",
     "Let the warps that need few registers give some back first (warpgroup_reg_dealloc): what all "
     "warps of the block end with must not exceed what it was launched with."},
    {"launch_error.argument", "A CUDA call was refused: one of its arguments is not valid.",
     "In a launch that is the grid or block in <<<...>>> (a block has 1 to 1024 threads, a grid "
     "at least 1 block and at most 65535 in y and z) or its shared memory: print them. In another "
     "call, look at the pointers and sizes."},
    {"launch_error.assertion_on_gpu", "An assert() in the kernel is false.",
     "Its message is in what your program printed."},
    {"launch_error.kernel_failed", "The kernel failed while it ran.",
     "Grade it on the virtual GPU (--on virtual): it names the line."},
    {"launch_error.no_kernel_image", "The compiled file holds no code for this device.",
     "Grade again; if it stays, run `ridge doctor`."},
    {"launch_error.not_supported", "A CUDA function was called that is not there.",
     "Its name is in what your program printed; do without it, or grade on a GPU (--on gpu)."},
    {"launch_error.refused", "The launch was refused.", "Look at the error's name, below."},
    {"launch_error.run_failed", "The kernel failed while it ran.",
     "Look at the error's name, below."},
    {"launch_error.exited", "Your code ended the program, with exit status {status}.",
     "Return from the function in every case; what it printed before it ended may say why it did."},
    {"launch_error.crash_pointer", "Your code crashed: the program {end}.",
     "Host code used a pointer that is not its own: the arrays are in device memory, so only a "
     "kernel may read and write them."},
    {"launch_error.crash_abort", "Your code crashed: the program {end}.",
     "Something in your file called abort(), or threw an exception that was not caught."},
    {"launch_error.crash_division", "Your code crashed: the program {end}.",
     "Host code divided an integer by zero: look at how the grid is computed when the size is "
     "small."},
    {"launch_error.crash", "Your code crashed: the program {end}.",
     "Look at the host code in your file: the kernel's own errors are reported otherwise."},
    {"launch_error.over_limit", "Your code {end}.",
     "Look for memory that every call allocates and none frees, or for output that never ends."},
    {"launch_error.load", "Your file compiles, but the compiled file cannot be used.",
     "Keep the function's name, its extern \"C\" and its arguments as they were, and define all "
     "that you call."},

    {"wrong.input_changed",
     "The kernel changes its input {array}, {where}: {array}[{index}] was {before} and is now "
     "{after}.",
     "Only read {array}: it is const in the signature."},
    {"wrong.not_repeatable",
     "Two calls with the same inputs give different bits: {count} of {of} elements of {array} differ, {where}.",
     "Let the inputs alone fix the order in which floats are added: an atomic adds in the order of arrival."},
    {"wrong.counted_size", "",
     "Ask what the kernel does for {size} that it need not do for less: another block, another "
     "iteration of a loop, a buffer that is used again?"},
    {"wrong.nothing_written", "{array} still holds {held}: nothing was written there.",
     "Write every element of {array} in the kernel, and launch the kernel in the function."},
    {"wrong.transposed",
     "Rows and columns are exchanged: every element is the right one for the transposed place.",
     "Look at the index of the write: row * width + column, with the width of the array that is "
     "written."},
    {"wrong.blocks_one_element_apart",
     "Only the first {right} of {of} elements are right; all from {first} on {are}. {right} = "
     "{threads} + {more} x {step}: {blocks} blocks of {threads} threads reach that far when each "
     "begins one element after the one before, and not {threads}.",
     "Is blockIdx.x multiplied by the size of a block, blockDim.x, before threadIdx.x is added?"},
    {"wrong.blocks_gridDim_apart",
     "Only the first {right} of {of} elements are right; all from {first} on {are}. {right} = "
     "{threads} + {more} x {step}: {blocks} blocks of {threads} threads reach that far when each "
     "begins {step} elements after the one before, and not {threads}.",
     "Is blockIdx.x multiplied by gridDim.x, the number of blocks, where blockDim.x, the size of "
     "a block, is meant?"},
    {"wrong.rows_from_one_on",
     "The first {right} elements are right, and all from {first} on {are}.",
     "Look at the index: from which row on does the kernel compute another one than the row that "
     "is wanted?"},
    {"wrong.only_first_part_right",
     "Only the first {right} of {of} elements are right; all from {first} on {are}.",
     "Is that as many as one block, or one iteration of a loop, computes? Look at the number of "
     "blocks in <<<...>>>, at blockIdx in the index and at the step of the loop."},
    {"wrong.last_elements", "{which}, from {first} on.{why}",
     "Round the number of blocks up, (n + block - 1) / block, and let every thread check its "
     "index against n; with a grid of fixed size, let the threads stride over the rest."},
    {"wrong.only_first_corner_right", "Only {part} {are} right.",
     "Look at how many elements a block computes, and how far apart blocks start: does a thread "
     "compute every element?"},
    {"wrong.last_rows_or_columns", "Only {which} {are}{edge}.",
     "Round the grid up in both directions, and check row and column against their own limits "
     "(which is rows, which cols?); where a tile has several parts, look at where each begins."},
    {"wrong.one_element", "Only {element} {is}; the rest is right.",
     "Find out which thread of which block writes it, and from what."},
    {"wrong.one_range", "Only the elements from {first} to {last} {are}; the rest is right.",
     "Find out which thread of which block writes the first of them."},
    {"wrong.single_result", "Its one element is wrong.",
     "Take few inputs, work the result out by hand, and compare it with what each thread adds."},
    {"wrong.all_elements", "All {count} elements are wrong{unwritten}.",
     "Compute the first one by hand and compare it with what the kernel does for that index."},
    {"wrong.scattered", "{count} of {of} elements are wrong{unwritten}; the map below shows where.",
     "Compute the first wrong one by hand: which thread writes it, and from what?"},
    {"wrong.these_rows", "Only {which} {are}.",
     "Which threads compute these rows? Look at the row's index, its step and its limit."},
    {"wrong.these_columns", "Only {which} {are}.",
     "Which threads compute these columns? Look at the column's index, its step and its limit."},
    {"wrong.this_part", "Only {which} {are}.",
     "Which block or thread computes this part? Look at where it begins and at how many elements "
     "it computes."},
    {"wrong.chess_board", "The errors lie like the dark fields of a chess board{fields}.",
     "Every other element is left out or computed by the wrong half: look for an index that "
     "counts in steps of two, or for two buffers that alternate."},
    {"wrong.diagonal", "Only the elements {which} {are}.",
     "Row and column are compared with each other somewhere: do two threads exchange the same "
     "pair twice, or is it a mask with the wrong side?"},
    {"wrong.tile_borders", "Only {which} of every tile of {tile} x {tile} {are}.",
     "These need neighbours from the next tile: look at which threads load the halo, and from "
     "where."},
    {"wrong.one_thread_per_block", "{claim}.",
     "That is one element per block, or per warp, of {block}: thread {thread} of it. What does "
     "this thread do that others do not?"},
    {"wrong.one_element_per_stride", "{claim}.",
     "Look at the stride of the loop or of the index: does a thread compute every element?"},
    {"wrong.part_of_every_block", "{claim}.",
     "Which threads compute these? Look at what they do otherwise, and at the step from one part "
     "to the next."},
    {"wrong.warps_of_every_block", "{claim}.",
     "That is the part of {warps} in blocks of {block} threads. What is different there?"},
    {"wrong.nan",
     "{every} is NaN: it was computed from memory that holds no numbers yet, or is 0 / 0.",
     "Look at what the kernel reads: the output before it is written, or beyond the end of an "
     "input?"},
    {"wrong.infinite", "{every} is infinite: a division by 0, or more than the type can hold.",
     "Look at what is divided by, and at the type of what is added up."},
    {"wrong.zero", "{every} is {value}.",
     "Is a sum set to 0 and never added to, or is the result put where no thread stores it from?"},
    {"wrong.one_value", "{every} is {value}.",
     "Look at what is written: does it depend on the index?"},
    {"wrong.sign", "{every} has the wrong sign.",
     "Look for a - that should be a +, or the other way round."},
    {"wrong.factor_above_one", "{every} is {factor} times the right answer.",
     "Is something added or applied more than once, or the wrong factor used?"},
    {"wrong.factor_below_one", "{every} is {factor} times the right answer.",
     "Is a part of the terms left out, or the wrong factor used?"},
    {"wrong.input_copied",
     "{every} is what {input} holds at the same place: it was copied, and nothing was computed.",
     "Compute with all that the formula names before you store."},
    {"wrong.term_missing", "{every} lacks a term: with {term} added it would be right.",
     "Add {input} once."},
    {"wrong.term_twice", "{every} has a term too many: {term} was added once more than asked.",
     "Add {input} once only: does more than one thread, or more than one iteration of a loop, "
     "compute the same element?"},
    {"wrong.term_sign", "{every} is right with the sign of {term} changed.",
     "Look for a - that should be a +."},
    {"wrong.applied_twice",
     "{every} is as if the work had been done twice on what {array} held before.",
     "Two threads compute the same element, or the kernel is launched twice: look at the step of "
     "the loop and at the grid."},
    {"wrong.fraction_lost", "{every} has lost its fraction: it is a whole number.",
     "There is an int somewhere between the inputs and the output; make it a float."},
    {"wrong.imprecise",
     "The values are near, but not as near as their type can be: {count} of {of} elements are "
     "off, by up to {error} where rounding explains {allowed}.{like}",
     "Compute in the type of the arrays: no half, TF32 or approximate function in between."},
    {"wrong.terms_missing",
     "{every} is only a part of the right one, {least} to {most} of it, as if the sum lacked "
     "terms.",
     "Which terms are never added: the last iterations of the loop, other warps' parts, other "
     "blocks' parts?"},
    {"wrong.sum_zero", "The sum is 0: nothing was added to it.",
     "Follow one element: which thread reads it, what is it added to, and which thread adds that "
     "to the result?"},
    {"wrong.sum_times", "It is {factor} times the right sum.",
     "Something is added more than once: by every lane, by every thread, or by two launches?"},
    {"wrong.sum_of_first_element", "It is the first element alone.",
     "The others never reach the result: the rest of the warp, the block's other warps, or the "
     "other blocks?"},
    {"wrong.sum_of_first_part", "It is the sum of the first {part} of {of} elements.",
     "The others never reach the result: the rest of the warp, the block's other warps, or the "
     "other blocks?"},
    {"wrong.sum_of_every_nth", "It is the sum of every {nth} element of {of}, from the first on.",
     "Each group of that many elements contributes only its first one: the steps that add up the "
     "group are missing."},
    {"wrong.sum_unexplained", "It is no sum of a part that begins at the first element.",
     "Take few elements, work out by hand what every step leaves in every thread, and compare: "
     "which thread adds what, is it added once, and does its reader wait for it?"},
    {"wrong.shifted",
     "{every} holds the right answer for the place {place}: the {what} is off by {by}.",
     "Look at how the index is computed from blockIdx, blockDim and threadIdx, and whether "
     "reading and writing use the same one."},
    {"wrong.reversed", "The order is reversed: {first} has the place of {last}.",
     "Look for an index that counts down: last - i where i is meant."},
    {"wrong.rows_reversed_within", "The order is reversed within every row.",
     "Look for an index that counts down: last - i where i is meant."},
    {"wrong.rows_reversed", "The rows stand in reversed order.",
     "Look for an index that counts down: last - i where i is meant."},
    {"wrong.first_of_group", "{every} holds the right answer of the first of its group{group}.",
     "One value goes to the whole group: let each thread use its own index, not the group's "
     "first."},
    {"wrong.index_divided", "Element i holds the right answer of element i / {by}.",
     "The index on one side lacks a factor of {by}."},
    {"wrong.block_index_missing",
     "The first {period} elements come again and again: element i holds what is right for i % "
     "{period}.",
     "The index that is read lacks the block's part: blockIdx.x * blockDim.x."},
    {"wrong.index_multiplied", "Element i holds the right answer of element {by} i.",
     "The index on one side has a factor of {by} too many, or the other lacks it."},
    {"wrong.exchanged_pairs",
     "Elements have changed places with those {distance} away: element i holds what is right for "
     "i ^ {distance}.",
     "Both sides of an exchange must agree: undo a swizzle or a shuffle with the same pattern "
     "that made it."},
    {"wrong.group_reversed", "The order is reversed within every group of {group}.",
     "Look for an index that counts down within the block or the vector."},
    {"wrong.group_rotated", "Within every group of {group} the elements are rotated by one.",
     "Look at the lane or thread that a value is taken from: + 1 or - 1, wrapped at the group's "
     "end."},
    {"wrong.tile_transposed",
     "Every tile of {tile} x {tile} is in its place, but within it rows and columns are "
     "exchanged.",
     "Compare the tile's index when it is written with the index when it is read: one of the two "
     "has row and column the other way round."},
    {"wrong.tiles_exchanged",
     "Every tile of {tile} x {tile} is right within, but tiles are in each other's places, as if "
     "rows and columns of tiles were exchanged.",
     "Look at where the block's tile begins: blockIdx.x and blockIdx.y are exchanged on one side."},
    {"wrong.misplaced",
     "{every} holds a value that is right elsewhere{where}: values have changed places.",
     "Both sides must agree on where a value lies: does one side have a swizzle, a shuffle or a "
     "tile's index that the other lacks?"},
    {"wrong.above_a_size", "It is right up to {right} and wrong from {wrong} on.",
     "Ask what the kernel does for {wrong} that it need not do for {right}: another iteration of "
     "a loop, another block, data that no longer fits?"},
    {"wrong.no_multiple",
     "It is right where {size} is a multiple of {multiple}, and wrong where it is not.",
     "Find out which threads compute what is left of {size} behind the last whole {multiple}."},

    {"out_of_bounds.access", "A thread reads or writes outside an array{place}.",
     "Compare the index with the size of the array before you use it; the last block has more "
     "threads than elements."},
    {"out_of_bounds.misaligned",
     "A thread accesses a vector at an address that is not a multiple of its size{place}.",
     "A float4 needs an address that is a multiple of 16 bytes: an index that is a multiple of 4, "
     "from an aligned array."},
    {"out_of_bounds.illegal_address", "A thread reads or writes where there is no memory.",
     "Grade it on the virtual GPU (--on virtual): it names the line, the thread and the array."},
    {"out_of_bounds.misaligned_on_gpu",
     "A thread accesses a vector at an address that is not a multiple of its size.",
     "A float4 needs an index that is a multiple of 4; --on virtual names the line."},
    {"out_of_bounds.after_the_end",
     "The kernel writes outside an array, {where}: {array} has {elements} elements, and elements "
     "{first} to {last} were written.",
     "Compare the index with the size of the array before you write; the last block has more "
     "threads than elements."},
    {"out_of_bounds.before_the_start",
     "The kernel writes outside an array, {where}: {array} was written up to {elements} elements "
     "before its start.",
     "Compare the index with the size of the array before you write; the last block has more "
     "threads than elements."},

    {"race.two_writes",
     "Two threads write the same place, and nothing says which of them is first{place}.",
     "Does the index send two elements to one place? Let each thread write a place of its own; "
     "where both writes are meant, put a __syncthreads() between them."},
    {"race.blocks_write",
     "Two blocks use the same memory in one launch, and one of them writes{place}.",
     "Blocks do not wait for each other. Let every element be written by one block only: look at "
     "blockIdx in the index and at the grid; to add up what several blocks have, use atomicAdd or "
     "a second launch."},
    {"race.blocks_read", "A block reads what another block writes in the same launch{place}.",
     "Blocks run in any order and do not wait for each other: read from one array and write to "
     "another, or make two launches of it."},
    {"race.shared",
     "Two threads use the same memory at the same time, and one of them writes{place}.",
     "Put a __syncthreads() between the write and the access by another thread, or let each "
     "thread write its own place."},

    {"uninitialised.read", "A thread reads memory that nobody has written{place}.",
     "Write every element before you read it: look at edges, at the first iteration, and at "
     "shared memory's halo."},

    {"deadlock.cluster_barrier",
     "Not all threads of a cluster come to its barrier in the same way{place}.",
     "Let every thread of every block of the cluster arrive and wait equally often, one after the "
     "other: no second arrival before the wait, and neither in an if that only some threads "
     "enter."},
    {"deadlock.block_barrier", "Not all threads of a block reach the same __syncthreads(){place}.",
     "Move __syncthreads() out of the if or the loop that only some threads enter, and return "
     "early after it, not before."},
    {"deadlock.waits", "Threads wait for something that never comes{place}.",
     "Look below at where threads wait, and at what should have released them."},

    {"timeout.kernel", "A kernel ran longer than it may{place}.",
     "Look at the line below: a loop there does not end."},
    {"timeout.kernel_on_gpu", "A kernel ran longer than it may.",
     "Look for a loop that does not end."},
    {"timeout.call", "Your code did not come back within {seconds} seconds.",
     "Look for a loop that does not end, in the kernel or in the function that launches it."},

    {"slow.too_many_bytes", "The kernels ask for {times} times the bytes that the work is on.",
     "Touch every element once: more accesses than that make no count better."},
    {"slow.at_hidden_size", "{gate} This is for {size}, a size drawn for this grading.", ""},
    {"slow.copies",
     "cudaMemcpy and cudaMemset move {copied} bytes inside the call; inputs and outputs are {work}.",
     "Read the inputs and write the outputs in your kernels alone: a copy takes as long as a kernel."},
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
     "These bytes come from further away than they need to: keep what is used again in shared "
     "memory or registers.",
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
     "An instruction of a warp moves {value} bytes. With 16 bytes per lane (float4) it moves 512: "
     "fewer instructions, and more bytes in flight at any moment.",
     ""},
    {"slow.few_blocks",
     "A block runs on one SM, and an SM without a block does nothing: {value} {count} cannot fill "
     "the GPU.",
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
     "The arithmetic units wait for their operands: keep what is used again in shared memory and "
     "registers, and load what comes next while the units work."},
    {"slow.bound_by_overhead",
     "The work is bound by {bound}: an empty kernel needs {ms} ms, measured, so it is at "
     "{percent}% of its roof.",
     "There is little to do here, so every launch, wait and step that depends on another shows: "
     "use fewer of them."},
    {"slow.no_roof", "", "Look at what its warps do to memory."},
    {"slow.waits_for_the_host", "",
     "The kernel waits for the host: the function keeps it busy before its kernel starts. Launch "
     "first, and neither allocate nor wait in it."},
    {"slow.at_the_memory_roof", "",
     "It moves its bytes nearly as fast as a copy does: only moving fewer of them would help."},
    {"slow.at_the_compute_roof", "",
     "Its units are nearly always busy: only fewer operations would help."},
    {"slow.at_the_launch", "", "Little is left but the launch itself."},

    {"suspect.exited", "Your code ended the program, with exit status 0.",
     "Take out the exit(); the function must return to its caller, which then checks the result."},
    {"suspect.runner_ended", "The process that runs your code {end}.",
     "Leave files and sockets that your code did not open alone."},
    {"suspect.changes_while_compared", "{array} changed while it was compared, {where}.",
     "Finish all work before the work on your stream ends: nothing of yours may run on."},
    {"suspect.report_damaged", "The virtual GPU's report of this run cannot be read.",
     "Leave files that your code did not open alone, and grade again."},
    {"suspect.library_kernel", "The kernel {kernel} is a library's.",
     "Write the kernel yourself; its parts (cub::BlockReduce and the like) may be a library's "
     "where the rung allows them."},
    {"suspect.symbol_used", "Your file {does} ({name}), which no kernel of this course needs.",
     "Do the work in kernels of your own, on the stream that your function is given."},
    {"suspect.symbol_exported",
     "Your file exports a function named {name}, as the runtime or the C library does.",
     "Give it another name, or put it in an unnamed namespace."},
    {"suspect.tensor_cores",
     "Your file uses tensor cores ({instruction}), which this rung does without.",
     "Compute with ordinary float arithmetic: tensor cores have labs of their own."},
    {"suspect.no_kernel", "The answers are right, and no kernel was launched.",
     "Compute the result in a kernel of your own."},
    {"suspect.foreign_kernel", "A kernel ran that your file does not have: {kernel}.",
     "Launch only kernels of your file."},
    {"suspect.report_incomplete",
     "{what} made {made} launches, and {found} are in the virtual GPU's report.",
     "Leave the virtual GPU's report and the descriptors that your code did not open alone."},
    {"suspect.report_summaries",
     "The virtual GPU's report has {found} summaries of the counted call instead of 1.",
     "Leave the virtual GPU's report and the descriptors that your code did not open alone."},
    {"suspect.report_doubled", "Launch {number} is in the virtual GPU's report twice.",
     "Leave the virtual GPU's report and the descriptors that your code did not open alone."},
    {"suspect.report_forged",
     "The report of a launch does not add up: it is not the virtual GPU's.",
     "Leave descriptors that your code did not open alone."},
    {"suspect.too_few_bytes",
     "The kernels touched {touched} bytes, and the work is on {work}: something else did it.",
     "Read every input and write every output in kernels of your own."},
    {"suspect.too_few_operations",
     "The kernels can have done {done} operations at most, and the work has {work}: something "
     "else did it.",
     "Compute the result in kernels of your own."},
    {"suspect.reply",
     "The process that runs your code sent an answer that is not one of the runner's.",
     "Leave files and sockets that your code did not open alone."},
    {"suspect.process_changed", "The answers are right, but your code {change}.",
     "Compute in kernels on the stream that your function is given, and return: leave the process "
     "as it was."},

    {"pass.counted", "The answers are right for {cases} size{s}{gates}.",
     "Go on to the next rung."},

    {"skipped.no_memory", "There was no room to run it.",
     "Free device memory (is another program using it?), or grade on the virtual GPU (--on "
     "virtual)."},
    {"skipped.no_library",
     "The answers are right; to time them {library} is needed, which is not on this machine.",
     "`ridge doctor` says how to get it; without it, grade on the virtual GPU (--on virtual)."},
    {"skipped.no_gpu", "A GPU is needed, and {why}.",
     "Count on the virtual GPU instead: --on virtual. `ridge doctor` says what is missing."},
    {"skipped.no_gpu_to_grade", "A GPU is needed, and {why}.",
     "Grade on the virtual GPU: --on virtual. `ridge doctor` says what is missing."},
    {"skipped.no_skeleton", "There is no file {file}.",
     "`ridge reset {rung}` puts the skeleton there."},
    {"skipped.no_file", "There is no file {file}.",
     "`git checkout` or a fresh clone brings it back."},
};
// clang-format on

}  // namespace

std::span<const FindingText> finding_texts() {
  return kFindingTexts;
}

}  // namespace ridge::grade
