// The texts for wrong answers that are right at another place.
#include "harness/grade/findings/texts/text_tables.h"

namespace ridge::grade {
namespace {

// clang-format off: one text per line or lines of its own.
constexpr FindingText kWrongOriginTexts[] = {
    {"wrong.input_copied",
     "{every} is what {input} holds at the same place: it was copied, and nothing was computed.",
     "Compute with all that the formula names before you store."},
    {"wrong.shifted",
     "{every} holds the right answer for the place {place}: the {what} is off by {by}.",
     "Look at how the index is computed from blockIdx, blockDim and threadIdx, and whether "
     "reading and writing use the same one."},
    {"wrong.reversed", "The order is reversed: {first} has the place of {last}.",
     "Look for an index that counts down: last - i where i is meant."},
    {"wrong.rows_reversed_within", "The order is reversed within every row.",
     "Look for an index that counts down: last - i where i is meant."},
    {"wrong.rows_reversed", "The rows are in reversed order.",
     "Look for an index that counts down: last - i where i is meant."},
    {"wrong.first_of_group", "{every} holds the right answer of the first of its group{group}.",
     "One value goes to the whole group: let each thread use its own index, not the group's "
     "first."},
    {"wrong.index_divided", "Element i holds the right answer of element i / {by}.",
     "The index on one side lacks a factor of {by}."},
    {"wrong.block_index_missing",
     "The first {period} elements repeat: element i holds what is right for i % {period}.",
     "The index that is read lacks the block's part: blockIdx.x * blockDim.x."},
    {"wrong.index_multiplied", "Element i holds the right answer of element {by} i.",
     "The index on one side has a factor of {by} too many, or the other lacks it."},
    {"wrong.exchanged_pairs",
     "Elements are exchanged with those at distance {distance}: element i holds what is right "
     "for i ^ {distance}.",
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
     "{every} holds a value that is right elsewhere{where}: values were exchanged.",
     "Both sides must agree on where a value lies: does one side have a swizzle, a shuffle or a "
     "tile's index that the other lacks?"},
};
// clang-format on

}  // namespace

std::span<const FindingText> wrong_origin_texts() {
  return kWrongOriginTexts;
}

}  // namespace ridge::grade
