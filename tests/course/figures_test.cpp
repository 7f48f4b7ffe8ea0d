// Compares the figures in chapters, solutions, worklog pages and ladder charts with the committed
// measurements. `course/quote_measured.py --write` and `ridge-ladders` update them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Percentages of the baseline by rung ("01-kernel-basics/4-float4"), of all committed runs, ascending.
std::map<std::string, std::vector<double>> measured_runs(const fs::path& root) {
  std::map<std::string, std::vector<double>> runs;
  for (const auto& entry : fs::directory_iterator(root / "course/measured/nvidia-h200")) {
    if (entry.path().filename().string().find(".run") == std::string::npos) continue;
    const auto document = nlohmann::json::parse(text_of(entry.path()));
    for (const auto& result : document["results"])
      if (result["measured"].is_object()) runs[result["rung"]].push_back(result["measured"]["percent"]);
  }
  for (auto& [rung, values] : runs)
    std::sort(values.begin(), values.end());
  return runs;
}

// The medians of these: "99.9%".
std::map<std::string, std::string> measured_percent(const fs::path& root) {
  std::map<std::string, std::string> medians;
  for (const auto& [rung, values] : measured_runs(root)) {
    const size_t middle = values.size() / 2;
    medians[rung] = fmt::format(
        "{:.1f}%", values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2);
  }
  return medians;
}

// "" or the page: folders of worklogs are known by their lab's number.
fs::path worklog_page(const fs::path& root, const std::string& lab, const std::string& rung) {
  std::error_code none;
  for (const auto& folder : fs::directory_iterator(root / "course/worklogs", none))
    if (folder.path().filename().string().starts_with(lab.substr(0, 3)) &&
        fs::exists(folder.path() / (rung + ".md")))
      return folder.path() / (rung + ".md");
  return {};
}

std::string line_with(const std::string& text, const std::string& words) {
  const size_t at = text.find(words);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

// The paragraph that begins with `words`, as one line; "" if there is none.
std::string paragraph_with(const std::string& text, const std::string& words) {
  const size_t at = text.find(words);
  if (at == std::string::npos) return "";
  std::string paragraph = text.substr(at, text.find("\n\n", at) - at);
  std::replace(paragraph.begin(), paragraph.end(), '\n', ' ');
  return paragraph;
}

class Check {
 public:
  explicit Check(const fs::path& root) : root_(root), medians_(measured_percent(root)) {}

  std::vector<std::string> complaints() {
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "solutions"))
      if (entry.path().extension() == ".cu") look_at(entry.path());
    return complaints_;
  }
  int measured() const { return measured_; }

 private:
  void complain(const fs::path& file, const std::string& what) {
    complaints_.push_back(file.lexically_relative(root_).string() + " " + what);
  }

  bool lab_measured(const std::string& lab) const {
    const auto first = medians_.lower_bound(lab + "/");
    return first != medians_.end() && first->first.starts_with(lab + "/");
  }

  // A rung whose table in lab.toml has no target is not timed, so it has no percentage.
  bool is_timed(const std::string& lab, const std::string& rung) const {
    const std::string toml = text_of(root_ / "labs" / lab / "lab.toml");
    const size_t at = toml.find("name = \"" + rung + "\"");
    return at == std::string::npos || toml.find("\ntarget = ", at) < toml.find("\n[[rung]]\n", at);
  }

  void look_at(const fs::path& solution) {
    const std::string lab = solution.parent_path().filename().string(), rung = solution.stem().string();
    const std::string quoted = line_with(text_of(solution), "Measured on an H200: ");
    const fs::path page = worklog_page(root_, lab, rung);
    const std::string won = page.empty() ? "" : paragraph_with(text_of(page), "**Won");
    // A lab is measured as a whole; until then nothing may say that it was.
    if (!lab_measured(lab)) {
      if (!quoted.empty()) complain(solution, "quotes what is in no file");
      if (std::regex_search(won, std::regex(R"(\d%\*\* of)"))) complain(page, "quotes what is in no file");
      return;
    }
    const auto median = medians_.find(lab + "/" + rung);
    if (median == medians_.end() && !is_timed(lab, rung)) {
      if (!quoted.empty()) complain(solution, "quotes what is in no file");
      return;
    }
    if (median == medians_.end()) return complain(solution, "was not measured with the rest of its lab");
    ++measured_;
    const std::string& percent = median->second;
    if (!quoted.starts_with("Measured on an H200: " + percent + " of "))
      complain(solution, "does not say: Measured on an H200: " + percent);
    if (!page.empty()) look_at_page(page, won, lab, percent);
    look_at_sizes(page, lab + "." + rung + ".sizes.json");
    const fs::path chapter = root_ / "course/chapters" / (lab + ".md");
    const std::string text = text_of(chapter), row = line_with(text, "| `" + rung + "` |");
    if (row.find(" " + percent + " |") == std::string::npos)
      complain(chapter, fmt::format("has no row of {} that ends with {}", rung, percent));
    for (const char* old : {"No percentages stand here", "Percentages of the library are missing"})
      if (text.find(old) != std::string::npos) complain(chapter, std::string("still says: ") + old);
  }

  void look_at_page(const fs::path& page, const std::string& won, const std::string& lab,
                    const std::string& percent) {
    if (won.find("On paper") != std::string::npos) return;
    if (won.find("**" + percent + "** of ") == std::string::npos)
      complain(page, "does not say under Won: **" + percent + "** of the baseline");
    if (std::regex_search(won, std::regex("not measured", std::regex::icase)))
      complain(page, "still says that it was not measured");
    std::smatch before;
    if (!std::regex_search(won, before, std::regex(R"(rung (\d+) had (\d+\.\d%))"))) return;
    for (const auto& [rung, median] : medians_)
      if (rung.starts_with(lab + "/" + before[1].str() + "-") && median != before[2])
        complain(page, fmt::format("says that rung {} had {}; it has {}", before[1].str(), before[2].str(),
                                   median));
  }

  // The page quotes what `ridge bench` measured at other sizes: "**By size** ...: 4096 x 4096 97.5%".
  void look_at_sizes(const fs::path& page, const std::string& name) {
    const fs::path file = root_ / "course/measured/nvidia-h200" / name;
    if (!fs::exists(file)) return;
    const std::string line = page.empty() ? "" : paragraph_with(text_of(page), "**By size**");
    const std::regex number("[0-9]+");
    const auto document = nlohmann::json::parse(text_of(file));
    for (const auto& row : document["rows"]) {
      const std::string size = row["size"];
      std::string figure;
      for (std::sregex_iterator at(size.begin(), size.end(), number), end; at != end; ++at)
        figure += (figure.empty() ? "" : " x ") + at->str();
      figure += fmt::format(" {:.1f}%", row["measured"]["percent"].get<double>());
      if (line.find(" " + figure) == std::string::npos)
        complain(file, "is not quoted under By size: " + figure);
    }
  }

  const fs::path root_;
  const std::map<std::string, std::string> medians_;
  std::vector<std::string> complaints_;
  int measured_ = 0;
};

