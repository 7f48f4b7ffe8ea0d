#include "harness/report/worklog/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace ridge::report {
namespace {

constexpr double kMargin = 72;
// Heights in the picture of 0, 100 % and the maximum of the bars.
constexpr double kFloorY = 474, kLibraryY = 250, kTopY = 212;
constexpr double kLabGap = 26, kWidestBar = 112, kNamedSlot = 78;

const char* const kStyle = R"svg(
<defs>
 <linearGradient id="night" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#0a0f1f"/><stop offset="1" stop-color="#16203f"/></linearGradient>
 <linearGradient id="pass" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#5eead4"/><stop offset="1" stop-color="#0e7490"/></linearGradient>
 <linearGradient id="gold" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#fde68a"/><stop offset="1" stop-color="#d97706"/></linearGradient>
 <linearGradient id="roof" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="#818cf8" stop-opacity="0"/><stop offset="0.35" stop-color="#818cf8" stop-opacity="0.9"/><stop offset="1" stop-color="#c7d2fe"/></linearGradient>
 <radialGradient id="glow"><stop offset="0" stop-color="#6366f1" stop-opacity="0.38"/><stop offset="1" stop-color="#6366f1" stop-opacity="0"/></radialGradient>
</defs>
<style>
 text { font-family: Inter, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; fill: #f5f7ff; }
 .brand { font-size: 17px; font-weight: 600; letter-spacing: 5px; fill: #a5b4fc; }
 .title { font-size: 50px; font-weight: 700; letter-spacing: -1px; }
 .dim { fill: #93a0c7; font-size: 20px; }
 .count { font-size: 64px; font-weight: 700; letter-spacing: -2px; text-anchor: end; }
 .right { text-anchor: end; }
 .middle { text-anchor: middle; }
 .percent { font-size: 19px; font-weight: 600; text-anchor: middle; }
 .slim { font-size: 13px; }
 .rung { font-size: 15px; fill: #a3afd6; text-anchor: middle; }
 .lab { font-size: 15px; font-weight: 600; fill: #c3cdf0; text-anchor: middle; }
 .foot { font-size: 16px; fill: #7c89b3; }
</style>
)svg";

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // Other characters are not allowed in XML.
        if (static_cast<unsigned char>(letter) >= 0x20) result += letter;
    }
  }
  return result;
}

std::string words(double x, double y, const std::string& style, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, style, escaped(text));
}

struct Slot {
  const course::Rung* rung = nullptr;
  RungRecord record;
  double left = 0;  // of the slot
};

// Splits "2-grid-stride-saxpy" into lines that fit: "grid-stride", "saxpy". The number is omitted
// because the position shows it.
std::vector<std::string> lines_of(const std::string& name, size_t letters) {
  const size_t dash = name.find('-');
  const bool numbered = dash != std::string::npos && name.find_first_not_of("0123456789") == dash;
  std::vector<std::string> lines = {""};
  std::string word;
  for (const char letter : (numbered ? name.substr(dash + 1) : name) + "-") {
    if (letter != '-') {
      word += letter;
      continue;
    }
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > letters) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    word.clear();
  }
  return lines;
}

double height_of(double percent) {
  const double scale = (kFloorY - kLibraryY) / 100;
  return std::clamp(percent * scale, 6.0, kFloorY - kTopY);
}

std::string rounded(double x, double y, double width, double height, const std::string& paint) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\" {}/>\n", x, y, width,
      height, std::min(8.0, width / 3), paint);
}

std::string bar(const Slot& slot, double slot_width) {
  const double width = std::min(kWidestBar, slot_width * 0.68);
  const double x = slot.left + (slot_width - width) / 2, middle = slot.left + slot_width / 2;
  const RungRecord& record = slot.record;
  std::string text =
      rounded(x, kLibraryY, width, kFloorY - kLibraryY, "fill=\"#ffffff\" fill-opacity=\"0.045\"");
  const char* size = slot_width < 56 ? "percent slim" : "percent";
  if (record.best_percent) {
    const double height = height_of(*record.best_percent);
    text += rounded(x, kFloorY - height, width, height,
                    record.gold ? "fill=\"url(#gold)\"" : "fill=\"url(#pass)\"");
    if (slot_width >= 30) {
      // Inside the bar if it would overlap the library's line.
      const double top = kFloorY - height;
      const bool inside = top < kLibraryY + 30 && top > kLibraryY - 30;
      const std::string label = fmt::format("{:.0f}%", *record.best_percent);
      text += inside ? fmt::format(
                           "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" style=\"fill:#0a0f1f\">{}</text>\n",
                           middle, std::max(top, kLibraryY) + 28, size, label)
                     : words(middle, top - 10, size, label);
    }
  } else if (record.passed) {
    text += rounded(x + 1, kLibraryY + 1, width - 2, kFloorY - kLibraryY - 2,
                    "fill=\"#5eead4\" fill-opacity=\"0.07\" stroke=\"#5eead4\" stroke-width=\"2\" "
                    "stroke-dasharray=\"6 6\"");
    text += fmt::format(
        "<path d=\"M {:.1f} {:.1f} l 7 8 l 13 -16\" fill=\"none\" stroke=\"#5eead4\" stroke-width=\"3.5\" "
        "stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n",
        middle - 10, (kLibraryY + kFloorY) / 2);
  }
  if (slot_width >= kNamedSlot) {
    const auto lines = lines_of(slot.rung->name, static_cast<size_t>(slot_width / 8.2));
    for (size_t i = 0; i < lines.size() && i < 3; ++i)
      text += words(middle, kFloorY + 24 + 17 * static_cast<double>(i), "rung", lines[i]);
  }
  return text;
}

