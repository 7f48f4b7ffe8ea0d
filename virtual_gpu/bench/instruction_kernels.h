// The benchmarks of one kind of instruction: "hadamard-shuffle", "mma-bf16", "mma-int8", "mma-f64";
// and "launches-10k".
#pragma once

// Runs the benchmark of that name and checks its result; false when there is none.
bool run_instruction_benchmark(const char* name);
