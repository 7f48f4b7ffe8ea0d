#include "harness/report/worklog/card.h"

#include <regex>

#include "tests/catch.h"

using namespace ridge;

namespace {

course::Lab lab_named(const std::string& name, int rungs) {
  course::Lab lab;
  lab.name = name;
  lab.number = 1;
  lab.title = "Kernels <&> \"basics\"";
  for (int i = 1; i <= rungs; ++i) {
    course::Rung rung;
    rung.lab = name;
    rung.name = std::to_string(i) + "-grid-stride-saxpy";
    lab.rungs.push_back(rung);
  }
  return lab;
}

size_t count_of(const std::string& what, const std::string& text) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

// Elements open and close in order, and no text holds a bare < or &.
bool well_formed(const std::string& svg) {
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([a-zA-Z]+)[^<>]*?(/?)>)");
  std::string rest = svg;
  for (std::sregex_iterator it(svg.begin(), svg.end(), tag), end; it != end; ++it) {
    const std::smatch& match = *it;
    if (match[3].length() > 0) continue;
    if (match[1].length() == 0) {
      open.push_back(match[2]);
    } else {
      if (open.empty() || open.back() != match[2]) return false;
      open.pop_back();
    }
  }
  const std::string text = std::regex_replace(svg, tag, "");
  return open.empty() && text.find('<') == std::string::npos &&
         !std::regex_search(text, std::regex("&(?!amp;|lt;|gt;|quot;)"));
}

report::RungRecord measured(double percent, bool gold) {
  report::RungRecord record;
  record.passed = record.passed_on_gpu = true;
  record.gold = gold;
  record.best_percent = percent;
  record.best_by_device = {{"NVIDIA H200", percent}};
  return record;
}

}  // namespace

TEST_CASE("a card shows each rung as measured, gold, virtual only, or open") {
  const course::Lab lab = lab_named("01-a", 4);
  const course::Lab* labs[] = {&lab};
  report::RungRecord only_virtual;
  only_virtual.passed = true;
  const std::string svg = report::card(labs,
                                       {{"01-a/1-grid-stride-saxpy", measured(71.4, false)},
                                        {"01-a/2-grid-stride-saxpy", measured(97.6, true)},
                                        {"01-a/3-grid-stride-saxpy", only_virtual}},
                                       {lab.title, "O'Neil & <Sons>", "21 November 2026"});
  CHECK(well_formed(svg));
  CHECK(count_of(">71%<", svg) == 1);
  CHECK(count_of(">98%<", svg) == 1);
  CHECK(count_of("fill=\"url(#pass)\"", svg) == 1);
  CHECK(count_of("fill=\"url(#gold)\"", svg) == 1);
  CHECK(count_of("stroke-dasharray", svg) == 1);
  CHECK_THAT(svg, Catch::Contains(">3/4<") && Catch::Contains("rungs climbed, 1 in gold"));
  CHECK_THAT(svg,
             Catch::Contains(
                 "measured side by side with the library on NVIDIA H200 · dashed: right on the virtual"));
  CHECK_THAT(svg, Catch::Contains("O'Neil &amp; &lt;Sons&gt;") && Catch::Contains("Kernels &lt;&amp;&gt;"));
  CHECK(count_of("http", svg) == 1);  // the name space; nothing is fetched
}

TEST_CASE("an empty card and one of a hundred rungs fit their frame") {
  const course::Lab one = lab_named("01-a", 1), many = lab_named("02-b", 99);
  for (const bool full : {false, true}) {
    const course::Lab* labs[] = {&one, &many};
    std::map<std::string, report::RungRecord> records;
    for (const course::Rung& rung : many.rungs)
      if (full) records[rung.path()] = measured(250, true);
    const std::string svg = report::card(labs, records, {"All", "", ""});
    CHECK(well_formed(svg));
    CHECK_THAT(svg, Catch::Contains(full ? ">99/100<" : ">0/100<"));
    const std::regex rectangle(
        R"re(<rect x="([\d.-]+)" y="([\d.-]+)" width="([\d.-]+)" height="([\d.-]+)")re");
    size_t seen = 0;
    for (std::sregex_iterator it(svg.begin(), svg.end(), rectangle), end; it != end; ++it, ++seen) {
      CHECK(std::stod((*it)[1]) >= 0);
      CHECK(std::stod((*it)[2]) >= 180);  // below the title
      CHECK(std::stod((*it)[1]) + std::stod((*it)[3]) <= report::kCardWidth);
      CHECK(std::stod((*it)[2]) + std::stod((*it)[4]) <= report::kCardHeight);
    }
    CHECK(seen == (full ? 199u : 100u));
  }
}
