#include "harness/cli/watch/key_decoder.h"

namespace ridge::cli {
namespace {

struct Sequence {
  std::string_view bytes;
  int key;
};
constexpr Sequence kSequences[] = {
    {"\x1b[A", kUp},      {"\x1bOA", kUp},        {"\x1b[B", kDown}, {"\x1bOB", kDown},
    {"\x1b[5~", kPageUp}, {"\x1b[6~", kPageDown}, {"\x1b[H", kHome}, {"\x1bOH", kHome},
    {"\x1b[1~", kHome},   {"\x1b[F", kEnd},       {"\x1bOF", kEnd},  {"\x1b[4~", kEnd},
};

// A complete sequence: ESC [ parameters final, or ESC O final, or ESC and one character (Alt).
bool is_whole(std::string_view sequence) {
  if (sequence.size() < 2) return false;
  if (sequence[1] == 'O') return sequence.size() == 3;
  if (sequence[1] != '[') return true;
  return sequence.size() > 2 && sequence.back() >= '@' && sequence.back() <= '~';
}

}  // namespace

void KeyDecoder::end_sequence(std::vector<int>& keys) {
  if (sequence_ == "\x1b[200~") pasting_ = true;
  if (sequence_ == "\x1b[201~") pasting_ = false;
  // Esc and another key that arrived together, or Alt and a key; Alt has no other meaning here.
  if (sequence_.size() == 2 && !pasting_) {
    keys.push_back(kEscape);
    keys.push_back(sequence_[1]);
  }
  for (const Sequence& known : kSequences) {
    if (known.bytes == sequence_ && !pasting_) keys.push_back(known.key);
  }
  sequence_.clear();
}

std::vector<int> KeyDecoder::feed(std::string_view bytes) {
  std::vector<int> keys;
  for (const char byte : bytes) {
    if (byte == '\x1b') {
      if (sequence_ == "\x1b" && !pasting_) keys.push_back(kEscape);  // pressed twice
      sequence_ = byte;
    } else if (!sequence_.empty()) {
      sequence_ += byte;
      if (is_whole(sequence_)) end_sequence(keys);
    } else if (!pasting_ && (static_cast<unsigned char>(byte) & 0x80) == 0) {
      keys.push_back(byte);
    }
  }
  return keys;
}

std::vector<int> KeyDecoder::give_up() {
  std::vector<int> keys;
  if (sequence_ == "\x1b" && !pasting_) keys.push_back(kEscape);
  sequence_.clear();
  return keys;
}

}  // namespace ridge::cli
