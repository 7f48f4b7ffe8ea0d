// The benchmark "start-up-ptx" of start_up_kernels.cu.
#pragma once

// Runs the benchmark when the name is its own; false otherwise.
bool run_start_up_benchmark(const char* name);
