#include "harness/grade/fault.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <csignal>
#include <filesystem>

namespace ridge::grade {

namespace {

using runner::ChildEnd;
using runner::Failure;

struct FindingWords {
  std::string_view check;
  Verdict verdict;
  std::string_view what, next;
  std::string_view in_message =
      {};  // only for findings that say this; such a row stands before the general one
};

constexpr FindingWords kFindings[] = {
    {"out_of_bounds", Verdict::out_of_bounds, "A thread reads or writes outside an array",
     "Compare the index with the size of the array before you use it; the last block has threads to spare."},
    {"misaligned", Verdict::out_of_bounds,
     "A thread accesses several elements at once at an address they may not start at",
     "A float4 needs an address that is a multiple of 16 bytes: an index that is a multiple of 4, from an "
     "aligned array."},
    {"barrier", Verdict::deadlock, "Not all threads of a cluster come to its barrier in the same way",
     "Let every thread of every block of the cluster arrive and wait equally often, one after the other: no "
     "second arrival before the wait, and neither in an if that only some threads enter.",
     "the cluster's barrier"},
    {"barrier", Verdict::deadlock, "Not all threads of a block reach the same __syncthreads()",
     "Move __syncthreads() out of the if or the loop that only some threads enter, and return early after "
     "it, not before."},
    {"deadlock", Verdict::deadlock, "Threads wait for something that never comes",
     "Look at who waits where, below, and at what should have let them go on."},
    {"race", Verdict::race, "Two threads write the same place, and nothing says which of them is first",
     "Does the index send two elements to one place? Let each thread write a place of its own; where both "
     "writes are meant, put a __syncthreads() between them.",
     "between the two writes"},
    {"race", Verdict::race, "Two blocks use the same memory in one launch, and one of them writes",
     "Blocks do not wait for each other. Let every element be written by one block only: look at blockIdx in "
     "the "
     "index and at the grid; to add up what several blocks have, use atomicAdd or a second launch.",
     "be written by one block only"},
    {"race", Verdict::race, "A block reads what another block writes in the same launch",
     "Blocks run in any order and do not wait for each other: read from one array and write to another, or "
     "make two "
     "launches of it.",
     "blocks run in any order"},
    {"race", Verdict::race, "Two threads use the same memory at the same time, and one of them writes",
     "Put a __syncthreads() between the write and the access by another thread, or let each thread write its "
     "own place."},
    {"uninitialised", Verdict::uninitialised, "A thread reads memory that nobody has written",
     "Write every element before you read it: look at edges, at the first iteration, and at shared memory's "
     "halo."},
    {"time_limit", Verdict::timeout, "A kernel ran longer than it may",
     "Look at the line below: a loop there does not come to its end."},
    {"trap", Verdict::launch_error, "The kernel stopped itself", "Look at the line that stopped it."},
    {"assertion", Verdict::launch_error, "An assert() in the kernel is false",
     "Look at the values the assertion names."},
    {"unknown_instruction", Verdict::launch_error,
     "The kernel uses an instruction that the virtual GPU does not have yet",
     "Grade it on a GPU (--on gpu), or write that line another way."},
};

struct CudaWords {
  cudaError_t code;
  Verdict verdict;
  std::string_view what, next;
};

constexpr CudaWords kCudaErrors[] = {
    {cudaErrorInvalidConfiguration, Verdict::launch_error,
     "The launch was refused: its grid or block has a size that no GPU takes",
     "A block has 1 to 1024 threads, a grid at least 1 block, and at most 65535 blocks in y and z: print "
     "what you put in <<<...>>>."},
    {cudaErrorLaunchOutOfResources, Verdict::launch_error,
     "The launch was refused: a block needs more registers than there are",
     "Use fewer threads a block, or tell the compiler with __launch_bounds__."},
    {cudaErrorInvalidValue, Verdict::launch_error,
     "A CUDA call was refused: one of its arguments is not valid",
     "In a launch that is the grid or block in <<<...>>> (a block has 1 to 1024 threads, a grid at least 1 "
     "block and at "
     "most 65535 in y and z) or its shared memory: print them. In another call, look at the pointers and "
     "sizes."},
    {cudaErrorIllegalAddress, Verdict::out_of_bounds, "A thread reads or writes where there is no memory",
     "Grade it on the virtual GPU (--on virtual): it names the line, the thread and the array."},
    {cudaErrorMisalignedAddress, Verdict::out_of_bounds,
     "A thread accesses several elements at an address they may not start at",
     "A float4 needs an index that is a multiple of 4; --on virtual names the line."},
    {cudaErrorAssert, Verdict::launch_error, "An assert() in the kernel is false",
     "Its message is under what your program printed."},
    {cudaErrorLaunchTimeout, Verdict::timeout, "A kernel ran longer than it may",
     "Look for a loop that does not come to its end."},
    {cudaErrorLaunchFailure, Verdict::launch_error, "The kernel failed while it ran",
     "Grade it on the virtual GPU (--on virtual): it names the line."},
    {cudaErrorNoKernelImageForDevice, Verdict::launch_error,
     "The compiled file holds no code for this device", "Grade again; if it stays, run `ridge doctor`."},
    {cudaErrorNotSupported, Verdict::launch_error, "A CUDA function was called that is not there",
     "Its name is under what your program printed; do without it, or grade on a GPU (--on gpu)."},
};

std::string with_place(std::string_view what, const std::string& during) {
  return fmt::format("{}{}{}.", what, during.empty() ? "" : ", ", during);
}

Fault fault_of_end(const ChildEnd& end, const std::string& during, double limit_seconds) {
  switch (end.how) {
    case ChildEnd::How::exited:
      if (end.code == 0)
        return {Verdict::suspect, with_place("Your code ended the program, with exit status 0", during),
                "Take out the exit(); the function must return to its caller, which then checks the result.",
                ""};
      return {Verdict::launch_error,
              with_place(fmt::format("Your code ended the program, with exit status {}", end.code), during),
              "Return from the function in every case; what it printed before it ended may say why it did.",
              ""};
    case ChildEnd::How::signalled: {
      std::string_view next =
          "Look at the host code in your file: the kernel's own errors are reported otherwise.";
      if (end.code == SIGSEGV || end.code == SIGBUS)
        next =
            "Host code used a pointer it must not: the arrays are in device memory, so only a kernel may "
            "read and write them.";
      else if (end.code == SIGABRT)
        next = "Something in your file called abort(), or threw an exception that nobody caught.";
      else if (end.code == SIGFPE)
        next =
            "Host code divided an integer by zero: look at how the grid is computed when the size is small.";
      return {Verdict::launch_error, with_place("Your code crashed: the program " + end.words(), during),
              std::string(next), ""};
    }
    case ChildEnd::How::timed_out:
      return {
          Verdict::timeout,
          with_place(fmt::format("Your code did not come back within {} seconds", limit_seconds), during),
          "Look for a loop that does not come to its end, in the kernel or in the function that launches it.",
          ""};
    case ChildEnd::How::greedy:
      return {Verdict::launch_error, with_place("Your code " + end.words(), during),
              "Look for memory that every call allocates and none frees, or for output that never ends.", ""};
    case ChildEnd::How::closed:
    case ChildEnd::How::nonsense:
      return {Verdict::suspect, with_place("The process that runs your code " + end.words(), during),
              "Leave files and sockets that your code did not open alone.", ""};
  }
  return {};
}

}  // namespace

Fault fault_of(const trace::Finding& finding, const std::string& during) {
  const FindingWords* words = nullptr;
  for (const FindingWords& candidate : kFindings)
    if (!words && candidate.check == finding.check &&
        finding.message.find(candidate.in_message) != std::string::npos)
      words = &candidate;
  std::string place;
  if (finding.line) {
    std::string file = std::filesystem::path(finding.file).filename().string();
    place = file.empty() ? fmt::format(" in line {}", finding.line)
                         : fmt::format(" in {} line {}", file, finding.line);
    if (!finding.called_from.empty()) place += " (called from " + finding.called_from + ")";
  }
  if (!words)
    return {Verdict::launch_error, with_place("The kernel was stopped" + place, during),
            "Look at what stopped it, below.", finding.message};
  return {words->verdict, with_place(std::string(words->what) + place, during), std::string(words->next),
          finding.message};
}

Fault fault_of(const Failure& failure, const std::string& during, double limit_seconds) {
  switch (failure.stage) {
    case Failure::Stage::ended:
      return fault_of_end(failure.end, during, limit_seconds);
    case Failure::Stage::load:
      return {Verdict::launch_error, "Your file compiles, but the compiled file cannot be used.",
              "Keep the function's name, its extern \"C\" and its arguments as they were, and define all "
              "that you call.",
              failure.text};
    case Failure::Stage::setup:
      return {
          Verdict::skipped, with_place("There was no room to run it", during),
          "Free device memory (is another program using it?), or grade on the virtual GPU (--on virtual).",
          failure.text};
    case Failure::Stage::missing:
      return {Verdict::skipped,
              fmt::format("The answers are right; to time them {} is needed, which is not on this machine.",
                          failure.name),
              "`ridge doctor` says how to get it; without it, grade on the virtual GPU (--on virtual).",
              failure.text};
    case Failure::Stage::launch:
    case Failure::Stage::run:
      break;
  }
  std::string detail = fmt::format("{} ({})", failure.name, failure.text);
  for (const CudaWords& words : kCudaErrors)
    if (words.code == failure.code)
      return {words.verdict, with_place(words.what, during), std::string(words.next), std::move(detail)};
  return {Verdict::launch_error,
          with_place(failure.stage == Failure::Stage::launch ? "The launch was refused"
                                                             : "The kernel failed while it ran",
                     during),
          "Look at the error's name, below.", std::move(detail)};
}

}  // namespace ridge::grade
