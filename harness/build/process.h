// Runs a program to its end and keeps what it printed.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ridge::build {

struct Finished {
  bool started = false;  // false: the program could not be executed; `output` says why
  int status = -1;       // exit status; 128 + signal when a signal ended it
  std::string output;    // standard output and standard error as one stream
};

enum class Keep { all, output_only };  // output_only: standard error is thrown away

// `arguments[0]` is the program: a path, or a name searched in PATH. Standard input is empty. The program
// dies with us.
Finished run(const std::vector<std::string>& arguments,
             const std::vector<std::pair<std::string, std::string>>& environment = {}, Keep keep = Keep::all);

}  // namespace ridge::build
