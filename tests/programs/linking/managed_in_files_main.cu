// __managed__ and static variables of two files that are linked with -rdc=true: a file reaches those that the other one
// defines, and both have static ones of the same name.
#include "check.h"

extern __managed__ int shared_total;
extern __managed__ float shared_table[4];
namespace inner {
__managed__ int named = 40;
}
static __managed__ int own = 3;
static __device__ int counted = 100;
static __constant__ int step = 5;

void work_of_other_file();
int own_of_other_file();
int counted_of_other_file();

__global__ void work() {
  shared_total += 1;
  for (int i = 0; i < 4; ++i)
    shared_table[i] += 0.5f;
  own += 10;
  inner::named += 2;
  counted += step;
}

int main() {
  shared_total += 1000;  // the host touches it before any launch
  const int new_step = 7;
  check(cudaMemcpyToSymbol(step, &new_step, sizeof new_step), "to symbol");
  work<<<1, 1>>>();
  finish("work");
  work_of_other_file();
  int count = 0;
  check(cudaMemcpyFromSymbol(&count, counted, sizeof count), "from symbol");
  printf("%d %g %g %d\n", shared_total, shared_table[0], shared_table[3], inner::named);
  printf("%d %d, %d %d\n", own, own_of_other_file(), count, counted_of_other_file());
}
