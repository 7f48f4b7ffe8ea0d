// The choice between nvcc and clang.
#include "harness/build/compiler.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "harness/build/clang/programs/program.h"
#include "harness/build/process.h"
#include "harness/build/toolkit.h"
#include "tests/catch.h"
#include "tests/cuda_compiler.h"
#include "tests/harness/build/compiled_lab.h"

using namespace ridge;
using namespace ridge::tests;
namespace fs = std::filesystem;

TEST_CASE("looking for nvcc changes the environment of the programs that are started, not our own", "[nvcc]") {
  if (skipped_without_nvcc("its folder")) return;
  const char* const before = std::getenv("RIDGE_NVCC_ASKED");
  const std::string own = before ? before : "";
  const auto toolkit = build::find_toolkit();
  REQUIRE(toolkit);
  const char* const after = std::getenv("RIDGE_NVCC_ASKED");
  CHECK((after ? after : "") == own);
  const auto child = build::run({"/bin/sh", "-c", "echo $RIDGE_NVCC_ASKED"});
  CHECK_THAT(child.output, Catch::StartsWith(toolkit->nvcc.string()));
}

TEST_CASE("an nvcc of another CUDA is refused where it is asked for, and else clang compiles") {
  const Lab lab;
  lab.write("bin/nvcc", "#!/bin/sh\necho 'Cuda compilation tools, release 12.4, V12.4.131'\n");
  fs::permissions(lab.path / "bin/nvcc", fs::perms::owner_all);
  const Environment nvcc("NVCC", (lab.path / "bin/nvcc").string());
  const char* const reason = "is of CUDA 12.4, and the course needs CUDA 13.x";
  {
    const Environment asked(build::kCompilerVariable, "nvcc");
    CHECK_THAT(error_of([&] { lab.compile(); }), Catch::Contains(reason));
  }
  if (!build::clang::find_clang()) {
    CHECK_THAT(error_of([&] { lab.compile(); }),
               Catch::Contains(reason) && Catch::Contains("apt-get install"));
    return;
  }
  CHECK_THAT(build::choose_compiler().why, Catch::Contains(reason));
  const build::Compiled compiled = lab.compile();
  CHECK(compiled.ok);
  CHECK_THAT(compiled.from.toolkit, Catch::StartsWith("clang "));
  CHECK_THAT(build::nvcc_passed_over(),
             Catch::Contains(reason) && Catch::Contains("compiles instead"));
}

TEST_CASE("a lab cannot include our part of CUB, and a whole program can") {
  if (!build::clang::find_clang()) {
    WARN("skipped: no clang that compiles CUDA C++");
    return;
  }
  const Environment asked(build::kCompilerVariable, "clang");
  const Lab lab;
  for (const std::string header : {"cub/cub.cuh", "thrust/iterator/counting_iterator.h"}) {
    const fs::path file = lab.path / "labs/01/1-set.cu";
    lab.write("labs/01/1-set.cu", "#include <" + header + ">\n" + kKernel);
    const build::Compiled compiled = lab.compile();
    CHECK_FALSE(compiled.ok);
    CHECK_THAT(compiled.messages, Catch::Contains("with which clang compiles, lack " + header));
    const auto program = build::clang::program_from_nvcc_words(
        {"-ptx", file.string(), "-o", (lab.path / "set.ptx").string()});
    CHECK(build::clang::build_program(*build::clang::find_clang(), program) == 0);
  }
}

TEST_CASE("an nvcc without a host compiler that it supports is given up for clang") {
  const bool by_compiling = GENERATE(true, false);  // else before anything is compiled, as `ridge doctor` does
  if (!build::clang::find_clang()) {
    WARN("skipped: no clang that compiles CUDA C++");
    return;
  }
  const Lab lab;
  const fs::path nvcc = lab.path / "bin/nvcc";
  lab.write(
      "bin/nvcc",
      "#!/bin/sh\n[ \"$1\" = --version ] && echo 'Cuda compilation tools, release 13.0, V13.0.48' && exit\n"
      "echo '#error -- unsupported GNU version! gcc versions later than 15 are not supported!' >&2\nexit 1\n");
  fs::permissions(nvcc, fs::perms::owner_all);
  const Environment program("NVCC", nvcc.string());
  const fs::path said = lab.path / "said";
  // The process that gave nvcc up uses clang from then on, so another one does.
  const pid_t child = fork();
  if (child == 0) {
    const std::string error = error_of([&] {
      const std::string version =
          by_compiling ? lab.compile().from.toolkit : build::choose_tried_compiler().version();
      std::ofstream(said) << version << ": " << build::nvcc_passed_over();
    });
    _exit(error == "no error" ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  std::ifstream stream(said);
  const std::string words{std::istreambuf_iterator<char>(stream), {}};
  CHECK_THAT(words, Catch::StartsWith("clang ") &&
                        Catch::Contains("has no host compiler that it supports"));
}

TEST_CASE("the commands that install the toolkit fit the distribution") {
  CHECK_THAT(build::toolkit_commands("ID=debian\nVERSION_ID=\"12\"\n"),
             Catch::Contains("/debian12/"));
  CHECK_THAT(build::toolkit_commands("NAME=x\nID=ubuntu\nVERSION_ID=\"24.04\"\n"),
             Catch::Contains("/ubuntu2404/"));
  CHECK_THAT(build::toolkit_commands("ID=arch\n"), Catch::Contains("cuda-downloads"));
}
