// Messages and exit codes of the built program, where no kernel has to run.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "harness/cli/skeleton.h"
#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/harness/cli/program_under_test.h"
#include "tests/text_of.h"
#include "text/layout.h"
#include "text/whole_file.h"

using namespace ridge;
using tests::ridge_in;
using tests::ScratchCourse;
using tests::ScratchFolder;

namespace {

void git(const std::filesystem::path& root, std::vector<std::string> arguments) {
  std::vector<std::string> command = {"git",         "-C", root.string(),   "-c",
                                      "user.name=A", "-c", "user.email=a@b"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const build::Finished finished = build::run(command);
  INFO(finished.output);
  REQUIRE(finished.status == 0);
}

}  // namespace

TEST_CASE("wrong usage prints advice and exits with 2") {
  const ScratchCourse scratch;
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const Case cases[] = {
      {{"garde"}, "there is no command \"garde\"; did you mean grade or card?"},
      {{"zzz"}, "there is no command \"zzz\"; `ridge --help` shows them all"},
      {{"grade", "kernel-bascis"}, "did you mean kernel-basics"},
      {{"grade", "01/7"}, "there is no rung \"7\" in 01-kernel-basics"},
      {{"grade", "--on", "moon"}, "--on: there is no engine \"moon\"; it is gpu, virtual or auto"},
      {{"grade", "--jsn"}, "see ridge grade --help"},
      {{"hint"}, "RUNG is required; see ridge hint --help"},
      {{"hint", "--nonsense"}, "--nonsense is not an option of ridge hint; see ridge hint --help"},
      {{"grade", "--jsno"},
       "--jsno is not an option of ridge grade; did you mean --json? see ridge grade --help"},
      {{"read", "01", "02", "03"},
       "\"02\" is one argument too many for ridge read; see ridge read --help"},
      {{"diff", "1", "2", "3"}, "3 runs were named, and two can be compared"},
      {{"class", "join", "x"}, "CODE is required; see ridge class join --help"},
      {{"test", "warp_model"},
       "ctest takes no name by itself; the tests whose names contain it: ridge test -R warp_model"},
      {{"test", "-V", "warp_model"}, "ridge test -R warp_model"},
      {{"test", "-j4", "warp_model"}, "ridge test -R warp_model"},
      {{"test", "-R", "warp_model", "lanes"}, "ridge test -R lanes"},
      {{"view", "two words.rtrace"}, "record one with ridge trace LAB/RUNG -o 'two words.rtrace'"},
      {{"exec", "--", "it's not there"}, "such as './it'\\''s not there'"},
      {{"hint", "01"},
       "01 is a lab of 2 rungs, and hints belong to one; say which: ridge hint 01-kernel-basics/1-vector-add"},
      {{"reset", "01/1"}, "standard input is not a terminal; add --yes"},
      {{"trace", "01"}, "one is traced at a time"},
      {{"trace", "01/1", "--blocks", "first,4x"},
       "--blocks has \"4x\"; it is a list of first, middle, last, edge, all, linear indices"},
      {{"trace", "01/1", "--limit", "0.0001"}, "--limit is 0.0001 MB; give 0.001 to 4096"},
      {{"trace", "01/1", "-o", "/tmp"},
       "/tmp is a folder; name a file for the trace, such as /tmp/kernel.rtrace"},
      {{"exec", "--trace", "/tmp/", "--", "./x"}, "/tmp/ is a folder"},
      {{"trace"}, "which rung? such as ridge trace 02/4"},
      {{"trace", "--print", "/nowhere.rtrace"}, "there is no such trace"},
      {{"view", "/nowhere.rtrace"},
       "there is no trace /nowhere.rtrace; record one with ridge trace"},
      {{"view", "1.rtrace", "2.rtrace", "3.rtrace"}, "3 things were named"},
      {{"view", "01/7"}, "there is no rung \"7\" in 01-kernel-basics"},
      {{"exec", "--kernel", "x", "--", "./x"}, "add --trace FILE"},
      {{"bench", "moon"}, "there is no lab or rung \"moon\""},
      {{"exec"}, "no program was given"},
      {{"exec", "--as", "H300", "--", "./x"}, "--as: there is no device named \"H300\""},
      {{"exec", "--as", "/dev/zero", "--", "./x"}, "/dev/zero is not a file"},
      {{"grade", ""}, "'' names no lab or rung"},
      {{"check", ""}, "'' names no lab or rung"},
      {{"history", ""}, "'' names no lab or rung"},
      {{"exec", "--bogus", "--", "./x"}, "--bogus is not an option of ridge exec"},
      {{"list", "01"}, "see ridge list --help"},
      {{}, "watch mode reads keys from a terminal"},
  };
  for (const Case& c : cases) {
    INFO((c.arguments.empty() ? "" : c.arguments.front()) << " ... " << c.message);
    const build::Finished finished = ridge_in(scratch.path, c.arguments);
    CHECK(finished.status == 2);
    CHECK_THAT(finished.output, Catch::Contains(c.message));
    CHECK_THAT(finished.output, Catch::StartsWith("ridge: "));
  }
}

TEST_CASE("output that cannot be written is an error in every command, with the same sentence") {
  const ScratchCourse scratch;
  scratch.write("course/chapters/01-kernel-basics.md", "# The chapter\n");
  for (const char* command : {"list", "read 01", "hint 01/1", "history", "--help"})
    for (const char* output : {">/dev/full", ">&-"}) {
      INFO(command << " " << output);
      const build::Finished finished =
          build::run({"sh", "-c", fmt::format("{} {} {}", RIDGE_PROGRAM, command, output)},
                     {{"RIDGE_ROOT", scratch.path.string()}});
      CHECK(finished.status == 3);
      CHECK_THAT(finished.output,
                 Catch::Contains("ridge: the output could not be written; look at"));
    }
}

// The names that `ridge --help` lists.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> names;
  const size_t list = help.find("Subcommands:\n");
  REQUIRE(list != std::string::npos);
  const std::regex line("^  ([a-z]+) ");
  for (const std::string_view text : text::lines_of(std::string_view(help).substr(list))) {
    std::match_results<std::string_view::const_iterator> match;
    if (text.starts_with("Example")) break;
    if (std::regex_search(text.begin(), text.end(), match, line)) names.push_back(match[1]);
  }
  return names;
}

