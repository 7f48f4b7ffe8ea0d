#include "harness/problems/rows/row_sizes.h"

namespace ridge::problems {

std::vector<Sizes> edge_sizes_of_rows() {
  return {{1, 1},    {1, 31},   {33, 1},   {5, 32},   {3, 33},   {7, 127},  {2, 128},
          {9, 129},  {17, 100}, {4, 1009}, {3, 1023}, {5, 1024}, {2, 1025}, {1, 2047},
          {3, 2052}, {1, 4093}, {1, 4100}, {1, 8193}, {1, 36868}};
}

}  // namespace ridge::problems
