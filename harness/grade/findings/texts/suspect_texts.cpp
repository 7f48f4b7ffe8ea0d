// The texts for answers that do not come from the file's kernels.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kSuspectTexts[] = {
    {"suspect.exited", "Your code ended the program, with exit status 0.",
     "Remove the exit(): the function must return to its caller, which then checks the result."},
    {"suspect.runner_ended", "The process that runs your code {end}.",
     "Do not use files or sockets that your code did not open."},
    {"suspect.changes_while_compared", "{array} changed while it was compared, {where}.",
     "Finish all work before the work on your stream ends: nothing of yours may run on."},
    {"suspect.report_damaged", "The virtual GPU's report of this run cannot be read.",
     "Do not use files that your code did not open, and grade again."},
    {"suspect.library_kernel", "The kernel {kernel} belongs to a library.",
     "Write the kernel yourself; its parts (cub::BlockReduce and the like) may come from a "
     "library if the rung allows them."},
    {"suspect.symbol_used", "Your file {does} ({name}), which no kernel of this course needs.",
     "Do the work in kernels of your own, on the stream that your function is given."},
    {"suspect.symbol_exported",
     "Your file exports a function named {name}, which the runtime or the C library also "
     "exports.",
     "Give it another name, or put it in an unnamed namespace."},
    {"suspect.tensor_cores",
     "Your file uses tensor cores ({instruction}), which this rung does not allow.",
     "Compute with ordinary float arithmetic: tensor cores have labs of their own."},
    {"suspect.no_kernel", "The answers are right, and no kernel was launched.",
     "Compute the result in a kernel of your own."},
    {"suspect.foreign_kernel", "A kernel ran that is not in your file: {kernel}.",
     "Launch only kernels of your file."},
    {"suspect.default_stream",
     "{kernel} was launched on the default stream, and not on the stream that your function is "
     "given: its work is not ordered with the caller's, and on a GPU it is not timed.",
     "Name the stream in the launch: <<<blocks, threads, shared_bytes, stream>>>, with 0 for no dynamic shared "
     "memory."},
    {"suspect.left_running",
     "Your function returned while work that {call} put on a stream of its own could still be running, {where}: the "
     "stream that it was given does not wait for it.",
     "Put the work on the given stream, or join the two before you return: cudaEventRecord on your stream, "
     "cudaStreamWaitEvent on the given one."},
    {"suspect.left_on_default_stream",
     "{call} was called without the stream that your function is given, {where}: on the default stream its work is "
     "not ordered with your kernels, which may begin before it has ended.",
     "Pass the given stream: the last argument of a call whose name ends with Async, the second of cudaGraphLaunch."},
    {"suspect.report_incomplete",
     "{what} made {made} launches, and {found} are in the virtual GPU's report.",
     "Do not touch the virtual GPU's report, or descriptors that your code did not open."},
    {"suspect.report_summaries",
     "The virtual GPU's report has {found} summaries of the counted call instead of 1.",
     "Do not touch the virtual GPU's report, or descriptors that your code did not open."},
    {"suspect.report_doubled", "Launch {number} is in the virtual GPU's report twice.",
     "Do not touch the virtual GPU's report, or descriptors that your code did not open."},
    {"suspect.report_forged",
     "The report of a launch is inconsistent: the virtual GPU did not write it.",
     "Do not use descriptors that your code did not open."},
    {"suspect.too_few_bytes",
     "The kernels touched {touched} bytes, and the problem has {work}: something else did the "
     "work.",
     "Read every input and write every output in kernels of your own."},
    {"suspect.too_few_operations",
     "The kernels can have done at most {done} operations, and the problem needs {work}: "
     "something else did the work.",
     "Compute the result in kernels of your own."},
    {"suspect.reply",
     "The process that runs your code sent an answer that is not one of the runner's.",
     "Do not use files or sockets that your code did not open."},
    {"suspect.clocks_changed",
     "The process that runs your code says that a call takes {device_ms} ms, and by the clock outside it {host_ms} "
     "ms: its clocks were changed.",
     "Leave the clocks and the CUDA runtime of the process as they are."},
    {"suspect.work_off_the_clock",
     "The GPU's clock saw {device_ms} ms of work and the host's {host_ms} ms: some work ran "
     "outside the timed stream.",
     "Launch everything on the stream that your function is given, and do not wait or allocate in it."},
    {"suspect.uneven_calls",
     "Most calls take {usual_ms} ms, and all together {mean_ms} ms each: some do the work of others.",
     "Do the work of a call in that call, all of it."},
    {"suspect.kept_answers",
     "A call takes {seen_ms} ms on inputs that it has seen before, and {other_ms} ms on others: it keeps answers.",
     "Compute every answer from the inputs of its call."},
    {"suspect.faster_than_memory",
     "{time_ms} ms is faster than this device can move the data ({floor_ms} ms at its peak).",
     "Check that every element is read and computed in every call."},
    {"suspect.uses_the_library",
     "Your code takes {beside_ms} ms where {library} is loaded, and {alone_ms} ms in a process where it never was: "
     "it uses the library's.",
     "Do the work in kernels of your own file: the library is only there for comparison."},
    {"suspect.second_process_changed",
     "The answers are right, but in a second process, where {library} was never loaded, your code {change}.",
     "Do the work in kernels of your own file: the library is only there for comparison."},
    {"suspect.process_changed", "The answers are right, but your code {change}.",
     "Compute in kernels on the stream that your function is given, and return: leave the process "
     "as it was."},
};
// clang-format on

}  // namespace

std::span<const FindingText> suspect_texts() {
  return kSuspectTexts;
}

}  // namespace ridge::grade
