// Limits that hold for every rung, without an entry in its lab.toml. They are shown when they fail.
#pragma once

#include <vector>

#include "harness/course/lab.h"
#include "harness/problems/problem.h"

namespace ridge::grade {

// The work is shared out over blocks (Rung::busiest_block), whatever the grid is: blocks that do
// nothing are no help. This holds at the public size: a hidden one may be too small for more than a
// block. A function that times its kernel launches it with the same work each time. A function of
// several devices does not make the host wait.
std::vector<course::Gate> implied_gates(const course::Rung& rung, const problems::Problem& problem,
                                        bool at_public_size);

}  // namespace ridge::grade
