// The texts for accesses outside an array, and for uninitialised values.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kMemoryTexts[] = {
    {"out_of_bounds.index",
     "{who} {verb} {element}{expression}, and {owner} has {extent_words}{place}.",
     "Access it only where {index_expression} is below {extent}: the last block usually has more threads than "
     "there are elements left, so put `if (...)` with the size around the access."},
    {"out_of_bounds.guarded_index",
     "{who} {verb} {element}{expression}, and {owner} has {extent_words}{place}.",
     "`{guard}` does not keep {index_expression} below {extent}: which of its variables becomes too large, and "
     "does the condition compare the one that the index is made of?"},
    {"out_of_bounds.negative_index", "{who} {verb} {element}{expression}, before the beginning of {owner}{place}.",
     "Look at subtractions at the border (i - 1 at i = 0), and at unsigned arithmetic."},
    {"out_of_bounds.padding_index", "{who} {verb} {element}{expression}, before the beginning of {owner}{place}.",
     "The row comes from `indices`, where -1 is padding and names no row: compare it with 0 before you use it."},
    {"out_of_bounds.shared_index",
     "{who} {verb} {element}{expression}, and the __shared__ array {owner} has {extent_words}{place}.",
     "Compare {index_expression} with the size of the array: a tile with a halo or padding needs room for it, "
     "and `extern __shared__` has as many bytes as the third number in <<<...>>>."},
    {"out_of_bounds.cluster_rank",
     "A thread {verb} the shared memory of the block with rank {rank}, and the cluster has {blocks} "
     "blocks{place}.",
     "{advice}"},
    {"out_of_bounds.cluster_block_ended",
     "A thread uses the shared memory of a block of its cluster whose threads have all ended{place}.",
     "Put {sync} between the last use of another block's shared memory and the end of the kernel: no block may leave "
     "while others use what is in it. __syncthreads() makes no other block wait."},
    {"out_of_bounds.mma_descriptor", "The descriptor of a wgmma leads outside shared memory{place}.",
     "{advice}"},
    {"out_of_bounds.access", "A thread reads or writes outside an array{place}.", "{advice}"},
    {"out_of_bounds.misaligned",
     "A thread accesses a vector at an address that is not a multiple of its size{place}.", "{advice}"},
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

    {"uninitialised.shared",
     "A value that a thread uses comes from shared memory that no thread has written{place}.", "{advice}"},
    {"uninitialised.local",
     "A value that a thread uses comes from an element of its own array that it has not written{place}.",
     "Give every element of the array a value before it is read: start accumulators at 0, and look at the "
     "bounds of the loop that fills it."},
    {"uninitialised.variable", "A result is computed from a local variable that was never given a value{place}.",
     "{advice}"},
    {"uninitialised.absent_lane",
     "A shuffle reads from a lane that does not take part, so its value is undefined{place}.", "{advice}"},
    {"uninitialised.atomic", "An atomic updates memory that has no first value{place}.", "{advice}"},
    {"uninitialised.read", "A value that a thread uses comes from memory that nobody has written{place}.",
     "{advice}"},
};
// clang-format on

}  // namespace

std::span<const FindingText> memory_texts() {
  return kMemoryTexts;
}

}  // namespace ridge::grade
