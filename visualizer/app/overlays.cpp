// What lies over the picture: messages, the list of keys, questions, tooltips.
#include <fmt/format.h>

#include "visualizer/app/app.h"

namespace ridge::view {

void App::draw_message(Canvas& canvas, Rect area) {
  const bool toast = toast_seconds_ > 0;
  if ((session_.message.empty() || !session_.a()) && !toast) return;
  const std::string text = toast ? toast_ : fmt::format("{}   (Esc)", session_.message);
  const auto lines = canvas.wrapped(text, area.w * 0.7f, theme_.body());
  const float row = theme_.px(18), height = row * static_cast<float>(lines.size()) + theme_.px(12);
  float width = 0;
  for (const std::string& line : lines)
    width = std::max(width, canvas.text_width(line, theme_.body()));
  Rect box{area.x + (area.w - width) / 2 - theme_.px(12), area.y + theme_.px(48), width + theme_.px(24),
           height};
  canvas.box(box, theme_.panel_head, theme_.px(4));
  canvas.frame(box, toast ? theme_.edge : theme_.waste, theme_.px(1.5f), theme_.px(4));
  box = box.inset(theme_.px(12), theme_.px(6));
  for (const std::string& line : lines) {
    const Rect at = box.take_top(row);
    canvas.text({at.x, at.centre().y}, line, theme_.text, theme_.body());
  }
}

void App::draw_keys(Canvas& canvas, Rect area) {
  static constexpr std::array<std::pair<const char*, const char*>, 25> kKeys = {{
      {"1 - 9, 0", "choose a view"},
      {"Space", "play and pause"},
      {"left, right", "one access back, forth"},
      {"Shift + left, right", "the same source line"},
      {", and .", "the costly access before, after"},
      {"Home, End", "first, last access"},
      {"G", "go to an access by its number"},
      {"[ and ]", "slower, faster: 0.25x to 16x"},
      {"up, down", "another recorded block"},
      {"Tab", "blink between this run and the one before"},
      {"C", "both side by side, in the view that is shown; there V shows another"},
      {"P", "predict: type the cost, then see it"},
      {"T", "the PTX behind the line"},
      {"W, S, A, D, F", "zoom, pan, fit; the wheel zooms about the mouse"},
      {"I, O, X, E, J, K", "what if: padding, swizzle, elements, stride (Banks); fewer bytes (Roofline)"},
      {"N and B", "Links: the next step of several launches, the one before; Esc shows all"},
      {"Enter, E", "Accesses: to the costliest line; opens and closes all lines"},
      {"L", "dark or light"},
      {"+ and -", "larger, smaller"},
      {"Esc", "clear what is selected"},
      {"Ctrl + L", "copy the command that reopens this view"},
      {"Ctrl + S", "PNG of the panel under the mouse; with Shift SVG; Ctrl + G moving PNG"},
      {"Ctrl + Q", "quit"},
      {"mouse", "rest: explains; click: goes there or keeps it selected; drag along the strip"},
      {"?", "this list"},
  }};
  const float row = std::min(theme_.px(22), (area.h - theme_.px(40)) / static_cast<float>(kKeys.size()));
  const float width = std::min(area.w * 0.94f, theme_.px(620));
  const float height = row * static_cast<float>(kKeys.size()) + theme_.px(24);
  canvas.box(area, theme_.background.faded(0.7f));
  const Rect box{area.centre().x - width / 2, area.centre().y - height / 2, width, height};
  canvas.box(box, theme_.panel_head, theme_.px(6));
  canvas.frame(box, theme_.edge, theme_.px(1.5f), theme_.px(6));
  Rect inside = box.inset(theme_.px(16), theme_.px(12));
  for (const auto& [key, words] : kKeys) {
    Rect line = inside.take_top(row);
    canvas.text({line.x, line.centre().y}, key, theme_.text, {theme_.px(12), Face::bold, Align::left});
    line.take_left(theme_.px(140));
    const TextStyle style =
        canvas.text_width(words, theme_.body()) <= line.w ? theme_.body() : theme_.small();
    canvas.text({line.x, line.centre().y}, canvas.shortened(words, line.w, style), theme_.dim, style);
  }
}

void App::draw_prompt(Canvas& canvas, Rect area, const std::string& question, const std::string& typed,
                      const char* hint) {
  // Above the strip, where only figures stand: what is asked about stays to be seen.
  const float strip = std::clamp(area.h * 0.2f, theme_.px(70), theme_.px(170)),
              width = std::min(area.w, theme_.px(420));
  const Rect box{area.right() - width - theme_.px(12), area.bottom() - strip - theme_.px(90), width,
                 theme_.px(70)};
  canvas.box(box, theme_.panel_head, theme_.px(6));
  canvas.frame(box, theme_.focus, theme_.px(2), theme_.px(6));
  Rect inside = box.inset(theme_.px(16), theme_.px(10));
  const Rect first = inside.take_top(theme_.px(22));
  canvas.text({first.x, first.centre().y}, question, theme_.text, theme_.body());
  const Rect second = inside.take_top(theme_.px(28));
  canvas.text({second.x, second.centre().y}, typed + "_", theme_.text, theme_.number());
  canvas.text({second.right(), second.centre().y}, hint, theme_.dim, theme_.small(Align::right));
}

void App::draw_tooltip(Canvas& canvas, Rect area) {
  if (mouse_.x < 0 || !held_.empty() || keys_shown_) return;
  const Region* under = region_under(mouse_);
  if (!under || !under->tooltip) return;
  const std::string words = under->tooltip();
  if (words.empty()) return;
  const TextStyle style = theme_.body();
  const auto lines = canvas.wrapped(words, theme_.px(420), style);
  const float row = theme_.px(18);
  float width = 0;
  for (const std::string& line : lines)
    width = std::max(width, canvas.text_width(line, style));
  Rect box{mouse_.x + theme_.px(14), mouse_.y + theme_.px(18), width + theme_.px(16),
           row * static_cast<float>(lines.size()) + theme_.px(10)};
  if (box.right() > area.right()) box.x = std::max(area.x, mouse_.x - box.w - theme_.px(8));
  if (box.bottom() > area.bottom()) box.y = std::max(area.y, mouse_.y - box.h - theme_.px(8));
  canvas.box(box, theme_.panel_head, theme_.px(4));
  canvas.frame(box, theme_.edge, theme_.px(1), theme_.px(4));
  box = box.inset(theme_.px(8), theme_.px(5));
  for (size_t i = 0; i < lines.size(); ++i) {
    const Rect at = box.take_top(row);
    canvas.text({at.x, at.centre().y}, lines[i], i == 0 ? theme_.text : theme_.dim, style);
  }
}

}  // namespace ridge::view
