// ridge-view: shows what a kernel's warps do to memory, from a trace that `ridge trace` recorded.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <utility>

#include "visualizer/export/png.h"
#include "visualizer/session/clone_runs.h"
#include "visualizer/shell/headless.h"
#include "visualizer/shell/measure.h"
#include "visualizer/shell/play_animation.h"
#include "visualizer/shell/window.h"

namespace ridge::view {
namespace {

constexpr int kNotShown = 1, kUsage = 2, kMachineLacks = 3;

// "right right p 1 6 enter": simulated key presses, for pictures and tests.
KeyPress key_named(std::string name) {
  KeyPress press;
  for (bool more = true; more;) {
    more = false;
    if (name.starts_with("shift+")) press.shift = more = true, name.erase(0, 6);
    if (name.starts_with("ctrl+")) press.control = more = true, name.erase(0, 5);
  }
  static const std::map<std::string, KeyCode> kNames = {
      {"left", KeyCode::left},          {"right", KeyCode::right}, {"up", KeyCode::up},
      {"down", KeyCode::down},          {"home", KeyCode::home},   {"end", KeyCode::end},
      {"escape", KeyCode::escape},      {"tab", KeyCode::tab},     {"enter", KeyCode::enter},
      {"backspace", KeyCode::backspace}};
  if (const auto found = kNames.find(name); found != kNames.end())
    press.code = found->second;
  else if (name == "space")
    press.character = ' ';
  else if (name.size() == 1)
    press.character = name[0];
  else
    throw CLI::ValidationError(
        fmt::format("--keys has \"{}\"; keys are single letters, or space, left, right, up, down, home, end, "
                    "escape, tab, enter, backspace, with shift+ or ctrl+ before them",
                    name));
  return press;
}

void set_up(App& app, const Options& options) {
  Session& session = app.session();
  if (!options.file.empty() && session.open(options.file)) {
    if (!options.second.empty()) session.open_second(options.second);
  }
  session.set_lab(options.lab);
  CloneRuns clone(options.file.empty() ? options.clone : options.file);
  session.clone = clone.root();
  if (!options.picture.empty()) clone.refresh(session);  // a window reads in a separate thread
  std::error_code ignored;
  if (!session.a() && options.file.empty())
    session.view = trace::describe(options.lab.empty() && std::filesystem::exists(clone.store(), ignored)
                                       ? trace::ViewKind::roofline
                                       : trace::ViewKind::ladder)
                       .id;
  if (!options.view.empty()) app.show_view(options.view);
  if (!session.a()) return;
  if (options.block) {
    const auto& lines = session.a()->timelines();
    const auto found =
        std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.block() == *options.block; });
    if (found == lines.end()) {
      std::string known;
      for (const auto& line : lines)
        known += fmt::format("{}{}", known.empty() ? "" : ", ", line.block());
      session.message =
          fmt::format("Block {} is not in this trace; it has the blocks {}.", *options.block, known);
    } else {
      session.show_block(static_cast<size_t>(found - lines.begin()));
    }
  }
  if (options.at) session.playback().go_to(*options.at);
  session.playback().rest();
}

std::vector<KeyPress> keys_of(const Options& options) {
  std::vector<KeyPress> all;
  std::istringstream keys(options.keys);
  for (std::string key; keys >> key;)
    all.push_back(key_named(key));
  return all;
}

// A window shows what is available and reports what is missing; a picture of something else would
// be useless.
bool is_as_asked(const Session& session, const Options& options) {
  if (!session.a()) return true;
  return (options.second.empty() || session.b()) &&
         (!options.block || (session.timeline() && session.timeline()->block() == *options.block));
}

int picture(App& app, const Options& options, const std::vector<KeyPress>& keys) {
  if (!is_as_asked(app.session(), options)) {
    fmt::print(stderr, "ridge-view: {}\n", app.session().message);
    return kNotShown;
  }
  // A file that cannot be read is reported before OpenGL is needed.
  if (!app.session().a() && (!options.file.empty() || app.session().clone.empty())) {
    if (app.session().message.empty())
      app.session().message = "there is nothing to show: name a trace, or a clone of the course with --clone";
    fmt::print(stderr, "ridge-view: {}\n", app.session().message);
    return kNotShown;
  }
  // What is wrong with the clone around a trace does not belong into the trace's picture.
  if (app.session().a() && !app.session().message.empty())
    fmt::print(stderr, "ridge-view: {}\n", std::exchange(app.session().message, {}));
  // Nobody can press a key in a picture; with --keys it shows what the keys did.
  app.session().offers_what_if = !keys.empty();
  Headless headless(options.width, options.height);
  Painter painter;
  app.set_theme(app.theme().dark, options.scale > 0 ? options.scale : 1);
  painter.paint(app, options.width, options.height, 0);
  // As with a user, each key acts on a picture that was drawn before.
  if (options.mouse) app.mouse_to({options.mouse->first, options.mouse->second});
  for (const KeyPress& key : keys) {
    app.press(key);
    app.session().playback().rest();
    painter.paint(app, options.width, options.height, 0);
  }
  if (options.mouse) app.mouse_to({options.mouse->first, options.mouse->second});
  app.session().playback().rest();
  painter.paint(app, options.width, options.height, 0);
  Rect part{0, 0, static_cast<float>(options.width), static_cast<float>(options.height)};
  if (!options.panel.empty()) {
    part = app.panel(options.panel);
    if (part.w < 1) {
      fmt::print(stderr, "ridge-view: there is no panel \"{}\" in this picture; it has {}\n", options.panel,
                 app.known_panels());
      return kUsage;
    }
    part = {std::floor(part.x), std::floor(part.y), std::floor(part.w), std::floor(part.h)};
  }
  if (options.picture.ends_with(".svg"))
    write_text(options.picture, painter.svg(app, options.width, options.height, part));
  else if (options.play_seconds > 0)
    play_animation(app, painter, options.width, options.height, part, options.play_seconds)
        .write(options.picture);
  else
    write_png(options.picture, static_cast<int>(part.w), static_cast<int>(part.h),
              cut_out(painter.pixels(options.width, options.height), options.width, part));
  if (!app.session().message.empty()) fmt::print(stderr, "ridge-view: {}\n", app.session().message);
  return 0;
}

