// `ridge grade`, `trace` and `check` with the real compiler and the real virtual GPU.
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "harness/report/store/store.h"
#include "tests/catch.h"
#include "tests/cuda_compiler.h"
#include "tests/harness/cli/gradable_clone.h"

using namespace ridge;
using tests::ridge_in;

namespace {

using Clone = tests::GradableClone;

}  // namespace

TEST_CASE("an untouched skeleton fails with exit 1, and its solution passes with exit 0") {
  const Clone clone;
  const build::Finished skeleton = ridge_in(clone.path, {"grade", "01", "--on", "virtual"});
  INFO(skeleton.output);
  CHECK(skeleton.status == 1);
  CHECK_THAT(skeleton.output, Catch::StartsWith("WRONG"));
  CHECK_THAT(skeleton.output, Catch::Contains("Next: "));
  const build::Finished solution = ridge_in(clone.path, {"grade", "01/1", "--solution", "--on", "virtual"});
  INFO(solution.output);
  CHECK(solution.status == 0);
  CHECK_THAT(solution.output, Catch::StartsWith("PASS           01-kernel-basics/1-vector-add (solution)"));
  const auto records = report::Store::open(clone.path).records();
  CHECK(records.at("01-kernel-basics/1-vector-add").runs == 1);
  CHECK_FALSE(records.at("01-kernel-basics/1-vector-add").passed);
}

TEST_CASE("a skeleton that the course has recorded is NOT STARTED: nothing is run or stored") {
  const Clone clone;
  REQUIRE(ridge_in(clone.path, {"check", "01", "--record-skeletons"}).status == 0);
  const std::string skeleton = Clone::source(false), rung = "01-kernel-basics/1-vector-add";
  for (const std::string& text : {skeleton, "// mine\r\n" + skeleton}) {
    clone.write_students(text);
    const build::Finished finished = ridge_in(clone.path, {"grade", "01/1", "--on", "virtual"});
    INFO(finished.output);
    CHECK(finished.status == 1);
    CHECK_THAT(finished.output, Catch::StartsWith("NOT STARTED    " + rung));
    CHECK_THAT(finished.output, Catch::Contains("labs/" + rung + ".cu:"));
    CHECK_THAT(finished.output, Catch::Contains(": TODO: add"));
    CHECK_THAT(finished.output, Catch::Contains("Next: "));
  }
  CHECK_FALSE(std::filesystem::exists(clone.path / ".ridge/cache"));  // not even compiled
  CHECK(report::Store::open(clone.path).runs({}).empty());
  CHECK_THAT(ridge_in(clone.path, {"list"}).output, Catch::Contains("not started"));
  CHECK_THAT(ridge_in(clone.path, {"history"}).output, !Catch::Contains("NOT STARTED"));

  const build::Finished as_json = ridge_in(clone.path, {"grade", "01/1", "--on", "virtual", "--json"});
  const auto json = nlohmann::json::parse(as_json.output);
  CHECK(json.at("results").at(0).at("verdict") == "NOT STARTED");
  CHECK(json.at("results").at(0).at("passed") == false);
  clone.write("handed-in.cu", skeleton);
  const build::Finished file =
      ridge_in(clone.path, {"grade", "01/1", "--on", "virtual", "--file", (clone.path / "handed-in.cu").string()});
  INFO(file.output);
  CHECK(file.status == 1);
  CHECK_THAT(file.output, Catch::StartsWith("NOT STARTED"));
  CHECK_THAT(file.output, Catch::Contains("handed-in.cu:2: TODO: add"));

  clone.write_students(Clone::source(false, "") + "int begun;\n");
  const build::Finished begun = ridge_in(clone.path, {"grade", "01/1", "--on", "virtual"});
  CHECK_THAT(begun.output, Catch::StartsWith("WRONG"));
  CHECK(report::Store::open(clone.path).runs({}).size() == 1);
}

TEST_CASE("a grade with --json prints nothing but the document") {
  const Clone clone;
  const build::Finished finished =
      ridge_in(clone.path, {"grade", "01/1", "--solution", "--on", "virtual", "--json"});
  const auto json = nlohmann::json::parse(finished.output);
  CHECK(json.at("results").at(0).at("verdict") == "PASS");
  CHECK(json.at("results").at(0).at("counts").size() > 0);
  CHECK(finished.status == 0);
}

TEST_CASE("a syntax error is reported with the student's own file and line") {
  const Clone clone;
  clone.write("labs/01-kernel-basics/1-vector-add.cu", "#include <cuda_runtime.h>\nint x = ;\n");
  const build::Finished finished = ridge_in(clone.path, {"grade", "01/1", "--on", "virtual"});
  CHECK(finished.status == 1);
  CHECK_THAT(finished.output, Catch::StartsWith("COMPILE ERROR"));
  CHECK_THAT(finished.output, Catch::Contains(tests::kHasNvcc ? "1-vector-add.cu:2: error: expected an expression"
                                                       : "1-vector-add.cu:2:9: error: expected expression"));
}

