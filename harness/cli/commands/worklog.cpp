// `ridge worklog`: writes a lab's worklog as Markdown.
#include "harness/report/worklog/worklog.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/rung_work.h"
#include "harness/cli/runs/stored_runs.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/whole_file.h"
#include "text/whole_file.h"

namespace ridge::cli {
namespace {

namespace fs = std::filesystem;

struct WorklogOptions {
  std::string lab, file;
};

// The lab that contains the named rung or has that name.
const course::Lab& lab_named(const course::Course& course, const std::string& name) {
  const std::string lab = course::find(course, name).front()->lab;
  return *std::find_if(course.labs.begin(), course.labs.end(),
                       [&](const auto& one) { return one.name == lab; });
}

int worklog(const WorklogOptions& options) {
  const fs::path root = clone_root();
  const course::Course course = course::load(root);
  const course::Lab& lab = lab_named(course, options.lab);
  StoredRuns stored = stored_runs(root);
  const auto skeleton = [&](const std::string& rung) { return stored.store->remembered_skeleton(rung); };
  const auto work = report::work_on(lab, stored.all, skeleton);
  if (work.empty()) {
    throw UsageError(
        fmt::format("nothing of {} has been graded yet, so there is nothing to log; begin with: ridge "
                    "grade {}",
                    lab.name, lab.rungs.front().path()));
  }
  if (options.file == "-") {
    fmt::print("{}", report::worklog(lab, work, ""));
    return kPassed;
  }
  const fs::path file = options.file.empty() ? lab.folder / "worklog.md" : fs::path(options.file);
  std::error_code error;
  const std::string before = fs::exists(file, error) ? text::read_file(file) : "";
  const std::string after = report::worklog(lab, work, before);
  const std::string shown = options.file.empty() ? file.lexically_relative(root).string() : options.file;
  if (after == before) {
    fmt::print("{} is up to date.\n", shown);
    return kPassed;
  }
  replace_file(file, after);
  size_t versions = 0;
  for (const report::RungWork& rung : work)
    versions += rung.versions.size();
  fmt::print(
      "{}: {} version{} of {} rung{}. What you write below each block stays when you run this again.\n",
      shown, versions, versions == 1 ? "" : "s", work.size(), work.size() == 1 ? "" : "s");
  return kPassed;
}

}  // namespace

void add_worklog(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<WorklogOptions>();
  CLI::App* command = program.add_subcommand(
      "worklog",
      "a lab's worklog in Markdown: what each version changed and brought, and room for your conclusions");
  command->add_option("LAB", options->lab, "a lab: 01, kernel-basics")->required();
  command->add_option("-o", options->file, "the file (default labs/LAB/worklog.md); - prints it")
      ->option_text("FILE");
  command->footer(
      "Run it again after further grades: new versions are added, and everything you wrote is kept.\n"
      "Example:\n  ridge worklog 01");
  command->callback([options, &invocation] { invocation.exit_status = worklog(*options); });
}

}  // namespace ridge::cli
