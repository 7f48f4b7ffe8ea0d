// Handles Ctrl-C, a closed terminal and SIGTERM: ridge clears its line, says what is kept, removes
// its unfinished files, and ends by the same signal, so that a shell loop around it ends too. The
// keeper ends everything that ridge had started.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ridge::cli {

// Installs the handlers for SIGINT, SIGTERM and SIGHUP; signals that are ignored (nohup) stay
// ignored.
void end_well_when_interrupted();

// Sets the text that is printed after "interrupted: ". It replaces the earlier text.
void say_when_interrupted(std::string_view text);
void clear_line_when_interrupted(bool shown);  // the last line of the terminal is in use

// Ends the process by the signal's default action.
[[noreturn]] void end_by(int signal);

// A temporary file that will be renamed: the destructor or an interruption removes it. A few files
// at a time are covered for interruptions; the destructor removes the others.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(std::filesystem::path path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
};

}  // namespace ridge::cli
