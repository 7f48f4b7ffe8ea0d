#include "visualizer/web/description.h"

#include <fmt/format.h>

#include "text/numbers.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {
namespace {

// "Access 3 of 12, warp 0 of block (0, 0), line 17: store of 4 B per lane to global memory. 32 sectors, 4 would do."
std::string access_sentence(const Session& session, const trace::TraceRecord& record) {
  const trace::TraceLaunch& launch = session.a()->launch();
  const Playback& playback = session.playback();
  const auto& mark = session.timeline()->mark(playback.at());
  const uint32_t line = session.source_line();
  std::string words = fmt::format(
      "Access {} of {}, warp {} of block {}{}: {}{}{}.", text::with_thousands(playback.at() + 1),
      text::with_thousands(playback.size()), record.warp,
      block_name(launch, session.timeline()->block()), line ? fmt::format(", line {}", line) : "",
      what_it_does(record), some_lanes_text(record), other_block_text(launch, record));
  const std::string cost = cost_text(mark.space, mark.actual, mark.ideal);
  if (!cost.empty() && !session.cost_hidden()) words += fmt::format(" {}.", cost);
  return words;
}

}  // namespace

std::string describe(const Session& session, const View& view) {
  if (!session.a() && view.needs_trace()) return session.message;
  std::string words = fmt::format("{} view", view.name());
  if (session.a()) words += fmt::format(" of {}", session.a()->title());
  words += ".";
  const auto* record = session.record();
  const bool of_access = view.is_of_access() && record;
  if (of_access) words += " " + access_sentence(session, *record);
  if (session.a() && !session.cost_hidden()) {
    const trace::TraceScene& scene = session.a()->trace().notes.scene;
    if (scene.view == view.id() && session.has_scene() && (!of_access || session.at_scene()))
      words += " " + scene.text;
  }
  return words + " " + std::string(view.sentence_now(session));
}

}  // namespace ridge::view
