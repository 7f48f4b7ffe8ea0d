// Which GPU each local worker has: one worker per GPU, so that a GPU grades one submission at a
// time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ridge::leaderboard {

// As CUDA names them: the words of CUDA_VISIBLE_DEVICES where it is set (`visible`), else one per
// device file nvidia0, nvidia1, ... in `devices`.
std::vector<std::string> gpus_of(const char* visible,
                                 const std::filesystem::path& devices = "/dev");

// CUDA_VISIBLE_DEVICES per worker. Workers beyond the number of GPUs get "", and grade on the
// virtual GPU only.
std::vector<std::string> gpu_per_worker(int workers, const std::vector<std::string>& gpus);

}  // namespace ridge::leaderboard
