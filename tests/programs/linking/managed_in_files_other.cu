#include "check.h"

__managed__ int shared_total = 5;
__managed__ float shared_table[4] = {1, 2, 3, 4};
namespace inner {
extern __managed__ int named;
}
static __managed__ int own = 7;
static __device__ int counted = 200;

__global__ void more() {
  shared_total *= 2;
  own += 1;
  inner::named += 100;
  shared_table[3] += own;
  ++counted;
}

void work_of_other_file() {
  shared_total += 1;
  more<<<1, 1>>>();
  finish("more");
  own += 20;
}

int own_of_other_file() { return own; }

int counted_of_other_file() {
  int count = 0;
  check(cudaMemcpyFromSymbol(&count, counted, sizeof count), "from symbol");
  return count;
}
