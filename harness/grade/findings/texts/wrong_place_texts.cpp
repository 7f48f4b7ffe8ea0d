// The texts for wrong answers: the places of the errors.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kWrongPlaceTexts[] = {
    {"wrong.input_changed",
     "The kernel changes its input {array}, {where}: {array}[{index}] was {before} and is now "
     "{after}.",
     "Only read {array}: it is const in the signature."},
    {"wrong.not_repeatable",
     "Two calls with the same inputs give different bits: {count} of {of} elements of {array} differ, {where}.",
     "Let the inputs alone fix the order in which floats are added: an atomic adds in the order of arrival."},
    {"wrong.ranks_differ",
     "{array} and {first} differ in {count} of {of} elements, {where}. Both are within the tolerance, but all ranks "
     "must have the same bits.",
     "Add the terms of an element in the same order on all ranks, or let one rank compute the sum and send it to "
     "the others."},
    {"wrong.counted_size", "",
     "What does the kernel do for {size} that it does not do for smaller sizes: another block, "
     "another iteration of a loop, a buffer that is used again?"},
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
    {"wrong.last_vector", "{which}, from {first} on: {of} is not a multiple of {tile}.",
     "The end of the array must be handled separately: after the loop over vectors or pieces of "
     "{tile}, treat the elements that are left one by one."},
    {"wrong.last_partial_tile",
     "{which}, from {first} on. {right} is a multiple of {tile}, {of} is not: the last, partial tile is {done}.",
     "Round the number of tiles up, (n + tile - 1) / tile, in the grid or in the loop over tiles, and compare "
     "each index of the last tile with n instead of leaving the tile out."},
    {"wrong.last_blocks",
     "{which}, from {first} on. {right} is a multiple of {tile}: whole blocks are missing, as if the grid ended "
     "there.",
     "Look at the number of blocks in <<<...>>>: all of them together have to reach the last element; with a grid "
     "of fixed size let the threads stride over the rest."},
    {"wrong.last_elements", "{which}, from {first} on.",
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
    {"wrong.single_result", "Its only element is wrong.",
     "Take few inputs, compute the result by hand, and compare it with what each thread adds."},
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
    {"wrong.chess_board", "The errors form a checkerboard pattern{fields}.",
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
    {"wrong.above_a_size", "It is right up to {right} and wrong from {wrong} on.",
     "What does the kernel do for {wrong} that it does not do for {right}: another iteration of "
     "a loop, another block, data that no longer fits?"},
    {"wrong.no_multiple",
     "It is right where {size} is a multiple of {multiple}, and wrong where it is not.",
     "Find out which threads compute the rest of {size} after the last multiple of {multiple}."},
};
// clang-format on

}  // namespace

std::span<const FindingText> wrong_place_texts() {
  return kWrongPlaceTexts;
}

}  // namespace ridge::grade