// "" or the fault of a rung's gold in lab.toml. Gold is the worst of its runs x 0.98, rounded down.
std::string wrong_gold(const std::string& toml, const std::string& rung, double worst) {
  const size_t at = toml.find("name = \"" + rung + "\"");
  const size_t gold = at == std::string::npos ? at : toml.find("gold = ", at);
  if (gold == std::string::npos || gold > toml.find("[[rung]]", at)) return rung + " has no gold";
  const double there = std::stod(toml.substr(gold + 7)), most = 0.98 * worst;
  if (there <= most && there >= most - (most < 10 ? 0.0101 : 0.101)) return "";
  return fmt::format("{}: gold is {}, but 0.98 x the worst run is {:.3f}", rung, there, most);
}

// A course of one rung, measured three times, that quotes rightly.
struct SmallCourse {
  fs::path root = fs::path(RIDGE_BINARY_DIR) / "figures-test";
  SmallCourse() {
    fs::remove_all(root);
    for (const auto& [run, percent] : {std::pair{1, 71.04}, {2, 70.0}, {3, 72.0}})
      write(fmt::format("course/measured/nvidia-h200/05-ladder.run{}.json", run),
            fmt::format(R"({{"results":[{{"rung":"05-ladder/2-tile","measured":{{"percent":{}}}}},)"
                        R"({{"rung":"05-ladder/1-plain","measured":{{"percent":1.5}}}}]}})",
                        percent));
    write("solutions/05-ladder/2-tile.cu", "// Measured on an H200: 71.0% of cublasSgemm.\n");
    write("solutions/05-ladder/1-plain.cu", "// Measured on an H200: 1.5% of cublasSgemm.\n");
    write("course/chapters/05-ladder.md", "| `1-plain` | x | 1.5% |\n| `2-tile` | x | 71.0% |\n");
    write("course/worklogs/05-gemm/1-plain.md", "**Won.** **1.5%** of cublasSgemm on an H200.\n");
    write("course/worklogs/05-gemm/2-tile.md",
          "**Won.** **71.0%** of cublasSgemm on an H200; rung 1 had 1.5%.\n\n**By size** (x): 8 x 4 12.3%.\n");
    write("course/measured/nvidia-h200/05-ladder.2-tile.sizes.json",
          R"({"rows":[{"size":"m = 8, n = 4","measured":{"percent":12.34}}]})");
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
};

}  // namespace

