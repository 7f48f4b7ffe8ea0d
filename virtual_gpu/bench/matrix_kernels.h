// The matrix-instruction benchmarks: "mma-2048", "wgmma-tma-4096".
#pragma once

// Runs the benchmark of that name and checks some of its results; false when there is none.
bool run_matrix_benchmark(const char* name);