TEST_CASE("the grade is shown even if it cannot be stored") {
  const Clone clone;
  std::filesystem::create_directories(clone.path / ".ridge/ridge.db");  // a folder where the store should be
  const build::Finished finished = ridge_in(clone.path, {"grade", "01/1", "--solution", "--on", "virtual"});
  CHECK(finished.status == 0);
  CHECK_THAT(finished.output, Catch::Contains("PASS  "));
  CHECK_THAT(finished.output, Catch::Contains("warning: progress is not kept: "));
}

TEST_CASE("a trace is written to the requested file, by default under .ridge") {
  const Clone clone;
  const std::string file = clone.path / "here.rtrace";
  const build::Finished finished =
      ridge_in(clone.path, {"trace", "01/1", "--solution", "-o", file, "--blocks", "first"});
  INFO(finished.output);
  CHECK(finished.status == 0);
  CHECK_THAT(finished.output, Catch::Contains("1 block, "));
  const build::Finished printed = ridge_in(clone.path, {"trace", "--print", file});
  CHECK(printed.status == 0);
  CHECK_THAT(printed.output, Catch::Contains("01-kernel-basics/1-vector-add (solution)") &&
                                 Catch::Contains("float32[65536]") &&
                                 Catch::Contains("4 sectors, 4 would do"));
  CHECK(ridge_in(clone.path, {"trace", "01/1", "--solution"}).status == 0);
  CHECK(std::filesystem::exists(clone.path / ".ridge/traces/01-kernel-basics-1-vector-add-solution.rtrace"));
}

TEST_CASE("view records a rung whose trace is missing or older than its file, and only then") {
  const Clone clone;
  const auto trace = clone.path / ".ridge/traces/01-kernel-basics-1-vector-add-solution.rtrace";
  // Whatever the visualizer can draw here; where it is not built, that is said.
  const auto view = [&] {
    return ridge_in(clone.path,
                    {"view", "01/1", "--solution", "--", "--picture", (clone.path / "x.png").string()});
  };
  const bool built =
      std::filesystem::exists(std::filesystem::path(RIDGE_PROGRAM).parent_path() / "ridge-view");
  const build::Finished first = view();
  INFO(first.output);
  if (!built) {
    CHECK(first.status == 3);
    CHECK_THAT(first.output, Catch::Contains("./ridge view in the clone"));
    return;
  }
  CHECK_THAT(first.output, Catch::Contains("PASS"));
  REQUIRE(std::filesystem::exists(trace));
  CHECK_THAT(view().output, !Catch::Contains("PASS"));
  const auto source = clone.path / "solutions/01-kernel-basics/1-vector-add.cu";
  std::filesystem::last_write_time(source, std::filesystem::last_write_time(trace) + std::chrono::seconds(2));
  CHECK_THAT(view().output, Catch::Contains("PASS"));

  clone.write("bad.rtrace", "no trace");
  const build::Finished bad =
      ridge_in(clone.path, {"view", (clone.path / "bad.rtrace").string(), "--", "--picture", "x.png"});
  CHECK(bad.status == 1);
  CHECK_THAT(bad.output, Catch::Contains("bad.rtrace"));
}

TEST_CASE("check passes for a sound course and names the row that fails") {
  const Clone clone;
  CHECK_THAT(ridge_in(clone.path, {"check", "--no-skeletons"}).output,
             Catch::Contains("not recorded") && Catch::Contains("1 of 8 checks fail"));
  REQUIRE(ridge_in(clone.path, {"check", "--record-skeletons"}).status == 0);
  const build::Finished sound = ridge_in(clone.path, {"check"});
  INFO(sound.output);
  CHECK(sound.status == 0);
  CHECK_THAT(sound.output, Catch::Contains("all 9 checks hold"));
  clone.write("tests/known_wrong/01-kernel-basics/1-vector-add/right.cu",
              "// expect: WRONG\n" + Clone::source(true));
  clone.write(
      "tests/known_wrong/01-kernel-basics/1-vector-add/no-guard.cu",
      "// expect: OUT OF BOUNDS\n// says: something that nobody says\n" + Clone::source(true, "true"));
  clone.write("labs/01-kernel-basics/1-vector-add.cu", "// TODO\n" + Clone::source(true));
  const build::Finished unsound = ridge_in(clone.path, {"check"});
  INFO(unsound.output);
  CHECK(unsound.status == 1);
  CHECK_THAT(unsound.output, Catch::Contains("wrong: right"));
  CHECK_THAT(unsound.output, Catch::Contains("4 of 10 checks fail"));
  CHECK_THAT(unsound.output, Catch::Contains("does not say \"something that nobody says\""));
}

