// Keys as the app sees them, independent of the window system.
#pragma once

#include <cstdint>

namespace ridge::view {

enum class KeyCode : uint8_t { character, left, right, up, down, home, end, escape, tab, enter, backspace };

struct KeyPress {
  KeyCode code = KeyCode::character;
  char character = 0;  // lower case, without shift: 'a', '1', ' ', ',', '.', '?', '+', '-'
  bool shift = false, control = false;
};

}  // namespace ridge::view
