// Ctrl-C, a terminal that is closed, a polite kill: ridge clears its line, says what is kept, takes away what
// it had begun, and ends by that very signal, so that a shell's loop around it ends too. Whatever it had
// started is ended by the keeper.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ridge::cli {

// From now on, for SIGINT, SIGTERM and SIGHUP; what is ignored (nohup) stays so.
void end_well_when_interrupted();

// What is said then, behind "interrupted: ". It replaces what was to be said before.
void say_when_interrupted(std::string_view text);
void clear_line_when_interrupted(bool shown);  // something stands in the terminal's last line

// As if the signal had met nobody who handles it.
[[noreturn]] void end_by(int signal);

// A file that is nobody's until it has another name: it is taken away by the destructor, or by an
// interruption. A few at a time; what does not fit is left to the destructor.
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
