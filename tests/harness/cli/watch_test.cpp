// Watch mode in a pseudo-terminal, with the real compiler and the real virtual GPU.
#include <csignal>
#include <fstream>

#include "harness/report/store.h"
#include "tests/catch.h"
#include "tests/harness/cli/program_under_test.h"
#include "tests/harness/cli/pseudo_terminal.h"

using namespace ridge;
using tests::PseudoTerminal;

namespace {

const char* const kHeader = "#include <cuda_runtime.h>\n";
const char* const kUnfinished =
    "// TODO: add\n"
    "__global__ void add(const float* a, const float* b, float* c, int n) {}\n";
const char* const kRight =
    "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n"
    "}\n";
const char* const kEntry =
    "extern \"C\" void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t s) {\n"
    "  add<<<(n + 255) / 256, 256, 0, s>>>(a, b, c, n);\n"
    "}\n";
const std::string kFile = "labs/01-kernel-basics/1-vector-add.cu";

std::string source_with(const char* kernel) {
  return std::string(kHeader) + kernel + kEntry;
}

struct Clone : tests::ScratchFolder {
  Clone() {
    write("CMakeLists.txt", "");
    write("labs/01-kernel-basics/lab.toml", tests::kVectorAddToml);
    write(kFile, source_with(kUnfinished));
    write("solutions/01-kernel-basics/1-vector-add.cu", source_with(kRight));
  }
  // As vim and others do: a new file that is renamed into place.
  void save_by_rename(const std::string& text) const {
    write(kFile + "~new", text);
    std::filesystem::rename(path / (kFile + "~new"), path / kFile);
  }
  report::RungRecord record() const {
    return report::Store::open(path).records()["01-kernel-basics/1-vector-add"];
  }
};

}  // namespace

TEST_CASE(
    "watch mode grades at once and at every save, goes on after a pass, and leaves the terminal as it was") {
  const Clone clone;
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
  INFO(terminal.screen());
  REQUIRE(terminal.shows("Edit labs/01-kernel-basics/1-vector-add.cu and save it"));
  REQUIRE(terminal.shows("WRONG"));
  REQUIRE(terminal.shows("watching 01-kernel-basics/1-vector-add"));
  CHECK(terminal.takes_single_keys());

  terminal.type("n");
  CHECK(terminal.shows("n goes on after a pass"));
  terminal.type("h");
  CHECK(terminal.shows("first hint"));
  terminal.type("?");
  CHECK(terminal.shows("Every save of the file grades it."));
  terminal.type("v");
  CHECK(terminal.shows("v needs the visualizer"));
  terminal.type("x");
  CHECK(terminal.shows("[y/n]"));
  terminal.type("n");
  CHECK(terminal.shows("Nothing was changed."));

  clone.write(kFile, source_with("syntax error\n"));
  REQUIRE(terminal.shows("COMPILE ERROR"));
  clone.save_by_rename(source_with(kRight));
  REQUIRE(terminal.shows("PASS"));
  REQUIRE(terminal.shows("Press n for the next rung."));
  REQUIRE(terminal.shows("watching"));
  terminal.type("l");
  CHECK(terminal.shows("1/1 rungs pass"));
  terminal.type("n");
  CHECK(terminal.shows("That was the last rung"));
  terminal.type("q");
  CHECK(terminal.ends() == 0);
  CHECK(terminal.is_as_before());
  CHECK(clone.record().passed);
  CHECK(clone.record().runs == 3);
}

TEST_CASE("a save while a grade runs is graded afterwards") {
  const Clone clone;
  PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
  REQUIRE(terminal.shows("grading"));
  clone.write(kFile, source_with(kRight));  // the first grade has only begun
  INFO(terminal.screen());
  CHECK(terminal.shows("PASS"));
  terminal.type("q");
  CHECK(terminal.ends() == 0);
  CHECK(clone.record().last == grade::Verdict::pass);
}

TEST_CASE("Ctrl-C ends with 130 in the middle of a grade, and Ctrl-Z and a kill give the terminal back too") {
  const Clone clone;
  SECTION("Ctrl-C while grading") {
    PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
    REQUIRE(terminal.shows("grading"));
    terminal.type("\x03");
    CHECK(terminal.ends() == 130);
    CHECK(terminal.is_as_before());
    CHECK_NOTHROW(clone.record());  // the store is whole
  }
  SECTION("Ctrl-Z, then continued") {
    PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
    REQUIRE(terminal.shows("watching"));
    terminal.type("\x1a");
    REQUIRE(terminal.stopped());
    CHECK(terminal.is_as_before());
    kill(terminal.process(), SIGCONT);
    terminal.type("?");
    CHECK(terminal.shows("Every save of the file grades it."));
    CHECK(terminal.takes_single_keys());
    terminal.type("q");
    CHECK(terminal.ends() == 0);
    CHECK(terminal.is_as_before());
  }
  SECTION("terminated, hung up, crashed") {
    for (const int signal : {SIGTERM, SIGHUP, SIGSEGV}) {
      PseudoTerminal terminal({RIDGE_PROGRAM}, clone.path);
      REQUIRE(terminal.shows("grading"));
      kill(terminal.process(), signal);
      CHECK(terminal.ends() == 128 + signal);
      CHECK(terminal.is_as_before());
    }
  }
}
