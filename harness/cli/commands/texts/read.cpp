// `ridge read`: shows a lab's chapter, its section on a rung, and the rung's page after a pass.
#include <fmt/format.h>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/runs/records.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/course/pages.h"
#include "text/whole_file.h"

namespace ridge::cli {
namespace {

struct ReadOptions {
  std::string name;
  bool spoil = false;
};

bool has_passed(const std::filesystem::path& root, const course::Rung& rung) {
  bool passed = false;
  Records(root).with([&](report::Store& store) {
    const auto records = store.records();
    const auto record = records.find(rung.path());
    passed = record != records.end() && record->second.passed;
  });
  return passed;
}

int show(const std::filesystem::path& page, const std::string& name) {
  if (page.empty()) throw UsageError(fmt::format("the course has no page about {}", name));
  fmt::print("{}", text::read_file(page));
  return kPassed;
}

// What may be read before a pass: the chapter's section on the rung, without our solution.
int show_section(const course::Course& course, const course::Rung& rung) {
  const std::string later = fmt::format(
      "The page on our solution opens after your pass; ridge read {} --spoil opens it now.",
      rung.path());
  const std::string section = course::section_of(course, rung);
  if (section.empty()) {
    throw UsageError(fmt::format(
        "{0} has not passed yet. The chapter of its lab is ordered by topics: ridge read {1}. A hint: ridge hint "
        "{0}. {2}",
        rung.path(), rung.lab, later));
  }
  fmt::print("{}\n*{}*\n", section, later);
  return kPassed;
}

int read(const ReadOptions& options) {
  const auto root = clone_root();
  const course::Course course = course::load(root);
  const auto rungs = course::find(course, options.name);
  const course::Rung& rung = *rungs.front();
  if (rungs.size() != 1) return show(course::chapter_of(course, rung.lab), rung.lab);
  if (!options.spoil && !rung.page_is_open && !has_passed(root, rung))
    return show_section(course, rung);
  return show(course::page_of(course, rung), rung.path());
}

}  // namespace

void add_read(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<ReadOptions>();
  CLI::App* command = program.add_subcommand(
      "read",
      "a lab's chapter; of a rung: its section, and after your pass the page on our solution");
  command->add_option("NAME", options->name, "a rung (01/1) or a lab (01)")->required();
  command->add_flag("--spoil", options->spoil, "show the page before the rung has passed");
  command->footer("Example:\n  ridge read 01/1");
  command->callback([options, &invocation] { invocation.exit_status = read(*options); });
}

}  // namespace ridge::cli
