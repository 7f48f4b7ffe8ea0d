// The texts of files that do not compile or load, and of calls that the runtime refuses.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kBuildTexts[] = {
    {"compile_error.stopped", "{why}",
     "Look for a template or a constexpr function that does not end, and for very large arrays "
     "with initial values."},
    {"compile_error.utf16", "The file is in UTF-16, and the compiler reads UTF-8.",
     "Save it as UTF-8: editors offer that in their dialog for saving."},
    {"compile_error.no_text", "The file is not text: its byte {byte}, in line {line}, is 0.",
     "Hand in the source, a .cu file, and not a compiled or packed one."},
    {"compile_error.one", "The compiler could not compile the file.",
     "Read the first error: later ones often follow from it."},
    {"compile_error.device_launch", "A kernel of the file launches a kernel.",
     "This needs -rdc=true, without which the course's files are compiled: launch both kernels "
     "from the host function. `ridge nvcc -rdc=true` compiles such a program, and `ridge exec` "
     "runs it without a grade."},
    {"compile_error.helper_arguments",
     "Line {line} calls {name}() with arguments that it does not take: {types}.",
     "{header} has these forms of it: {forms}. Compare the types, and the sizes of arrays."},
    {"compile_error.helper_template",
     "Line {line} calls {name}(), a template whose arguments in <> are missing or do not fit: {types}.",
     "{header} declares {forms}: write what its template needs between < and >, as in the other calls, or compare "
     "the types."},
    {"compile_error.several", "The compiler found {count} errors.",
     "Read the first error: later ones often follow from it."},

    {"launch_error.local_memory",
     "Each thread declares {bytes} bytes of local arrays, and a thread can have {limit}{place}.",
     "Put arrays of this size into shared memory, a part per block, or into global memory."},
    {"launch_error.stack_overflow", "A device function calls itself {depth} times, too deep for the stack{place}.",
     "End the recursion at some depth, or replace it by a loop."},
    {"launch_error.trap", "The kernel stopped itself{place}.", "Look at the line that stopped it."},
    {"launch_error.assertion", "An assert() in the kernel failed{place}.",
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
     "On a GPU {kernel} would never end: the warps of a block request {wanted} registers with "
     "setmaxnreg, and the block was launched with {launched}.",
     "Let the warps that need few registers release some first (warpgroup_reg_dealloc): all "
     "warps of the block together must not exceed the registers that it was launched with."},
    {"launch_error.argument", "A CUDA call was refused: one of its arguments is not valid.",
     "In a launch that is the grid or block in <<<...>>> (a block has 1 to 1024 threads, a grid "
     "at least 1 block and at most 65535 in y and z) or its shared memory: print them. In another "
     "call, look at the pointers and sizes."},
    {"launch_error.capture",
     "{call}() was called while a stream was captured, and a capture does not allow that ({error}).",
     "Between cudaStreamBeginCapture and cudaStreamEndCapture nothing runs: no call may wait for the stream, copy "
     "without Async, or use the default stream, and every stream that joins must be joined again. Move the call before "
     "the capture or behind it."},
    {"launch_error.freed_twice", "{call}() was given memory that was freed before in the same call of your function.",
     "Free each allocation once, at one place; a pointer that is set to nullptr after that can be freed again without "
     "harm."},
    {"launch_error.assertion_on_gpu", "An assert() in the kernel failed.",
     "Its message is in your program's output."},
    {"launch_error.kernel_failed", "The kernel failed while it ran.",
     "Grade it on the virtual GPU (--on virtual): it names the line."},
    {"launch_error.no_kernel_image", "The compiled file holds no code for this device.",
     "Grade again; if the error persists, run `ridge doctor`."},
    {"launch_error.not_supported", "The program called a CUDA function that does not exist.",
     "Its name is in your program's output; avoid it, or grade on a GPU (--on gpu)."},
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
    {"launch_error.ended_at_load",
     "Your file could not be loaded: the program {end} before your function was called.",
     "A constructor or the first value of a global variable runs when the file is loaded: look for one that "
     "allocates, computes or launches much, and do that work in the function."},
    {"launch_error.load", "Your file compiles, but the compiled file cannot be used.",
     "Keep the function's name, its extern \"C\" and its arguments as they were, and define "
     "every function that you call."},
};
// clang-format on

}  // namespace

std::span<const FindingText> build_texts() {
  return kBuildTexts;
}

}  // namespace ridge::grade