int main_of(int argc, char** argv) {
  CLI::App program("Shows what a kernel's warps do to memory, from a trace of `ridge trace`.", "ridge-view");
  Options options;
  std::string size, mouse;
  program.add_option("FILE", options.file, "a trace (.rtrace); without one: the runs of the clone");
  program.add_option("SECOND", options.second, "another, to compare with (view 8)");
  program.add_option("--clone", options.clone,
                     "whose runs and ladder are shown without FILE (default: this one)");
  program.add_option("--lab", options.lab, "only runs of this lab, and its ladder: 02-coalescing");
  program
      .add_option("--view", options.view,
                  fmt::format("{}", fmt::join(trace::view_ids(), ", ")))
      ->check(CLI::IsMember(trace::view_options()))
      ->type_name("TEXT");
  program.add_option("--block", options.block, "the linear index of a recorded block");
  program.add_option("--at", options.at, "which access of the block, from 0");
  program.add_option("--theme", options.theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
  program.add_option("--scale", options.scale, "1 to 3")->check(CLI::Range(0.5, 4.0));
  program.add_option("--size", size, "of the window or picture: 1600x1000");
  program.add_option("--picture", options.picture, "write a PNG (or FILE.svg) and open no window");
  program.add_option("--keys", options.keys, "keys to press first: \"right right p\"");
  program.add_option("--mouse", mouse, "where the mouse is in the picture: 400,300");
  program.add_option("--panel", options.panel, "only this part of the picture: view, source, pyramid, ...");
  program.add_option("--play", options.play_seconds, "an animated PNG: so many seconds of playing")
      ->check(CLI::Range(0.1, 60.0));
  program.add_flag("--measure", options.measure,
                   "print what opening, scrubbing and drawing cost, open no window");
  program.footer(
      "Examples:\n  ridge-view .ridge/traces/02-coalescing-4-transpose-tiled.rtrace\n"
      "  ridge-view --lab 02-coalescing\n"
      "  ridge-view --picture banks.png --view banks --theme light FILE.rtrace\n"
      "  ridge-view --picture moving.png --panel view --play 6 FILE.rtrace\nPress ? for the keys.");
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : kUsage;
  }
  if (!options.picture.empty() && !options.picture.ends_with(".png") && !options.picture.ends_with(".svg")) {
    fmt::print(stderr, "ridge-view: --picture {}: name it .png or .svg, which is what it can be\n",
               options.picture);
    return kUsage;
  }
  if (!size.empty() &&
      (std::sscanf(size.c_str(), "%dx%d", &options.width, &options.height) != 2 || options.width < 64 ||
       options.height < 64 || options.width > 16384 || options.height > 16384)) {
    fmt::print(stderr, "ridge-view: --size {} is not a size; write it as 1600x1000, each from 64 "
                       "to 16384\n",
               size);
    return kUsage;
  }
  if (float x = 0, y = 0; !mouse.empty()) {
    if (std::sscanf(mouse.c_str(), "%f,%f", &x, &y) != 2) {
      fmt::print(stderr, "ridge-view: --mouse {} is not a position; write it as 400,300\n", mouse);
      return kUsage;
    }
    options.mouse = {x, y};
  }
  if (options.measure) {
    try {
      fmt::print("{}", measure(options));
      return 0;
    } catch (const std::exception& error) {
      fmt::print(stderr, "ridge-view: {}\n", error.what());
      return kNotShown;
    }
  }
  App app(options.theme == "dark", 1);
  std::vector<KeyPress> keys;
  try {
    keys = keys_of(options);
    set_up(app, options);
  } catch (const CLI::Error& error) {
    fmt::print(stderr, "ridge-view: {}\n", error.what());
    return kUsage;
  }
  try {
    if (!options.picture.empty()) return picture(app, options, keys);
    for (const KeyPress& key : keys)
      app.press(key);
    if (!options.file.empty() && !app.session().a()) {
      // Report before anything that needs a display. A file that exists but cannot be read yet is
      // waited for.
      fmt::print(stderr, "ridge-view: {}\n", app.session().message);
      if (std::error_code error; !std::filesystem::exists(options.file, error)) return kNotShown;
    }
    run_window(app, options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ridge-view: {}\n", error.what());
    return kMachineLacks;
  }
}

}  // namespace
}  // namespace ridge::view

int main(int argc, char** argv) {
  return ridge::view::main_of(argc, argv);
}
