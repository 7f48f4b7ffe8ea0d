// What `ridge nvcc` makes by clang: the options of nvcc that say what the result is.
#include <string>
#include <vector>

#include "harness/build/clang/programs/program.h"
#include "tests/catch.h"
#include "tests/harness/build/compiled_lab.h"
#include "text/whole_file.h"

using namespace ridge;
using build::clang::Result;

TEST_CASE("nvcc's options say what is made, and which options clang lacks") {
  struct Case {
    std::vector<std::string> words;
    Result result;
  };
  for (const Case& c : {Case{{"a.cu"}, Result::program},
                        {{"-c", "a.cu"}, Result::object},
                        {{"-dc", "a.cu"}, Result::object},
                        {{"-ptx", "a.cu", "-o", "b"}, Result::ptx},
                        {{"--ptx", "a.cu"}, Result::ptx},
                        {{"a.cu", "-fatbin"}, Result::fat_binary}})
    CHECK(build::clang::program_from_nvcc_words(c.words).result == c.result);
  const build::clang::Program lists = build::clang::program_from_nvcc_words(
      {"-Xcompiler", "-fPIC,-g1", "-Xcompiler=-Wall", "-Xlinker", "-s,-z", "a.cu"});
  CHECK(lists.host == std::vector<std::string>{"-fPIC", "-g1", "-Wall"});
  CHECK(lists.link == std::vector<std::string>{"-Xlinker", "-s", "-Xlinker", "-z"});
  CHECK_THROWS_WITH(build::clang::program_from_nvcc_words({"-cubin", "a.cu"}),
                    Catch::Contains("-cubin: clang has no counterpart"));
}

TEST_CASE(
    "clang writes PTX and fat binaries of one file, optimised unless -G asks for a debug build") {
  const auto clang = build::clang::find_clang();
  if (!clang) {
    WARN("skipped: no clang that compiles CUDA C++");
    return;
  }
  const tests::ScratchFolder folder;
  folder.write(
      "k.cu",
      "__device__ __noinline__ int twice(int x) { return 2 * x; }\n"
      "extern \"C\" __global__ void k(int* a) { int b[2] = {twice(a[0]), 1}; a[1] = b[0] + b[1]; }\n");
  const auto made = [&](std::vector<std::string> words, const std::string& name) {
    words.insert(words.end(),
                 {(folder.path / "k.cu").string(), "-o", (folder.path / name).string()});
    REQUIRE(build::clang::build_program(*clang, build::clang::program_from_nvcc_words(words)) == 0);
    return text::read_file(folder.path / name);
  };
  const std::string optimised = made({"-ptx"}, "k.ptx"), debug = made({"-ptx", "-G"}, "debug.ptx");
  for (const std::string& ptx : {optimised, debug}) {
    CHECK_THAT(ptx, Catch::Contains(".target sm_90a") && Catch::Contains(".entry k("));
    CHECK_THAT(ptx, Catch::Contains(".loc"));
  }
  CHECK_THAT(optimised, !Catch::Contains(".local "));
  CHECK_THAT(debug, Catch::Contains(".local "));
  const std::string fat_binary = made({"-fatbin"}, "k.fatbin");
  CHECK(fat_binary.substr(0, 4) == "\x50\xed\x55\xba");
  CHECK_THAT(fat_binary, Catch::Contains(".entry k("));
}
