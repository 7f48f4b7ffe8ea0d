// The target of a submission: "virtual" (the virtual GPU), "gpu" (any GPU), or "gpu:" and part of a
// device's name, such as "gpu:H200".
#pragma once

#include <string>
#include <vector>

namespace ridge::leaderboard {

// The description that a worker sends when it asks for a job.
struct Grader {
  std::string name;
  std::vector<std::string> engines;  // "virtual", "gpu"
  std::string device = {};           // the GPU's name; "" without one
  std::string device_id = {};        // equal for all workers that share the GPU
  long long class_id = 0;            // grades only for this class; 0: for all
};

bool is_target(const std::string& text);
std::string engine_of(const std::string& target);  // "virtual" or "gpu"
std::string words_for(const std::string& target);  // "virtual GPU", "GPU", "GPU (H200)"
bool can_grade(const Grader& grader, const std::string& target);

// "" or the error in an assignment's list of targets.
std::string complaint_about_targets(const std::vector<std::string>& targets);

// Stores a list in one column of a table, separated by commas.
std::string joined_targets(const std::vector<std::string>& targets);
std::vector<std::string> split_targets(const std::string& text);

}  // namespace ridge::leaderboard