// Draws the roof of a roofline whose flat part is the library.
std::string roof() {
  const double ridge = kMargin - 16;
  return fmt::format(
             "<path d=\"M {:.0f} {:.0f} L {:.0f} {:.0f} L {:.0f} {:.0f}\" fill=\"none\" "
             "stroke=\"url(#roof)\" "
             "stroke-width=\"2.5\" stroke-linejoin=\"round\"/>\n<circle cx=\"{:.0f}\" cy=\"{:.0f}\" r=\"5\" "
             "fill=\"#c7d2fe\"/>\n",
             ridge - 110, kLibraryY + 150, ridge, kLibraryY, kCardWidth - kMargin, kLibraryY, ridge,
             kLibraryY) +
         words(kMargin - 6, kLibraryY - 12, "foot", "the library, 100%");
}

struct Totals {
  size_t rungs = 0, passed = 0, gold = 0, unmeasured = 0;
  std::set<std::string> devices;
};

Totals totals_of(const std::vector<Slot>& slots) {
  Totals totals;
  for (const Slot& slot : slots) {
    ++totals.rungs;
    totals.passed += slot.record.passed;
    totals.gold += slot.record.gold;
    totals.unmeasured += slot.record.passed && !slot.record.best_percent;
    for (const auto& [device, percent] : slot.record.best_by_device)
      totals.devices.insert(device);
  }
  return totals;
}

std::string footer(const Totals& totals, const CardText& text) {
  std::string how;
  for (const std::string& device : totals.devices)
    how += (how.empty() ? "measured side by side with the library on " : ", ") + device;
  if (totals.unmeasured > 0)
    how += std::string(how.empty() ? "" : " · ") + "dashed: right on the virtual GPU, not timed";
  return words(kMargin, kCardHeight - 34, "foot", how) +
         words(kCardWidth - kMargin, kCardHeight - 34, "right foot", text.date);
}

}  // namespace

std::string card(std::span<const course::Lab* const> labs, const std::map<std::string, RungRecord>& records,
                 const CardText& text) {
  std::vector<Slot> slots;
  for (const course::Lab* lab : labs) {
    for (const course::Rung& rung : lab->rungs) {
      const auto found = records.find(rung.path());
      slots.push_back({&rung, found == records.end() ? RungRecord{} : found->second, 0});
    }
  }
  const Totals totals = totals_of(slots);
  const double room = kCardWidth - 2 * kMargin - kLabGap * static_cast<double>(labs.size() - 1);
  const double slot_width = room / static_cast<double>(std::max<size_t>(1, slots.size()));

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n"
      "<title>{2}: {3} of {4} rungs</title>{5}"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"url(#night)\"/>\n"
      "<circle cx=\"{0}\" cy=\"0\" r=\"520\" fill=\"url(#glow)\"/>\n",
      kCardWidth, kCardHeight, escaped(text.title), totals.passed, totals.rungs, kStyle);
  svg += words(kMargin, 74, "brand", "RIDGEPOINT");
  svg += words(kMargin, 134, "title", text.title);
  if (!text.name.empty()) svg += words(kMargin, 172, "dim", text.name);
  svg += words(kCardWidth - kMargin, 122, "count", fmt::format("{}/{}", totals.passed, totals.rungs));
  svg += words(kCardWidth - kMargin, 156, "right dim",
               totals.gold > 0 ? fmt::format("rungs climbed, {} in gold", totals.gold) : "rungs climbed");
  svg += roof();
  double left = kMargin;
  size_t next = 0;
  for (const course::Lab* lab : labs) {
    const double first = left;
    for (size_t i = 0; i < lab->rungs.size(); ++i, ++next) {
      slots[next].left = left;
      svg += bar(slots[next], slot_width);
      left += slot_width;
    }
    if (labs.size() > 1) {
      const double middle = (first + left) / 2, width = left - first;
      const bool titled = width > 7.5 * static_cast<double>(lab->title.size());
      svg += words(middle, kFloorY + (slot_width >= kNamedSlot ? 78 : 30), "lab",
                   titled ? lab->title : fmt::format("{:02}", lab->number));
    }
    left += kLabGap;
  }
  return svg + footer(totals, text) + "</svg>\n";
}

}  // namespace ridge::report
