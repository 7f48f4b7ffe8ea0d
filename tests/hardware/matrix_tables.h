// The groups of matrix instructions: each function adds its kernels and their launches.
#pragma once

#include "tests/hardware/matrix_cases.h"

namespace ridge::hardware {

void add_fragment_moves(MatrixCases& cases);      // ldmatrix, stmatrix, movmatrix
void add_warp_products(MatrixCases& cases);       // mma.sync, dense and sparse
void add_wmma(MatrixCases& cases);                // wmma.load, .mma, .store
void add_warpgroup_products(MatrixCases& cases);  // wgmma

// "{%i4,%i5}"
inline std::string registers(const char* prefix, size_t first, size_t count) {
  std::string s = "{";
  for (size_t i = 0; i < count; ++i)
    s += (i ? "," : "") + std::string(prefix) + std::to_string(first + i);
  return s + "}";
}

// The launches of a kernel: floating-point answers are compared in full, others by their digest.
inline void add_runs(MatrixCases& cases, bool is_floating, Content tile = Content::bits,
                     std::vector<uint64_t> constants = {}, bool thorough = true) {
  MatrixRun run;
  run.kernel = static_cast<uint32_t>(cases.kernels.size() - 1);
  run.tile_content = tile;
  for (size_t i = 0; i < constants.size(); ++i)
    run.constants[i] = constants[i];
  run.seed = static_cast<uint32_t>(cases.runs.size()) * 17 + 1;
  cases.runs.push_back(run);
  if (!thorough) return;
  run.seed += 1;
  if (!is_floating) {
    run.mode = Mode::edge;
    cases.runs.push_back(run);
    return;
  }
  run.keeps_words = true;
  for (const Mode mode : {Mode::random, Mode::wide, Mode::edge}) {
    run.mode = mode;
    run.seed += 1;
    cases.runs.push_back(run);
  }
}

}  // namespace ridge::hardware
