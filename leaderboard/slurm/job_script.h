// The batch script of one attempt: what a node runs.
#pragma once

#include <string>

namespace ridge::leaderboard {

struct JobScript {
  std::string name;      // of the job
  std::string server;    // the server's address as the node reaches it
  std::string token;     // for this attempt only
  std::string folder;    // a packed folder on the node; "" or not there: it is fetched
  std::string programs;  // says which programs are fetched; a node keeps them under this name
  int seconds = 600;     // then it ends itself: Slurm's own limit is coarse
  bool unsafe = false;
};

std::string script_text(const JobScript& script);

}  // namespace ridge::leaderboard
