#pragma once

extern __device__ int table[3];
__device__ int other_file(int x);