TEST_CASE("every command in a file is registered and has help that ends with an example") {
  const ScratchFolder nowhere;
  const std::string general = ridge_in(nowhere.path, {"--help"}).output;
  const std::vector<std::string> registered = commands_in(general);
  std::set<std::string> written;  // in the files of the commands
  const std::regex name("program\\.add_subcommand\\(\\s*\"([a-z]+)\"");
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RIDGE_SOURCE_DIR "/harness/cli")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string source = text::read_file(entry.path());
    std::smatch match;
    if (std::regex_search(source, match, name)) written.insert(match[1]);
  }
  CHECK(std::set<std::string>(registered.begin(), registered.end()) == written);
  for (const std::string& command : registered) {
    INFO(command);
    const build::Finished finished = ridge_in(nowhere.path, {command, "--help"});
    CHECK(finished.status == 0);
    const size_t example = finished.output.find("Example:\n");
    REQUIRE(example != std::string::npos);
    CHECK_THAT(finished.output.substr(example), Catch::Contains("  ridge " + command));
  }
  CHECK_THAT(general, Catch::Contains("Example:\n"));
  CHECK_THAT(ridge_in(nowhere.path, {"--version"}).output, Catch::StartsWith("ridge "));
}

TEST_CASE("outside a clone the program says where to go") {
  const ScratchFolder nowhere;
  const auto in_folder = [&](const std::string& environment) {
    return build::run(
        {"sh", "-c",
         "cd " + nowhere.path.string() + " && " + environment + " " RIDGE_PROGRAM " list"});
  };
  CHECK(in_folder("unset RIDGE_ROOT;").status == 2);
  CHECK_THAT(in_folder("unset RIDGE_ROOT;").output,
             Catch::Contains("is not inside a clone of Ridgepoint; cd to your clone"));
  CHECK_THAT(in_folder("RIDGE_ROOT=/tmp").output,
             Catch::Contains("RIDGE_ROOT is /tmp, which holds no labs"));
}

