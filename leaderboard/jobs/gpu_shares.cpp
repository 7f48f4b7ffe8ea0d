// Distributes the machine's GPUs to its workers.
#include "leaderboard/jobs/gpu_shares.h"

#include <algorithm>
#include <sstream>

namespace ridge::leaderboard {

namespace fs = std::filesystem;

std::vector<std::string> gpus_of(const char* visible, const fs::path& devices) {
  std::vector<std::string> gpus;
  if (visible) {
    std::istringstream words(visible);
    // CUDA ignores all devices from the first invalid entry on; -1 is the usual way to specify
    // none.
    for (std::string word; std::getline(words, word, ',') && !word.empty() && word != "-1";)
      gpus.push_back(word);
    return gpus;
  }
  std::vector<int> numbers;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(devices, error)) {
    const std::string name = entry.path().filename();
    const std::string digits = name.starts_with("nvidia") ? name.substr(6) : "";
    if (!digits.empty() && digits.size() <= 3 &&
        digits.find_first_not_of("0123456789") == digits.npos)
      numbers.push_back(std::stoi(digits));
  }
  std::sort(numbers.begin(), numbers.end());
  // CUDA numbers the devices from 0, whatever the numbers of their files are.
  for (size_t i = 0; i < numbers.size(); ++i)
    gpus.push_back(std::to_string(i));
  return gpus;
}

std::vector<std::string> gpu_per_worker(int workers, const std::vector<std::string>& gpus) {
  std::vector<std::string> shares(static_cast<size_t>(std::max(0, workers)));
  std::copy_n(gpus.begin(), std::min(gpus.size(), shares.size()), shares.begin());
  return shares;
}

}  // namespace ridge::leaderboard
