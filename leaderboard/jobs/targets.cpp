// Matches targets with the engines and devices of workers.
#include "leaderboard/jobs/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ridge::leaderboard {

namespace {

constexpr const char* kOneDevice = "gpu:";
constexpr size_t kMostTargets = 8;

std::string in_lower_case(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

std::string device_of(const std::string& target) {
  return target.starts_with(kOneDevice) ? target.substr(4) : "";
}

}  // namespace

bool is_target(const std::string& text) {
  if (text == "virtual" || text == "gpu") return true;
  const std::string device = device_of(text);
  return !device.empty() && device.size() <= 60 && device.front() != ' ' &&
         std::all_of(device.begin(), device.end(), [](unsigned char letter) {
           return letter < 128 && (std::isalnum(letter) || letter == ' ' || letter == '-' ||
                                   letter == '.' || letter == '_');
         });
}

std::string engine_of(const std::string& target) {
  return target == "virtual" ? "virtual" : "gpu";
}

std::string words_for(const std::string& target) {
  if (target == "virtual") return "virtual GPU";
  const std::string device = device_of(target);
  return device.empty() ? "GPU" : "GPU (" + device + ")";
}

bool can_grade(const Grader& grader, const std::string& target) {
  const auto& engines = grader.engines;
  if (std::find(engines.begin(), engines.end(), engine_of(target)) == engines.end()) return false;
  return in_lower_case(grader.device).find(in_lower_case(device_of(target))) != std::string::npos;
}

std::string complaint_about_targets(const std::vector<std::string>& targets) {
  if (targets.empty() || targets.size() > kMostTargets)
    return fmt::format("\"engine\" names {} targets; 1 to {} are allowed", targets.size(),
                       kMostTargets);
  for (const std::string& target : targets) {
    if (!is_target(target))
      return fmt::format(
          "\"engine\" is \"{}\"; it must be virtual, gpu, or gpu: and part of a device's name such as gpu:H200",
          target);
    if (std::count(targets.begin(), targets.end(), target) > 1)
      return fmt::format("\"engine\" names {} twice", target);
  }
  return "";
}

std::string joined_targets(const std::vector<std::string>& targets) {
  std::string text;
  for (const std::string& target : targets)
    text += (text.empty() ? "" : ",") + target;
  return text;
}

std::vector<std::string> split_targets(const std::string& text) {
  std::vector<std::string> targets;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');)
    targets.push_back(word);
  return targets;
}

}  // namespace ridge::leaderboard