TEST_CASE("handed-in files are graded as a rung, and nothing is stored") {
  const Clone clone;
  clone.write_students(Clone::source(false));
  const auto handed_in = clone.path / "handed in";
  for (const char* who : {"ada", "bob"}) {
    std::filesystem::create_directories(handed_in / who);
    std::ofstream(handed_in / who / "add.cu") << Clone::source(who == std::string("ada"));
  }
  const std::string ada = (handed_in / "ada/add.cu").string(), bob = (handed_in / "bob/add.cu").string();
  const auto graded = ridge_in(clone.path, {"grade", "01/1", "--on", "virtual", "--file", ada, bob});
  INFO(graded.output);
  CHECK(graded.status == 1);
  CHECK_THAT(graded.output, Catch::StartsWith("PASS ") && Catch::Contains("(" + ada + ")") &&
                                Catch::Contains("\nWRONG ") && Catch::Contains("1 of 2 files pass"));
  CHECK_THAT(ridge_in(clone.path, {"history", "01/1"}).output, Catch::Contains("No version"));
  std::filesystem::create_symlink(ada, handed_in / "eve.cu");
  std::filesystem::create_symlink("itself.cu", handed_in / "itself.cu");
  const auto itself = ridge_in(clone.path, {"grade", "01/1", "--file", (handed_in / "itself.cu").string()});
  CHECK(itself.status == 2);
  CHECK_THAT(itself.output, Catch::Contains("is a link to itself.cu"));
  // Names that nvcc would split or lose end neither this file's grade nor the batch.
  std::vector<std::string> batch = {"grade", "01/1", "--on", "virtual", "--file"};
  for (const char* name : {"Smith, Ada.cu", "it's.cu", "\"quoted\".cu", "a$b`c.cu", "x\nPASS  01-y.cu", "tab\t.cu"}) {
    std::ofstream(handed_in / name) << Clone::source(true);
    batch.push_back((handed_in / name).string());
  }
  batch.push_back(bob);
  const auto odd = ridge_in(clone.path, batch);
  INFO(odd.output);
  CHECK(odd.status == 1);
  CHECK_THAT(odd.output, Catch::Contains("6 of 7 files pass"));
  CHECK_THAT(odd.output, Catch::Contains("x?PASS  01-y.cu)") && !Catch::Contains("\nPASS  01-y"));
  const std::string broken = handed_in / "z\nPASS  01-y.cu";
  std::ofstream(broken) << "int forgotten_semicolon\n";
  const auto fails = ridge_in(clone.path, {"grade", "01/1", "--on", "virtual", "--file", broken});
  CHECK_THAT(fails.output, Catch::StartsWith("COMPILE ERROR") && Catch::Contains("z?PASS  01-y.cu") &&
                               !Catch::Contains("\nPASS  01-y"));
  const auto linked = ridge_in(clone.path, {"grade", "01/1", "--file", (handed_in / "eve.cu").string()});
  CHECK(linked.status == 2);
  CHECK_THAT(linked.output, Catch::Contains("is a link to " + ada));
  const std::string pipe = handed_in / "pipe.cu", letter = handed_in / "letter.txt";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(ridge_in(clone.path, {"grade", "01/1", "--file", pipe}).output, Catch::Contains("is a pipe or a device"));
  std::ofstream(letter) << Clone::source(true);
  CHECK_THAT(ridge_in(clone.path, {"grade", "01/1", "--file", letter}).output, Catch::Contains("is no .cu file"));
  const auto folder = ridge_in(clone.path, {"grade", "01/1", "--file", handed_in.string()});
  CHECK_THAT(folder.output, Catch::Contains("is a folder; name the files in it"));
  const auto strange = ridge_in(clone.path, {"grade", "01/1", "--file", "e\x1b[2Jvil.cu"});
  CHECK_THAT(strange.output, Catch::Contains("e?[2Jvil.cu"));
  CHECK(ridge_in(clone.path, {"grade", "--file", ada}).status == 2);
  const auto seeded =
      ridge_in(clone.path, {"grade", "01/1", "--on", "virtual", "--json", "--seed", "7", "--file", ada});
  CHECK_THAT(seeded.output, Catch::Contains("\"seed\": \"0000000000000007\""));
  CHECK(ridge_in(clone.path, {"grade", "01/1", "--seed", "7"}).status == 2);
  CHECK(ridge_in(clone.path, {"grade", "01/1", "--file", "nobody.cu"}).status == 2);
}
