// Computes references of large matrices row by row on all cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace ridge::problems {

// Calls work(first, last) for every group of `step` rows of 0 .. rows - 1, each once, on as many
// threads as there are cores.
template <typename Work>
void rows_in_parallel(int64_t rows, int64_t step, const Work& work) {
  const int64_t groups = (rows + step - 1) / step;
  const int64_t threads = std::min<int64_t>(groups, std::max(1u, std::thread::hardware_concurrency()));
  auto share = [&](int64_t thread) {
    for (int64_t group = thread; group < groups; group += threads)
      work(group * step, std::min(rows, (group + 1) * step));
  };
  std::vector<std::thread> others;
  for (int64_t thread = 1; thread < threads; ++thread)
    others.emplace_back(share, thread);
  share(0);
  for (std::thread& other : others)
    other.join();
}

// Calls work(i) for every i below `elements`, each once; a few thousand elements run on one thread.
template <typename Work>
void elements_in_parallel(size_t elements, const Work& work) {
  constexpr int64_t kAtATime = 1 << 16;
  rows_in_parallel(static_cast<int64_t>(elements), kAtATime, [&](int64_t first, int64_t last) {
    for (auto i = static_cast<size_t>(first); i < static_cast<size_t>(last); ++i)
      work(i);
  });
}

}  // namespace ridge::problems
