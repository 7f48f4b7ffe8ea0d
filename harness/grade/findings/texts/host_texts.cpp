// The texts for functions that do their host work themselves: copies, waits, memory.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kHostTexts[] = {
    {"wrong.copied_before_launch",
     "{call}() copied the result to the host before any kernel was launched, {where}.",
     "The order is: allocate, copy the inputs to the device, launch, copy the result back, free."},
    {"race.copied_early",
     "{call}() copied the result to the host, and nothing orders it after the kernel, {where}: the kernel may "
     "still be writing.",
     "Copy in the kernel's stream, or wait for that stream first (cudaStreamSynchronize, or an event). The default "
     "stream does not wait for streams that were made with cudaStreamNonBlocking."},
    {"race.returned_early",
     "Your function returned while the work of {call}() could still be under way, {where}: it waited for earlier "
     "work only.",
     "The caller reads the result at once. Wait after the last call that adds work, not before it "
     "(cudaStreamSynchronize, cudaDeviceSynchronize)."},
    {"race.never_waits",
     "Your function never waits for the GPU: it returned while the work of {call}() could still be under way, "
     "{where}.",
     "Launches and cudaMemcpyAsync only add work to a queue. Wait before you return (cudaStreamSynchronize, "
     "cudaDeviceSynchronize), or use cudaMemcpy, which returns when it has copied."},
    {"wrong.never_copied_back",
     "No result was copied to the host's array, {where}: it is as it was before the call.",
     "The kernel writes to device memory. Copy from there to the host's array with cudaMemcpy and "
     "cudaMemcpyDeviceToHost."},
    {"wrong.not_freed",
     "The answers are right, and {count} {are} not freed when your function returns, {where}: {bytes} bytes.",
     "Call cudaFree for each pointer that cudaMalloc gave, on every way out of the function."},
    {"wrong.left_allocated",
     "The answers are right, and {count} {are} not freed after a second call with the same sizes, {where}: {bytes} "
     "bytes. Every call takes more memory.",
     "Free in the stream what the call allocated (cudaFreeAsync after the last launch that uses it), or keep one "
     "allocation for all calls."},
    {"wrong.no_warm_up", "The first launch of the kernel was a part of what you timed, {where}.",
     "The first launch may also load the kernel's code. Launch once and leave that out: record the first event after "
     "it, and launch again."},
    {"wrong.time_of_all",
     "You reported {reported} ms, {where}: that is what all timed launches took together; one took {measured} ms.",
     "Divide by the number of launches between the two events."},
    {"wrong.time_unit",
     "You reported {reported}, {where}; a launch of the kernel took {measured} ms.",
     "cudaEventElapsedTime gives milliseconds, and milliseconds are wanted."},
    {"wrong.time_of_launch",
     "You reported {reported} ms, {where}; a launch of the kernel took {measured} ms.",
     "A launch returns long before its kernel has run, and an event has no time before the GPU has reached it: wait "
     "(cudaEventSynchronize) before you take the time."},
    {"wrong.time",
     "You reported {reported} ms, {where}; a launch of the kernel took {measured} ms (the grader's events, around each of "
     "your {launches} launches). More than 5% lie between.",
     "Put only launches between the two events: no copy, no allocation, no wait; and divide by their number."},
    {"wrong.launches_changed",
     "The file has {count} launches (<<<), and {wanted} are wanted: the line that you report is compared with theirs.",
     "Keep the launches of the file, each where it was, and check errors between them."},
    {"wrong.launch_left_out",
     "Launch {which} (line {line}) was broken on purpose ({how}), and no call failed: it was not made.",
     "Make every launch with the parameters that you are given."},
    {"wrong.error_missed",
     "Launch {which} (line {line}) was broken on purpose ({how}), the error is {name}, and your function reported none.",
     "cudaGetLastError() returns the error of a refused launch; the next call that waits, such as "
     "cudaDeviceSynchronize(), returns the error of a kernel that failed. Check both after each launch."},
    {"wrong.error_code",
     "Launch {which} (line {line}) was broken on purpose ({how}): its error is {name} ({right}), and your function reported "
     "the code {code}.",
     "Keep the first error and no later one: calls that come after an error often fail because of it."},
    {"wrong.error_line",
     "Launch {which} (line {line}) was broken on purpose ({how}, {name}), and your function reported line {reported}.",
     "A line after the launch is where the error was noticed, not where it came from: the next call that waits returns "
     "the error of a kernel that failed. Wait and check between this launch and the next call."},
    {"wrong.not_freed_after_error",
     "Launch {which} (line {line}) was broken on purpose ({how}), and {count} allocations were not freed after that.",
     "Free what you allocated on every way out of the function; an object whose destructor calls cudaFree does."},
    {"wrong.changed_elsewhere",
     "Line {line} is not a part of a kernel's body, and it is not as it was: only the kernels are to be changed.",
     "Restore what is outside of the kernels (`ridge reset` gives the original file and keeps yours). The mistakes are "
     "all inside."},
    {"wrong.changed_too_much",
     "{kernel} differs from the corrected kernel by {count} names, numbers and signs, and the fix needs at most {most}: "
     "it was rewritten.",
     "Go back to the kernel as it was, find the one mistake in it, and change as little as you can."},
};
// clang-format on

}  // namespace

std::span<const FindingText> host_texts() {
  return kHostTexts;
}

}  // namespace ridge::grade
