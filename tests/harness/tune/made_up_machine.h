// Settings of a tiled matrix product, and how long they would take on machines that we make up: enough of a
// real one's traits (latency to hide, whole waves of blocks, loads beside arithmetic) that the best is not
// where any single number is largest.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/tune/candidates.h"

namespace ridge::tests {

// {kTileM, kTileN, kTileK, kRows, kCols, kStages}: those that the tuned rung's assertions allow, with the
// registers and warps that they would roughly have.
inline std::vector<tune::Candidate> tiled_settings() {
  std::vector<tune::Candidate> settings;
  for (const int64_t m : {64, 128, 256})
    for (const int64_t n : {64, 128, 256})
      for (const int64_t k : {8, 16})
        for (const int64_t rows : {4, 8, 16})
          for (const int64_t cols : {4, 8, 16})
            for (const int64_t stages : {2, 3, 4}) {
              const int64_t threads = m / rows * (n / cols), shared = 4 * stages * k * (m + 4 + n);
              if (threads < 64 || threads > 1024 || threads % 32 || shared > 49152) continue;
              tune::Candidate one;
              one.values = {m, n, k, rows, cols, stages};
              one.threads = static_cast<uint32_t>(threads);
              one.resources.shared_bytes = static_cast<uint32_t>(shared);
              one.resources.registers = static_cast<uint32_t>(rows * cols + rows + cols + 40);
              if (one.resources.registers > 255) continue;
              const auto blocks = std::min(
                  {2048 / threads, 65536 / (one.resources.registers * threads), 233472 / (shared + 1024)});
              if (blocks < 1) continue;
              one.occupancy.blocks_per_sm = static_cast<uint32_t>(blocks);
              one.occupancy.warps_per_sm = static_cast<uint32_t>(blocks * threads / 32);
              settings.push_back(std::move(one));
            }
  return settings;
}

struct MadeUpMachine {
  double latency = 6, shared_load = 1.5, global_load = 6, barrier = 10, waves = 0.5, one_stage_less = 0.05;
  double second_peak = 0;  // how high a hill stands where the first is not

  static MadeUpMachine random(unsigned seed) {
    std::mt19937 generator(seed);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(generator);
    };
    return {between(2, 12),
            between(0.5, 2.5),
            between(2, 14),
            between(2, 22),
            between(0, 1),
            between(0.02, 0.08),
            0};
  }

  double percent(const tune::Candidate& one) const {
    const double m = static_cast<double>(one.values[0]), n = static_cast<double>(one.values[1]),
                 k = static_cast<double>(one.values[2]), rows = static_cast<double>(one.values[3]),
                 cols = static_cast<double>(one.values[4]), stages = static_cast<double>(one.values[5]),
                 warps = one.occupancy.warps_per_sm;
    const double products = rows * cols, blocks = one.occupancy.blocks_per_sm;
    const double issued = products / (products + (rows + cols) / 4 * shared_load +
                                      products * (1 / m + 1 / n) * global_load / 2 + barrier / k);
    const double hidden = 1 - std::exp(-warps * (0.5 + std::min(64.0, products) / 16) / latency / 1.5);
    const double tiles = 4096 / m * (4096 / n), slots = 132 * blocks, rounds = tiles / slots;
    const double whole = 1 - waves * (1 - rounds / std::ceil(rounds));
    const double ahead = 1 - (stages == 2 ? one_stage_less / blocks : 0) - (stages == 4 ? 0.01 : 0);
    // A small tile with few elements per thread, far from what the rest prefers.
    const double away = std::abs(std::log2(m / 64)) + std::abs(std::log2(n / 64)) +
                        std::abs(std::log2(rows / 4)) + std::abs(std::log2(cols / 4));
    return 90 * issued * hidden * whole * ahead + second_peak * std::exp(-away * away / 2);
  }
};

}  // namespace ridge::tests
