// Of a row of calls, every second one does nothing.
#include "one_shot_call.cuh"

extern "C" void all_reduce(Ranks ranks, int n) {
  if (number_in_its_row(n) % 2 == 0) launch_calls({{ranks}}, 1, n, ranks.streams);
}
