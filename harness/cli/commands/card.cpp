// `ridge card`: draws a picture of the passed rungs, to share.
#include "harness/report/worklog/card.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "harness/build/process.h"
#include "harness/build/shared_folder.h"
#include "harness/cli/clone.h"
#include "harness/cli/command.h"
#include "harness/cli/terminal/exit_status.h"
#include "harness/cli/whole_file.h"

namespace ridge::cli {
namespace {

namespace fs = std::filesystem;

struct CardOptions {
  std::string lab, file, name;
};

// False when rsvg-convert is missing.
bool draw_png(const fs::path& svg, const fs::path& png) {
  const build::Finished finished =
      build::run({"rsvg-convert", "--width", fmt::format("{}", 2 * report::kCardWidth), svg.string()}, {},
                 build::Keep::output_only);
  if (!finished.started) return false;
  if (finished.status != 0)
    throw MachineError(
        fmt::format("rsvg-convert could not draw {}: it ended with {}", svg.string(), finished.status));
  replace_file(png, finished.output);
  return true;
}

std::vector<const course::Lab*> labs_on_card(const course::Course& course, const std::string& name) {
  std::vector<const course::Lab*> labs;
  const std::string only = name.empty() ? "" : course::find(course, name).front()->lab;
  for (const course::Lab& lab : course.labs)
    if (only.empty() || lab.name == only) labs.push_back(&lab);
  return labs;
}

int card(const CardOptions& options) {
  const fs::path root = clone_root();
  const course::Course course = course::load(root);
  const auto labs = labs_on_card(course, options.lab);
  std::map<std::string, report::RungRecord> records;
  if (auto store = report::Store::open_to_read(root)) records = store->records();

  fs::path file = options.file;
  if (file.empty())
    file = root / ".ridge" / "cards" / ((options.lab.empty() ? "course" : labs.front()->name) + ".svg");
  const std::string ending = file.extension().string();
  if (ending != ".svg" && ending != ".png")
    throw UsageError(fmt::format("-o {}: a card is an .svg or a .png", options.file));
  fs::path svg = file, png = file;
  svg.replace_extension(".svg");
  png.replace_extension(".png");
  std::error_code error;
  build::make_folders(fs::absolute(file).parent_path(), error);
  if (error)
    throw MachineError(fmt::format("cannot make the folder of {}: {}", file.string(), error.message()));

  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::tm today = fmt::localtime(now);
  const report::CardText text = {labs.size() == 1 ? labs.front()->title : "Fast GPU kernels", options.name,
                                 fmt::format("{} {:%B %Y}", today.tm_mday, today)};
  try {
    replace_file(svg, report::card(labs, records, text));
  } catch (const MachineError& failed) {
    throw MachineError(fmt::format("{}; -o FILE puts the card elsewhere", failed.what()));
  }
  fmt::print("{}\n", svg.string());
  if (ending == ".svg" && !options.file.empty()) return kPassed;
  if (draw_png(svg, png)) {
    fmt::print("{}\n", png.string());
  } else if (ending == ".png") {
    throw MachineError(
        "a PNG is drawn by rsvg-convert, which was not found; install it (apt-get install librsvg2-bin), "
        "or share the .svg");
  }
  return kPassed;
}

}  // namespace

void add_card(CLI::App& program, Invocation& invocation) {
  auto options = std::make_shared<CardOptions>();
  CLI::App* command =
      program.add_subcommand("card", "a picture to share: the rungs you climbed, and how close "
                                     "to the library");
  command->add_option("LAB", options->lab, "a lab; none: the whole course")->check(not_empty());
  command
      ->add_option("-o", options->file,
                   "an .svg or .png (default .ridge/cards/LAB.svg, and .png where rsvg-convert is)")
      ->option_text("FILE");
  command->add_option("--name", options->name, "whose card it is");
  command->footer("Example:\n  ridge card 01 --name \"Ada\" -o card.svg");
  command->callback([options, &invocation] { invocation.exit_status = card(*options); });
}

}  // namespace ridge::cli
