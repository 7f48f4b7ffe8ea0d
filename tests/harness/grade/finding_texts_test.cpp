// The table of findings, and that the code and the table name the same ones.
#include <filesystem>
#include <regex>
#include <set>

#include "harness/grade/findings/finding.h"
#include "harness/measure/counts.h"
#include "tests/catch.h"
#include "text/whole_file.h"

using namespace ridge;

namespace {

// Every string in the harness that looks like the identifier of a finding.
std::set<std::string> identifiers_in_the_code() {
  const std::regex identifier(
      R"re("((?:compile_error|launch_error|wrong|out_of_bounds|race|uninitialised|deadlock|timeout|slow|suspect|pass|gold|skipped|not_started)\.\w+)")re");
  std::set<std::string> found;
  for (const char* folder : {"harness/grade", "harness/measure", "harness/cli", "harness/problems"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(RIDGE_SOURCE_DIR "/") + folder)) {
      const bool is_source = entry.path().extension() == ".cpp" || entry.path().extension() == ".h";
      if (!is_source || entry.path().parent_path().filename() == "texts") continue;
      const std::string source = text::read_file(entry.path());
      for (std::sregex_iterator match(source.begin(), source.end(), identifier), end; match != end; ++match)
        found.insert((*match)[1]);
    }
  return found;
}

}  // namespace

TEST_CASE("every finding in the code has its row in the table, and every row is used") {
  std::set<std::string> rows;
  for (const grade::FindingText& text : grade::finding_texts())
    CHECK(rows.insert(std::string(text.id)).second);
  const auto used = identifiers_in_the_code();
  for (const std::string& id : used) {
    INFO(id << " is used, and no table of harness/grade/findings/texts has a row for it");
    CHECK(rows.contains(id));
  }
  for (const std::string& id : rows) {
    INFO(id << " has a row, and no code uses it");
    CHECK(used.contains(id));
  }
  CHECK(rows.size() > 100);
}

TEST_CASE("every row has a verdict and a text that is a complete sentence") {
  for (const grade::FindingText& row : grade::finding_texts()) {
    INFO(row.id);
    CHECK_NOTHROW(grade::Finding{row.id}.verdict());
    CHECK((!row.sentence.empty() || !row.next.empty()));
    // The advice of the virtual GPU's message is made a sentence where it is filled in.
    if (!row.next.empty() && row.next != "{advice}")
      CHECK((row.next.ends_with('.') || row.next.ends_with('?')));
  }
}

TEST_CASE("values replace their names, and a missing one is an error") {
  const grade::Finding finding{"wrong.one_range",
                               {{"first", "c[3]"}, {"last", "c[9]"}, {"are", "are wrong"}}};
  CHECK(finding.sentence() == "Only the elements from c[3] to c[9] are wrong; the rest is right.");
  CHECK(finding.verdict() == grade::Verdict::wrong);
  CHECK(finding.described() == "wrong.one_range first=c[3] last=c[9] are=are wrong");
  CHECK_THROWS_WITH(grade::Finding{"wrong.one_range"}.sentence(), Catch::Contains("no value \"first\""));
  CHECK_THROWS_WITH(grade::Finding{"wrong.invented"}.next(), Catch::Contains("has no \"wrong.invented\""));
}

TEST_CASE("the table has the meaning of a count beyond its gate") {
  size_t explained = 0;
  for (const measure::Count& count : measure::counts())
    for (const std::string_view id : {count.too_large, count.too_small}) {
      if (id.empty()) continue;
      ++explained;
      INFO(count.name);
      const grade::Finding finding{id, {{"count", count.name}, {"value", 1}, {"times", 2}, {"registers", 3}}};
      CHECK_FALSE(finding.sentence().empty());
      CHECK(finding.verdict() == grade::Verdict::slow);
    }
  CHECK(explained > 20);
}
