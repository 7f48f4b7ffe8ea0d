// The batch script of one attempt, which a node runs.
#pragma once

#include <string>

namespace ridge::leaderboard {

struct JobScript {
  std::string name;      // of the job
  std::string server;    // the server's address as seen by the node
  std::string token;     // for this attempt only
  std::string folder;    // a packed folder on the node; "" or missing: the node downloads it
  std::string programs;  // identifies the programs to download; a node stores them under this name
  int seconds = 600;     // then the job ends itself, because Slurm's own limit is coarse
  bool unsafe = false;
};

std::string script_text(const JobScript& script);

}  // namespace ridge::leaderboard
