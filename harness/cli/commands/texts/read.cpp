// `ridge read`: shows a lab's chapter, or a rung's page after its pass.
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

int read(const ReadOptions& options) {
  const auto root = clone_root();
  const course::Course course = course::load(root);
  const auto rungs = course::find(course, options.name);
  const course::Rung& rung = *rungs.front();
  if (rungs.size() != 1) return show(course::chapter_of(course, rung.lab), rung.lab);
  if (!options.spoil && !rung.page_is_open && !has_passed(root, rung)) {
    throw UsageError(fmt::format(
        "{0} has not passed yet, and its page describes our solution; it opens after your pass. ridge hint {0} "
        "helps on, ridge read {0} --spoil opens the page now",
        rung.path()));
  }
  return show(course::page_of(course, rung), rung.path());
}

}  // namespace

void add_read(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<ReadOptions>();
  CLI::App* command = program.add_subcommand(
      "read", "a rung's page (what our solution does; opens after your pass), or a lab's chapter");
  command->add_option("NAME", options->name, "a rung (01/1) or a lab (01)")->required();
  command->add_flag("--spoil", options->spoil, "show the page before the rung has passed");
  command->footer("Example:\n  ridge read 01/1");
  command->callback([options, &invocation] { invocation.exit_status = read(*options); });
}

}  // namespace ridge::cli
