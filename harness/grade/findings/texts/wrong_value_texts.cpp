// The texts for wrong answers that their values explain: NaN, zeros, a factor, a wrong sign.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kWrongValueTexts[] = {
    {"wrong.nan", "{every} is NaN: 0 / 0, infinity / infinity or infinity - infinity, or computed from a NaN.",
     "Look at what is divided and subtracted, and at what the kernel reads: the output, before it is written, holds "
     "NaN."},
    {"wrong.nan_from_exp", "{every} is NaN: infinity / infinity, as exp() of a large input gives it.",
     "exp(x) is infinite for x > 88 in float: subtract the row's maximum from every element before exp(), and look "
     "at whether the maximum that is subtracted is that of the whole row."},
    {"wrong.not_cleared",
     "{array} was never set to 0 before the atomic adds: it still holds NaN, and NaN plus anything is NaN.",
     "Set {array} to 0 first, in a kernel of its own or with cudaMemsetAsync on the given stream: the memory that "
     "your function gets is not cleared."},
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
    {"wrong.term_missing", "{every} lacks a term: with {term} added it would be right.",
     "Add {input} once."},
    {"wrong.term_twice", "{every} has a term too many: {term} was added once more than asked.",
     "Add {input} once only: does more than one thread, or more than one iteration of a loop, "
     "compute the same element?"},
    {"wrong.term_sign", "{every} is right with the sign of {term} changed.",
     "Look for a - that should be a +."},
    {"wrong.applied_twice",
     "{every} is the result of doing the work twice on the first values of {array}.",
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
    {"wrong.mask_without_row",
     "The mask of row 1 is the mask of row 0, and so is that of every row: the counter does not hold the row.",
     "The counter of a group of four columns is (col / 4, row, 0, 0): its second word is the row."},
    {"wrong.mask_row_first", "The mask is that of the counter (row, col / 4, 0, 0): the first two words are exchanged.",
     "The counter of a group of four columns is (col / 4, row, 0, 0)."},
    {"wrong.mask_of_one_array",
     "The mask is that of one long row: the counter is the number of the group of four in the whole array.",
     "The counter of a group of four columns is (col / 4, row, 0, 0): groups are counted from the start of each row."},
    {"wrong.mask_of_one_word", "Four neighbouring columns are kept or dropped together: all of them use word 0.",
     "A counter gives four words, and column col uses word col % 4."},
    {"wrong.mask_inverted", "The mask is inverted: what is to be dropped is kept, and the other way round.",
     "An element is kept if its word is at least p * 2^32: it is dropped with probability p."},
    {"wrong.mask_not_scaled", "The mask is right, but what is kept is not divided by 1 - p.",
     "Multiply what is kept by 1 / (1 - p), so that the expected value is that without dropout."},
    {"wrong.mask_key_kept", "The mask is what Philox gives if all of its rounds use the same key.",
     "After each round of Philox add 0x9E3779B9 to the first word of the key and 0xBB67AE85 to the second."},
    {"wrong.filter_turned_around",
     "The filter is flipped in both dimensions: the pixels under its last point are multiplied with the weights of "
     "its first.",
     "Neural networks do not flip the filter: the pixel under point (i, j) lies i rows below and j columns right of "
     "the one under point (0, 0)."},
    {"wrong.filter_transposed", "Rows and columns of the filter are exchanged: point (i, j) is read at (j, i).",
     "In [k][r][r][c] the second extent is the row of the point and the third its column, and columns count faster."},
    {"wrong.stride_on_points", "The stride is applied to the points of the filter: they lie `stride` pixels apart.",
     "The stride moves the filter from place to place: a place begins at p * stride - padding, and point i is i rows "
     "further whatever the stride is."},
    {"wrong.padding_forgotten", "The first output begins at pixel (0, 0): the padding before it is left out.",
     "A place begins at p * stride - padding: with a padding the first one begins above and left of the image."},
    {"wrong.columns_not_compared",
     "What is left and right of the image is taken from the neighbouring rows, not zero: column -1 is read as the last "
     "pixel of the row before.",
     "Compare the column with 0 and w, besides the row with 0 and h, before they become one index: that index is "
     "valid, and the pixel is another."},
    {"wrong.rows_not_compared",
     "What is above and below the image is taken from the neighbouring images, not zero: row -1 is read as the last "
     "row of the image before.",
     "Compare the row with 0 and h, besides the column with 0 and w, before they become one index."},
    {"wrong.border_left_out", "The outermost row or column of the image counts as padding: it is not added.",
     "Off by one at the border: rows 0 to h - 1 and columns 0 to w - 1 are inside."},
    {"wrong.filter_order",
     "Pixels are multiplied with weights of other channels or points: the filters are read in another order than "
     "theirs.",
     "Filters are [k][r][r][c]: all channels of point (0, 0) come first, then all of point (0, 1)."},
    {"wrong.sum_zero", "The sum is 0: nothing was added to it.",
     "Follow one element: which thread reads it, what is it added to, and which thread adds that "
     "to the result?"},
    {"wrong.sum_twice", "It is twice the right sum.",
     "Everything is added twice: do two threads process every element, or is the kernel launched "
     "twice?"},
    {"wrong.sum_by_lanes", "It is 32 times the right sum: every lane of a warp adds it.",
     "Let one lane of the warp add the warp's sum to the result: if (lane == 0)."},
    {"wrong.sum_by_threads", "It is {factor} times the right sum: every thread of a block of {factor} adds it.",
     "Let one thread of the block add the block's sum to the result: if (threadIdx.x == 0)."},
    {"wrong.sum_times", "It is {factor} times the right sum.",
     "Something is added {factor} times: by that many blocks, threads or launches?"},
    {"wrong.sum_without_tail",
     "It is the sum of the first {part} of {of} elements: the last {left}, which do not fill a tile of {tile}, are "
     "missing.",
     "Look at the bound of the loop over tiles: the last tile is cut, and its elements have to be compared with n "
     "one by one instead of being left out."},
    {"wrong.sum_of_first_element", "It is the first element alone.",
     "The others never reach the result: the rest of the warp, the block's other warps, or the "
     "other blocks?"},
    {"wrong.sum_of_first_part", "It is the sum of the first {part} of {of} elements.",
     "The others never reach the result: the rest of the warp, the block's other warps, or the "
     "other blocks?"},
    {"wrong.sum_of_every_nth", "It is the sum of every {nth} element of {of}, from the first on.",
     "Each group of that many elements contributes only its first one: the steps that add up the "
     "group are missing."},
    {"wrong.sum_unexplained", "It is not the sum of a part that begins at the first element.",
     "Take few elements, work out by hand what every step leaves in every thread, and compare: "
     "which thread adds what, is it added once, and does its reader wait for it?"},
};
// clang-format on

}  // namespace

std::span<const FindingText> wrong_value_texts() {
  return kWrongValueTexts;
}

}  // namespace ridge::grade
