// The action of each key.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "visualizer/app/app.h"

namespace ridge::view {

// Returns true when the key was part of the number.
static bool type_digit(std::string& typed, const KeyPress& key, size_t most) {
  if (key.code == KeyCode::backspace) {
    if (!typed.empty()) typed.pop_back();
    return true;
  }
  if (key.code != KeyCode::character || key.character < '0' || key.character > '9') return false;
  if (typed.size() < most) typed += key.character;
  return true;
}

static uint32_t number_of(const std::string& typed) {
  uint32_t number = 0;
  std::from_chars(typed.data(), typed.data() + typed.size(), number);
  return number;
}

bool App::type_number(const KeyPress& key) {
  if (type_digit(*going_to_, key, 9)) return true;
  if (key.code == KeyCode::enter) {
    const size_t size = session_.playback().size();
    if (!going_to_->empty() && size > 0)
      session_.playback().go_to(std::clamp<size_t>(number_of(*going_to_), 1, size) - 1);
    going_to_.reset();
    return true;
  }
  if (key.code != KeyCode::escape && (key.code != KeyCode::character || key.character != 'g')) return false;
  going_to_.reset();
  return true;
}

bool App::type_prediction(const KeyPress& key) {
  Prediction& guess = session_.prediction;
  if (type_digit(guess.typed, key, 6)) return true;
  if (key.code == KeyCode::enter) {
    if (guess.typed.empty()) return true;
    guess.answer = number_of(guess.typed);
    guess.of = session_.playback().at();
    guess.asking = false;
  } else if (key.code == KeyCode::escape || (key.code == KeyCode::character && key.character == 'p')) {
    guess = {};
  } else {
    return false;
  }
  return true;
}

bool App::press_control(const KeyPress& key) {
  if (key.character == 'l') {
    const std::string command = session_.command();
    if (to_clipboard) to_clipboard(command);
    show_message("copied: " + command);
    return true;
  }
  if (key.character == 'q' || key.character == 'w') return quit_ = true;
  const std::string_view kind = key.character == 's'   ? (key.shift ? "svg" : "png")
                                : key.character == 'g' ? "apng"
                                                       : "";
  if (kind.empty() || !save_picture) return false;
  save_picture(kind);
  return true;
}

// Zooms at the cursor, like the wheel, if the mouse is over something that zooms.
bool App::zoom_under_mouse(bool closer) {
  for (const Panel& panel : panels_) {
    if (!panel.area.contains(mouse_)) continue;
    const View* view = panel.id == strip_->id()        ? strip_.get()
                       : panel.id == shown_view().id() ? &shown_view()
                                                       : nullptr;
    if (!view || !view->zooms()) return false;
    mouse_wheel(mouse_, closer ? 1 : -1);
    return true;
  }
  return false;
}

bool App::press(const KeyPress& key) {
  if (session_.prediction.asking && !key.control && type_prediction(key)) return true;
  if (going_to_ && !key.control && type_number(key)) return true;
  if (key.control) return press_control(key);
  Playback& playback = session_.playback();
  switch (key.code) {
    case KeyCode::left:
    case KeyCode::right:
      if (key.shift && session_.a())
        playback.step_same(session_.a()->launch(), key.code == KeyCode::right);
      else
        playback.step(key.code == KeyCode::right ? 1 : -1);
      return true;
    case KeyCode::up:
    case KeyCode::down:
      if (session_.a() && !session_.a()->timelines().empty()) {
        const size_t count = session_.a()->timelines().size();
        session_.show_block((session_.block() + (key.code == KeyCode::down ? 1 : count - 1)) % count);
      }
      return true;
    case KeyCode::home:
      playback.home();
      return true;
    case KeyCode::end:
      playback.end();
      return true;
    case KeyCode::escape:
      if (!keys_shown_ && session_.message.empty())
        session_.pinned = session_.hot = {}, session_.prediction = {}, shown_view().press(session_, kEscape);
      keys_shown_ = false, toast_seconds_ = 0;
      if (session_.a()) session_.message.clear();
      return true;
    case KeyCode::tab:
      session_.swap();
      return true;
    case KeyCode::enter:
      return session_.a() && shown_view().press(session_, '\n');
    case KeyCode::backspace:
      return false;
    case KeyCode::character:
      break;
  }
  switch (key.character) {
    case ' ':
      playback.toggle();
      return true;
    case ',':
      playback.step_costly(false);
      return true;
    case '.':
      playback.step_costly(true);
      return true;
    case '[':
      playback.faster(-1);
      return true;
    case ']':
      playback.faster(1);
      return true;
    case '?':
      keys_shown_ = !keys_shown_;
      return true;
    case 'c':
      if (session_.is_comparing())
        show_view(session_.compared.empty() ? trace::kViews.front().id : session_.compared);
      else
        show_view(trace::describe(trace::ViewKind::compare).id);
      return true;
    case 'l':
      set_theme(!theme_.dark, theme_.scale);
      return true;
    case 'g':
      if (playback.size() == 0) return false;
      playback.pause();
      session_.prediction = {};
      going_to_.emplace();
      return true;
    case 'p':
      going_to_.reset();
      session_.prediction = {};
      session_.prediction.asking = session_.timeline() && session_.record() && session_.record()->is_access();
      session_.prediction.of = playback.at();
      playback.pause();
      return true;
    default:
      break;
  }
  if (key.character >= '0' && key.character <= '9') {
    for (size_t index = 0; index < views_.size(); ++index)
      if (trace::view_key(index) == key.character) session_.look_at(views_[index]->id());
    return true;
  }
  if ((key.character == 'w' || key.character == 's') && zoom_under_mouse(key.character == 'w')) return true;
  if (session_.a() || !shown_view().needs_trace()) {
    if (shown_view().press(session_, key.character)) return true;
    // A view without its own zoom passes the keys to the strip.
    if (session_.a() && (source_->press(session_, key.character) || strip_->press(session_, key.character)))
      return true;
  }
  if (key.character == '+' || key.character == '=' || key.character == '-') {
    set_theme(theme_.dark, theme_.scale + (key.character == '-' ? -0.25f : 0.25f));
    return true;
  }
  return false;
}

}  // namespace ridge::view
