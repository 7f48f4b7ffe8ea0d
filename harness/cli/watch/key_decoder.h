// Decodes what a terminal sends for keys: letters, arrows and pasted text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::cli {

// Plain keys have the value of their character; the others have larger values.
enum Key : int { kUp = 256, kDown, kPageUp, kPageDown, kHome, kEnd, kEscape = 27 };

// Bytes may arrive in any pieces. Pasted text (between ESC[200~ and ESC[201~) is ignored: an x and
// a y in it must not reset a file. Unknown sequences and non-ASCII characters are ignored.
class KeyDecoder {
 public:
  std::vector<int> feed(std::string_view bytes);
  // An ESC is pending: a key, or the start of a sequence; only time decides. Call `give_up` when
  // nothing more has arrived.
  bool waiting() const { return !sequence_.empty(); }
  std::vector<int> give_up();

 private:
  void end_sequence(std::vector<int>& keys);
  std::string sequence_;  // from ESC on
  bool pasting_ = false;
};

}  // namespace ridge::cli
