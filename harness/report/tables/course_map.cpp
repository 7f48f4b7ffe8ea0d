// The course as a table: labs, rungs, verdicts, best percentages, and the next step.
#include "harness/report/tables/course_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/report/text/fold.h"
#include "harness/report/text/text.h"
#include "text/layout.h"

namespace ridge::report {
namespace {

constexpr size_t kVerdictColumns = 13;  // "COMPILE ERROR"
constexpr size_t kBestColumns = 7;      // "virtual", "100.3%"

std::string verdict_of(const RungRecord& record, bool untouched, const Style& style) {
  if (record.passed)
    return style.paint(Colour::green, text::padded(record.gold ? "GOLD" : "PASS", kVerdictColumns));
  if (record.last)
    return style.paint(colour_of(*record.last), text::padded(to_string(*record.last), kVerdictColumns));
  return style.paint(Colour::dim, text::padded(untouched ? "not started" : "-", kVerdictColumns));
}

std::string best_of(const RungRecord& record, const Style& style) {
  if (record.best_percent) return text::padded(fmt::format("{:6.1f}%", *record.best_percent), kBestColumns);
  return style.paint(Colour::dim,
                     text::padded(record.passed && !record.passed_on_gpu ? "virtual" : "", kBestColumns));
}

// Removes the padding of a column, which precedes the end of a colour sequence.
std::string unpadded(std::string text) {
  const size_t end = text.ends_with("\x1b[0m") ? text.size() - 4 : text.size();
  size_t blanks = 0;
  while (blanks < end && text[end - blanks - 1] == ' ')
    ++blanks;
  return text.erase(end - blanks, blanks);
}

// "  97.3% NVIDIA H200, 88.0% NVIDIA A100"
std::string by_device(const RungRecord& record) {
  std::string text;
  for (const auto& [device, percent] : record.best_by_device)
    text += fmt::format("{}{:.1f}% {}", text.empty() ? "  " : ", ", percent, device);
  return text;
}

// Explains the columns that have content.
std::string legend(const std::map<std::string, RungRecord>& records, const std::set<std::string>& devices) {
  std::string text;
  if (devices.size() == 1)
    text +=
        fmt::format("%: of the library, measured on {}; the best version that passed\n", *devices.begin());
  if (devices.size() > 1) text += "%: of the library, measured; the best version that passed\n";
  const bool unmeasured = std::any_of(records.begin(), records.end(), [](const auto& entry) {
    return entry.second.passed && !entry.second.passed_on_gpu;
  });
  if (unmeasured) text += "virtual: passed on the virtual GPU, not timed on a real one yet\n";
  return text;
}

}  // namespace

std::string progress_bar(size_t done, size_t all, size_t cells) {
  const size_t full = all == 0 ? 0 : done * cells / all;
  std::string bar;
  for (size_t i = 0; i < cells; ++i)
    bar += i < full ? "█" : "░";
  return fmt::format("{} {}/{}", bar, done, all);
}

std::string show_course(const course::Course& course, const std::map<std::string, RungRecord>& records,
                        const Style& style, const std::set<std::string>& untouched) {
  size_t longest = 0, done = 0, all = 0;
  for (const course::Lab& lab : course.labs) {
    for (const course::Rung& rung : lab.rungs)
      longest = std::max(longest, text::columns_of(rung.name));
  }
  const course::Rung* next = nullptr;
  std::set<std::string> devices;
  for (const auto& [rung, record] : records) {
    for (const auto& [device, percent] : record.best_by_device)
      devices.insert(device);
  }
  std::string text;
  for (const course::Lab& lab : course.labs) {
    const bool fits =
        text::columns_of(lab.name) + 2 + text::columns_of(lab.summary) <= static_cast<size_t>(style.width);
    text += style.paint(Colour::bold, lab.name);
    text += fits || !style.narrow
                ? fmt::format("  {}\n", style.paint(Colour::dim, lab.summary))
                : "\n" + style.paint(Colour::dim,
                                     text::wrapped(lab.summary, static_cast<size_t>(style.width), 2));
    for (const course::Rung& rung : lab.rungs) {
      const auto found = records.find(rung.path());
      const RungRecord record = found == records.end() ? RungRecord{} : found->second;
      const std::string verdict = verdict_of(record, untouched.contains(rung.path()), style);
      const std::string line =
          fmt::format("  {}  {} {}  {}{}", text::padded(rung.name, longest), verdict,
                      best_of(record, style), rung.title,
                      devices.size() > 1 ? style.paint(Colour::dim, by_device(record)) : "");
      // The title is shortened first; verdict and percentage never are.
      constexpr size_t kLeastOfTitle = 8;
      const size_t width = static_cast<size_t>(style.width),
                   title_at = 2 + longest + 2 + kVerdictColumns + 1 + kBestColumns + 2;
      if (style.narrow && title_at + kLeastOfTitle > width)
        text += fmt::format("  {}  {}{}\n", text::padded(rung.name, longest),
                            unpadded(verdict), unpadded(" " + best_of(record, style)));
      else
        text += (style.narrow ? cut(line, width) : line) + "\n";
      if (!record.passed && !next) next = &rung;
      done += record.passed;
      ++all;
    }
  }
  text += "\n" + progress_bar(done, all, 20) + " rungs pass\n";
  if (next)
    text +=
        fitted(fmt::format("Next: edit labs/{}.cu; ./ridge grades it at every save.\n", next->path()), style);
  return text + fitted(style.paint(Colour::dim, legend(records, devices)), style);
}

}  // namespace ridge::report
