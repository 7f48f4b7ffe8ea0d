// The GPU of each local worker: one worker per GPU, so that a GPU grades one submission at a time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::leaderboard {

// The names that CUDA uses: the entries of CUDA_VISIBLE_DEVICES if it is set (`visible`), otherwise
// one per device file nvidia0, nvidia1, ... in `devices`.
std::vector<std::string> gpus_of(const char* visible,
                                 const std::filesystem::path& devices = "/dev");

// CUDA_VISIBLE_DEVICES per worker. Workers beyond the number of GPUs get "", and grade only on the
// virtual GPU.
std::vector<std::string> gpu_per_worker(int workers, const std::vector<std::string>& gpus);

}  // namespace ridge::leaderboard
