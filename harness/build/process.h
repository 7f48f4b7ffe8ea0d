// Runs a program to its end and keeps what it printed.
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
       too_large = false,  // ended by us: over RunLimits::seconds, or a file over file_bytes
      stopped = false;     // or because RunLimits::stop asked for it
};

// For programs that read what nobody vouches for. 0: no limit.
struct RunLimits {
  double seconds = 0;                       // wall clock; then the program and all that it started are ended
  int64_t file_bytes = 0;                   // of any one file it writes
  int64_t memory_bytes = 0;                 // of address space, each process
  size_t output_bytes = 0;                  // what it prints beyond is thrown away
  const std::atomic<bool>* stop = nullptr;  // ends it when it becomes true; needs `seconds`
};

enum class Keep { all, output_only };  // output_only: standard error is thrown away

// `arguments[0]` is the program: a path, or a name searched in PATH. Standard input is empty. The program
// dies with us. Within limits of time it has a keeper (harness/sandbox/keeper.h): so does all that it
// started.
Finished run(const std::vector<std::string>& arguments,
             const std::vector<std::pair<std::string, std::string>>& environment = {}, Keep keep = Keep::all,
             const RunLimits& limits = {});

}  // namespace ridge::build
