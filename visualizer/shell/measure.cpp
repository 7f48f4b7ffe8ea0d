#include "visualizer/shell/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <stdexcept>

#include "visualizer/session/clone_runs.h"
#include "visualizer/shell/headless.h"
#include "visualizer/shell/painter.h"
#include "visualizer/views/view.h"

namespace ridge::view {
namespace {

double ms_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}
double processor_ms() {  // of all threads
  return ms_of(CLOCK_PROCESS_CPUTIME_ID);
}
double wall_ms() {
  return ms_of(CLOCK_MONOTONIC);
}

struct Times {
  std::vector<double> ms;
  double middle() {
    std::nth_element(ms.begin(), ms.begin() + static_cast<ptrdiff_t>(ms.size() / 2), ms.end());
    return ms[ms.size() / 2];
  }
  double largest() const { return *std::max_element(ms.begin(), ms.end()); }
};

// Distant positions all over the block: each is decoded from its checkpoint.
std::string scrubbing(Session& session) {
  constexpr size_t kPlaces = 1000;
  Times times;
  size_t at = 0;
  for (size_t k = 0; k < kPlaces && session.timeline(); ++k) {
    at = (at + 7919 * 31) % session.timeline()->size();
    const double begin = processor_ms();
    session.playback().go_to(at);
    if (session.record() == nullptr) return {};
    times.ms.push_back(processor_ms() - begin);
  }
  session.playback().rest();
  return fmt::format("go to a record  {:.3f} ms in the middle of {}, {:.3f} ms at most\n", times.middle(),
                     kPlaces, times.largest());
}

// Draws a view while it plays. The first pictures are excluded from the median because of one-time
// work, but not from the maximum.
std::string drawing(App& app, Painter& painter, const std::string& view, const Options& options) {
  constexpr int kPictures = 60;
  constexpr double kSecondsEach = 1.0 / 30;
  app.show_view(view);
  auto& playback = app.session().playback();
  playback.home();
  playback.toggle();
  Times lists, all;
  for (int k = 0; k < kPictures; ++k) {
    const double begin = processor_ms();
    painter.paint(app, options.width, options.height, kSecondsEach);
    static_cast<void>(painter.pixels(1, 1));  // waits for OpenGL
    all.ms.push_back(processor_ms() - begin);
    lists.ms.push_back(painter.build_seconds() * 1e3);
  }
  playback.pause();
  return fmt::format("{:10} {:8.2f} {:8.2f} {:12.2f}\n", view, lists.middle(), lists.largest(), all.middle());
}

}  // namespace

std::string measure(const Options& options) {
  App app(options.theme == "dark", 1);
  const double begin = processor_ms(), began = wall_ms();
  if (!app.session().open(options.file)) throw std::runtime_error(app.session().message);
  const double opened = processor_ms() - begin, waited = wall_ms() - began;
  // As in a window: a thread counts from the opening of the trace on, and pictures do not wait for
  // it.
  app.session().in_background = true;
  app.session().a()->survey(true);
  const double counted = processor_ms() - begin - opened;
  std::string text =
      fmt::format("opened in       {:.1f} ms, {:.1f} of processor time: {} records, {:.1f} MB\n", waited,
                  opened, app.session().a()->trace().records(),
                  static_cast<double>(std::filesystem::file_size(options.file)) / 1e6);
  text += fmt::format("counted in      {:.1f} ms, by a thread of its own\n", counted);
  if (app.session().timeline() && app.session().timeline()->size()) text += scrubbing(app.session());
  CloneRuns(options.file).refresh(app.session());
  Headless headless(options.width, options.height);
  Painter painter;
  app.set_theme(app.theme().dark, options.scale > 0 ? options.scale : 1);
  text += fmt::format(
      "pictures of {} x {}, milliseconds of processor time each, while playing:\n"
      "view          lists  at most  with OpenGL\n",
      options.width, options.height);
  for (const auto& view : make_views())
    text += drawing(app, painter, std::string(view->id()), options);
  return text;
}

}  // namespace ridge::view
