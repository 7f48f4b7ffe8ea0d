// What a terminal sends when keys are pressed, told apart: letters, arrows and what was pasted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridge::cli {

// Plain keys are their character; the others lie above.
enum Key : int { kUp = 256, kDown, kPageUp, kPageDown, kHome, kEnd, kEscape = 27 };

// Bytes may come in any pieces. What is pasted (between ESC[200~ and ESC[201~) is no key: a text that holds
// an x and a y must not put a skeleton back. Unknown sequences and characters beyond ASCII are left out.
class KeyDecoder {
 public:
  std::vector<int> feed(std::string_view bytes);
  // An ESC by itself or the start of a sequence: only time tells. `give_up` says that nothing more came.
  bool waiting() const { return !sequence_.empty(); }
  std::vector<int> give_up();

 private:
  void end_sequence(std::vector<int>& keys);
  std::string sequence_;  // from ESC on
  bool pasting_ = false;
};

}  // namespace ridge::cli