TEST_CASE("a clone is found from a folder inside it") {
  const ScratchCourse scratch;
  const build::Finished finished =
      build::run({"sh", "-c",
                  "unset RIDGE_ROOT; cd " + scratch.path.string() +
                      "/labs/01-kernel-basics && " RIDGE_PROGRAM " list"});
  CHECK(finished.status == 0);
  CHECK_THAT(finished.output, Catch::Contains("1-vector-add"));
  CHECK_THAT(finished.output, Catch::Contains("0/2 rungs pass"));
}

TEST_CASE("a damaged lab.toml is reported with file and line, and exit 3") {
  const ScratchCourse scratch("[lab]\nnumber = \n");
  const build::Finished finished = ridge_in(scratch.path, {"list"});
  CHECK(finished.status == 3);
  CHECK_THAT(finished.output, Catch::Contains("labs/01-kernel-basics/lab.toml:2:"));
}

TEST_CASE("hints are shown one after the other and are remembered") {
  const ScratchCourse scratch;
  const char* expected[] = {"Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "you have seen them all"};
  const char* texts[] = {"first hint", "second hint", "third hint", "third hint"};
  for (int i = 0; i < 4; ++i) {
    const build::Finished finished = ridge_in(scratch.path, {"hint", "01/1"});
    CHECK(finished.status == 0);
    CHECK_THAT(finished.output, Catch::Contains(expected[i]));
    CHECK_THAT(finished.output, Catch::Contains(texts[i]));
  }
  CHECK_THAT(ridge_in(scratch.path, {"hint", "01/2"}).output, Catch::Contains("Hint 1 of 3"));
}

TEST_CASE("a store of a newer version is a warning in plain words, and the map is still shown") {
  const ScratchCourse scratch;
  report::Store::open(scratch.path);
  report::Database(report::Store::file_under(scratch.path), 1000).run("PRAGMA user_version = 9");
  const build::Finished finished = ridge_in(scratch.path, {"list"});
  CHECK(finished.status == 0);
  CHECK_THAT(finished.output, Catch::Contains("warning: progress is not kept"));
  CHECK_THAT(finished.output, Catch::Contains("was written by a newer ridge"));
  CHECK_THAT(finished.output, Catch::Contains("1-vector-add"));
}

TEST_CASE("reset restores the skeleton from git and keeps every version of the student's") {
  const ScratchCourse scratch;
  const auto file = scratch.path / "labs/01-kernel-basics/1-vector-add.cu";
  git(scratch.path, {"init", "-q"});
  git(scratch.path, {"add", "-A"});
  git(scratch.path, {"commit", "-q", "-m", "course"});
  scratch.write("labs/01-kernel-basics/1-vector-add.cu", "// mine, committed\n");
  git(scratch.path, {"commit", "-q", "-a", "-m", "my work"});
  scratch.write("labs/01-kernel-basics/1-vector-add.cu", "// mine, later\n");

  const build::Finished first = ridge_in(scratch.path, {"reset", "01/1", "--yes"});
  INFO(first.output);
  CHECK(first.status == 0);
  CHECK_THAT(first.output,
             Catch::Contains("your version is labs/01-kernel-basics/1-vector-add.cu.mine-1"));
  CHECK(tests::text_of(file) == "// TODO\n");
  CHECK(tests::text_of(file.string() + ".mine-1") == "// mine, later\n");
  CHECK_THAT(ridge_in(scratch.path, {"reset", "01/1", "-y"}).output,
             Catch::Contains("is the skeleton already"));

  scratch.write("labs/01-kernel-basics/1-vector-add.cu", "// third\n");
  CHECK(ridge_in(scratch.path, {"reset", "01/1", "-y"}).status == 0);
  CHECK(tests::text_of(file.string() + ".mine-1") == "// mine, later\n");
  CHECK(tests::text_of(file.string() + ".mine-2") == "// third\n");
}

TEST_CASE("a removed file is named with the command that restores it, and other rungs are graded") {
  const ScratchCourse scratch;
  const auto file = scratch.path / "labs/01-kernel-basics/1-vector-add.cu";
  report::Store::open(scratch.path)
      .remember_skeleton("01-kernel-basics/1-vector-add", "// TODO: seen\n");
  std::filesystem::remove(file);
  CHECK(ridge_in(scratch.path, {"list"}).status == 0);
  CHECK(ridge_in(scratch.path, {"hint", "01/1"}).status == 0);
  for (const char* command : {"grade", "build", "bench", "profile", "tune"}) {
    const build::Finished finished = ridge_in(scratch.path, {command, "01/1"});
    INFO(command << ": " << finished.output);
    CHECK(finished.status == 3);
    CHECK_THAT(finished.output, Catch::Contains("here is no file"));
    CHECK_THAT(finished.output, Catch::Contains("`ridge reset 01-kernel-basics/1-vector-add`"));
  }
  CHECK_THAT(ridge_in(scratch.path, {"check", "01"}).output, Catch::Contains("there is no file"));
  CHECK_THAT(ridge_in(scratch.path, {"reset", "01/1"}).output,
             Catch::Contains("has the skeleton again"));
  CHECK(tests::text_of(file) == "// TODO: seen\n");
}

TEST_CASE("without git, reset restores the text that was first seen, or says where to get it") {
  const ScratchCourse scratch;
  scratch.write("labs/01-kernel-basics/1-vector-add.cu", "// mine\n");
  const build::Finished none = ridge_in(scratch.path, {"reset", "01/1", "-y"});
  CHECK(none.status == 3);
  CHECK_THAT(none.output,
             Catch::Contains("get labs/01-kernel-basics/1-vector-add.cu from a fresh clone"));
  CHECK(tests::text_of(scratch.path / "labs/01-kernel-basics/1-vector-add.cu") == "// mine\n");
  report::Store::open(scratch.path)
      .remember_skeleton("01-kernel-basics/1-vector-add", "// TODO: seen\n");
  CHECK(ridge_in(scratch.path, {"reset", "01/1", "-y"}).status == 0);
  CHECK(tests::text_of(scratch.path / "labs/01-kernel-basics/1-vector-add.cu") ==
        "// TODO: seen\n");
}

TEST_CASE("check finds unlisted files, missing marks and rungs without known-wrong files") {
  const ScratchCourse scratch;
  scratch.write("labs/01-kernel-basics/9-forgotten.cu", "");
  scratch.write("labs/01-kernel-basics/1-vector-add.cu", "int x;\n");
  scratch.write("tests/known_wrong/01-kernel-basics/2-saxpy/stride.cu", "// expect: WRONG\n");
  const build::Finished finished = ridge_in(scratch.path, {"check"});
  CHECK(finished.status == 1);
  CHECK_THAT(finished.output,
             Catch::Contains("no rung of lab.toml has: labs/01-kernel-basics/9-forgotten.cu"));
  CHECK_THAT(finished.output, Catch::Contains("nothing marks what the student is to write"));
  CHECK_THAT(finished.output, Catch::Contains("a finished file still says what to do"));
  CHECK_THAT(finished.output,
             Catch::Contains("tests/known_wrong/01-kernel-basics/1-vector-add holds none"));
  CHECK_THAT(finished.output, Catch::Contains("wrong: stride"));

  scratch.write("tests/known_wrong/01-kernel-basics/2-saxpy/stride.cu", "// expects: WRNOG\n");
  const build::Finished damaged = ridge_in(scratch.path, {"check"});
  CHECK(damaged.status == 3);
  CHECK_THAT(damaged.output,
             Catch::Contains("stride.cu:1: the first line is \"// expects: WRNOG\", expected"));
}
