// How many tokens each rank sends to each other one in an all-to-all. They follow from the sizes, so
// that the arrays have no superfluous rows; the student's function finds them on the devices only.
#pragma once

#include "harness/problems/problem.h"

namespace ridge::problems {

// {ranks, tokens, width}: rows that rank `from` sends to rank `to`. Uneven, often none, and at least
// one to itself.
int64_t tokens_between(const Sizes& sizes, int64_t from, int64_t to);
// Rows that rank `to` gets from all.
int64_t tokens_to(const Sizes& sizes, int64_t to);

}  // namespace ridge::problems
