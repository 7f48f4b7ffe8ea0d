// Runs a program until it ends and captures its output.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ridge::build {

struct Finished {
  bool started = false;  // false: the program could not be executed; `output` says why
  int status = -1;       // exit status; 128 + signal when a signal ended it
  std::string output;    // standard output and standard error as one stream
  bool too_long = false,
       too_large = false,  // we ended it: over RunLimits::seconds, or a file over file_bytes
      stopped = false;     // we ended it because RunLimits::stop asked for it
};

// Limits for programs that read untrusted input. 0: no limit.
struct RunLimits {
  // Wall clock; then the program and all its descendants are killed.
  double seconds = 0;
  int64_t file_bytes = 0;                   // per file that it writes
  int64_t memory_bytes = 0;                 // address space per process
  size_t output_bytes = 0;                  // further output is discarded
  // The program is killed when this becomes true; needs `seconds`
  const std::atomic<bool>* stop = nullptr;
};

// A variable that every program started by run() from now on gets, and those that there are. Threads
// read our own environment while others start programs, so it is not changed.
void add_for_children(const std::string& name, const std::string& value);
std::vector<std::pair<std::string, std::string>> added_for_children();

enum class Keep { all, output_only };  // output_only: standard error is discarded

// `arguments[0]` is the program: a path, or a name searched in PATH. Standard input is empty. The
// program is killed when this process ends. With a time limit a keeper (harness/sandbox/keeper.h)
// also kills everything that the program started.
Finished run(const std::vector<std::string>& arguments,
             const std::vector<std::pair<std::string, std::string>>& environment = {}, Keep keep = Keep::all,
             const RunLimits& limits = {});

}  // namespace ridge::build
