// Rung 11/4, one call at a time.
#include "one_shot_call.cuh"

extern "C" void all_reduce(Ranks ranks, int n) {
  launch_calls({{ranks}}, 1, n, ranks.streams);
}