TEST_CASE("solutions, chapters and worklog pages quote the percentages that were measured") {
  Check check(RIDGE_SOURCE_DIR);
  for (const std::string& complaint : check.complaints()) {
    INFO("run course/quote_measured.py --write: " << complaint);
    CHECK(false);
  }
  CHECK(check.measured() >= 10);  // labs 01 and 02
}

TEST_CASE("a quoted figure that was not measured is found in every kind of file") {
  CHECK(Check(SmallCourse().root).complaints().empty());
  struct Case {
    const char* file;
    const char* text;
    const char* says;
  };
  for (const Case& c :
       {Case{"solutions/05-ladder/2-tile.cu", "// Measured on an H200: 71.1% of cublasSgemm.\n", "71.0%"},
        {"solutions/05-ladder/1-plain.cu", "// A file without the line.\n", "1.5%"},
        {"course/worklogs/05-gemm/2-tile.md", "**Won.** It has\n**71.0%** of x; rung 1\nhad 2.5%.\n", "1.5%"},
        {"course/chapters/05-ladder.md", "| `1-plain` | x | 1.5% |\n| `2-tile` | x | 72.0% |\n",
         "no row of 2-tile"},
        {"course/chapters/05-ladder.md",
         "No percentages stand here\n| `1-plain` | 1.5% |\n| `2-tile` | 71.0% |\n", "still says"},
        {"course/worklogs/05-gemm/2-tile.md", "**Won.** Not measured yet.\n",
         "does not say under Won: **71.0%**"},
        {"course/worklogs/05-gemm/2-tile.md", "**Won.** **71.0%** of x. Not measured yet.\n", "not measured"},
        {"course/worklogs/05-gemm/2-tile.md", "**Won.** **71.0%** of x.\n\n**By size** (x): 8 x 4 12.4%.\n",
         "not quoted under By size: 8 x 4 12.3%"},
        {"course/worklogs/05-gemm/2-tile.md", "**Won.** **71.0%** of x; rung 1 had 2.5%.\n", "it has 1.5%"},
        {"solutions/05-ladder/3-more.cu", "x\n", "not measured with the rest"},
        {"solutions/06-other/1-a.cu", "// Measured on an H200: 71.1% of x.\n", "in no file"},
        {"course/worklogs/06-other/1-b.md", "**Won.** **3.0%** of x.\n", ""}}) {
    const SmallCourse course;
    if (*c.says == '\0') course.write("solutions/06-other/1-b.cu", "x\n");
    course.write(c.file, c.text);
    const auto complaints = Check(course.root).complaints();
    INFO(c.file << ": " << c.text);
    REQUIRE_FALSE(complaints.empty());
    CHECK_THAT(complaints.front(), Catch::Contains(c.says));
  }
}

TEST_CASE("gold is 0.98 of the worst run of our solution") {
  int seen = 0;
  for (const auto& [rung, percents] : measured_runs(RIDGE_SOURCE_DIR)) {
    const size_t slash = rung.find('/');
    const fs::path toml = fs::path(RIDGE_SOURCE_DIR) / "labs" / rung.substr(0, slash) / "lab.toml";
    INFO("run course/quote_measured.py --write");
    CHECK(wrong_gold(text_of(toml), rung.substr(slash + 1), percents.front()) == "");
    CHECK(percents.size() >= 3);
    ++seen;
  }
  CHECK(seen >= 40);  // labs 01 to 06
}

TEST_CASE("a gold that does not follow from the runs is reported") {
  const std::string toml =
      "[[rung]]\nname = \"1-a\"\n[[rung]]\nname = \"2-b\"\ntarget = { pass = 30, gold = 49.0 }\n";
  CHECK(wrong_gold(toml, "2-b", 50.0) == "");
  CHECK(wrong_gold(toml, "2-b", 50.1) == "");
  for (const double worst : {49.9, 50.2})
    CHECK_THAT(wrong_gold(toml, "2-b", worst), Catch::Contains("gold is 49"));
  CHECK_THAT(wrong_gold(toml, "1-a", 50), Catch::Contains("no gold"));
}

TEST_CASE("a ladder chart that is committed shows what was measured") {
  const auto medians = measured_percent(RIDGE_SOURCE_DIR);
  int charts = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(fs::path(RIDGE_SOURCE_DIR) / "course/figures", none)) {
    const std::string name = entry.path().stem().string();
    if (!name.starts_with("ladder-") || entry.path().extension() != ".svg") continue;
    ++charts;
    const std::string svg = text_of(entry.path()), lab = name.substr(7) + "/";
    for (const auto& [rung, percent] : medians) {
      if (!rung.starts_with(lab)) continue;
      INFO(rung << " had " << percent << ", and " << name
                << ".svg does not show it: run build/release/bin/ridge-ladders");
      CHECK(svg.find(">" + percent.substr(0, percent.size() - 1) + "<") != std::string::npos);
    }
  }
  CHECK(charts >= 2);  // labs 01 and 02
}
