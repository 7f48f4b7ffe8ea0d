// With the real nvcc: these tests take a second for each file they compile.
#include "harness/build/compile.h"

#include <dlfcn.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "harness/build/cache.h"
#include "harness/build/compiler.h"
#include "harness/build/process.h"
#include "harness/sandbox/bubblewrap.h"
#include "tests/catch.h"
#include "tests/cuda_compiler.h"
#include "tests/harness/build/compiled_lab.h"
#include "text/whole_file.h"

using namespace ridge;
using namespace ridge::tests;
namespace fs = std::filesystem;

TEST_CASE(
    "a file is compiled once, and again when it, a header of its lab or the architecture changes") {
  const Lab lab;
  const build::Compiled first = lab.compile();
  INFO(first.messages);
  REQUIRE(first.ok);
  CHECK_FALSE(first.from_cache);
  CHECK(first.messages.empty());
  REQUIRE(first.kernels.size() == 1);
  CHECK(first.kernels[0].kernel == "set(float*, int)");
  CHECK((first.kernels[0].registers > 0) == kHasNvcc);  // ptxas decides them

  const build::Compiled again = lab.compile();
  CHECK(again.from_cache);
  CHECK(again.object == first.object);
  CHECK(again.kernels[0].registers == first.kernels[0].registers);

  lab.write("labs/01/signature.h",
            "#pragma once\n#include <cuda_runtime.h>\nconstexpr float kValue = 2;\n");
  const build::Compiled changed = lab.compile();
  CHECK_FALSE(changed.from_cache);
  CHECK(changed.object != first.object);

  // A solution finds the header of its lab, and is another object: its line information names another file.
  const build::Compiled solution = lab.compile("solutions/01/1-set.cu");
  INFO(solution.messages);
  CHECK(solution.ok);
  CHECK(solution.object != changed.object);
  CHECK_FALSE(lab.compile("labs/01/1-set.cu", "80").from_cache);
  CHECK(lab.compile("labs/01/1-set.cu", "80").from_cache);
}

TEST_CASE("a header is found in folders whose names have blanks, quotes and letters beyond ASCII") {
  const Lab lab;
  const auto headers = lab.path / "Ada's ü headers",
             source = lab.path / "its source" / "one file.cu";
  std::filesystem::create_directories(headers);
  std::filesystem::create_directories(source.parent_path());
  std::ofstream(headers / "odd.h") << "constexpr int kOdd = 3;\n";
  std::ofstream(source) << "#include \"odd.h\"\n__global__ void set(int* a) { *a = kOdd; }\n";
  const build::Compiled compiled = build::compile(source, lab.path / "cache", "90a", {headers});
  INFO(compiled.messages);
  CHECK(compiled.ok);
}

TEST_CASE(
    "a clone's path may contain characters that nvcc mishandles; otherwise an error names "
    "them") {
  for (const char* name : {"a$b", "back\\slash", "a, b", "a;b&c(d"}) {
    const Lab lab;
    INFO(name);
    const auto clone = lab.path / name;
    std::filesystem::create_directories(clone);
    std::filesystem::rename(lab.path / "labs", clone / "labs");
    std::filesystem::rename(lab.path / "solutions", clone / "solutions");
    const build::Compiled compiled = build::compile(
        clone / "solutions/01/1-set.cu", clone / ".ridge/cache", "90a", {clone / "labs/01"});
    INFO(compiled.messages);
    CHECK(compiled.ok);
    std::ofstream(clone / "labs/01/1-set.cu") << "#include \"signature.h\"\nint broken = ;\n";
    const build::Compiled wrong = build::compile(clone / "labs/01/1-set.cu", clone / ".ridge/cache",
                                                 "90a", {clone / "labs/01"});
    CHECK_FALSE(wrong.ok);
    CHECK_THAT(wrong.messages, Catch::Contains((clone / "labs/01/1-set.cu").string() + ":"));
  }
  for (const char* name : {"a\"b", "a`b"}) {
    const Lab lab;
    const auto clone = lab.path / name;
    std::filesystem::create_directories(clone);
    std::filesystem::rename(lab.path / "labs", clone / "labs");
    CHECK_THROWS_WITH(build::compile(clone / "labs/01/1-set.cu", clone / ".ridge/cache", "90a",
                                     {clone / "labs/01"}),
                      Catch::Contains("Move the clone"));
  }
}

TEST_CASE("the object exports the entry and needs the shared runtime") {
  const Lab lab;
  const build::Compiled compiled = lab.compile();
  REQUIRE(compiled.ok);
  const build::Finished symbols = build::run({"nm", "-D", compiled.object.string()});
  CHECK_THAT(symbols.output, Catch::Contains(" T go"));
  const build::Finished needed = build::run({"readelf", "-d", compiled.object.string()});
  CHECK_THAT(needed.output, Catch::Contains("libcudart.so.13"));
}

TEST_CASE("gold links where it is installed, and no device linker runs", "[nvcc]") {
  if (skipped_without_nvcc("nvcc's host compiler")) return;
  const Lab lab;
  const build::Compiled compiled = lab.compile();
  REQUIRE(compiled.ok);
  const build::Finished sections = build::run({"readelf", "-S", "--wide", compiled.object.string()});
  const bool has_gold = build::run({"ld.gold", "--version"}).status == 0;
  CHECK((sections.output.find(".note.gnu.gold-version") != std::string::npos) == has_gold);
  const build::Finished symbols = build::run({"nm", compiled.object.string()});
  CHECK_THAT(symbols.output, Catch::Contains("__cudaRegisterFatBinary"));
  CHECK_THAT(symbols.output, !Catch::Contains("__cudaRegisterLinkedBinary"));
}

TEST_CASE("a syntax error is reported with the student's file and line") {
  const Lab lab;
  lab.write("labs/01/1-set.cu",
            "#include \"signature.h\"\n__global__ void set(float* a) { a[0] = 1 }\n");
  const build::Compiled compiled = lab.compile();
  CHECK_FALSE(compiled.ok);
  CHECK_THAT(compiled.messages, Catch::Contains(kHasNvcc ? "1-set.cu:2: error: expected a \";\""
                                                       : "1-set.cu:2:41: error: expected ';'"));
  CHECK_THAT(compiled.messages, Catch::Contains(" __global__ void set(float* a)"));
  CHECK_THAT(compiled.messages, !Catch::Contains("ptxas"));
}

TEST_CASE("a function that is declared and never defined is a compile error") {
  const Lab lab;
  lab.write("labs/01/1-set.cu", "void missing();\nextern \"C\" void go() { missing(); }\n");
  const build::Compiled compiled = lab.compile();
  CHECK_FALSE(compiled.ok);
  CHECK_THAT(compiled.messages, Catch::Contains("undefined reference to `missing()'"));
  CHECK_THAT(compiled.messages, !Catch::Contains("tmpxft"));
}

TEST_CASE("a kernel with too much shared memory names the file, not nvcc's scratch files", "[nvcc]") {
  if (skipped_without_nvcc("a limit that ptxas knows")) return;
  const Lab lab;
  lab.write("labs/01/1-set.cu",
            "__global__ void big(float* a) { __shared__ float t[70000]; t[threadIdx.x] = a[0];\n"
            "__syncthreads(); a[1] = t[31 - threadIdx.x]; }\n");
  const build::Compiled compiled = lab.compile();
  CHECK_FALSE(compiled.ok);
  CHECK_THAT(compiled.messages, Catch::Contains("uses too much shared data"));
  CHECK_THAT(compiled.messages, !Catch::Contains("tmpxft"));
}

TEST_CASE("two compilations of one file at once both succeed and leave one complete entry") {
  const Lab lab;
  build::Compiled results[2];
  {
    std::jthread one([&] { results[0] = lab.compile(); });
    std::jthread two([&] { results[1] = lab.compile(); });
  }
  for (const build::Compiled& compiled : results) {
    CHECK(compiled.ok);
    CHECK(fs::exists(compiled.object));
  }
  CHECK(results[0].object == results[1].object);
  // The second one waited for the first instead of compiling the same file.
  CHECK(results[0].from_cache != results[1].from_cache);
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(lab.path / ".cache"))
    ++files;
  CHECK(files == 2);  // the object and its description; no scratch folder is left
}

TEST_CASE("an object in the cache is not replaced by an equal one") {
  const Lab lab;
  const build::Cache cache(lab.path / ".cache");
  const auto insert = [&](const char* text) {
    lab.write("kernel.so", text);
    build::Compiled compiled;
    compiled.ok = true;
    return cache.insert("key", lab.path / "kernel.so", std::move(compiled));
  };
  const build::Compiled first = insert("first"), second = insert("second");
  CHECK(first.object == second.object);
  CHECK(ridge::text::read_file(second.object) == "first");
}

TEST_CASE("a damaged cache entry is compiled again") {
  const Lab lab;
  const build::Compiled first = lab.compile();
  REQUIRE(first.ok);
  lab.write(fs::path(first.object).replace_extension(".json").lexically_relative(lab.path).string(),
            "{ \"mess");
  const build::Compiled again = lab.compile();
  CHECK(again.ok);
  CHECK_FALSE(again.from_cache);
}

TEST_CASE("a cache that cannot be written is an error with its path and the reason") {
  const Lab lab;
  lab.write("file", "");
  const std::string message =
      error_of([&] { build::compile(lab.path / "labs/01/1-set.cu", lab.path / "file/c", "90a"); });
  CHECK_THAT(message, Catch::Contains("cannot write " + (lab.path / "file/c").string() +
                                      ": Not a directory"));
}

TEST_CASE("a full disk is reported as such") {
  const Lab lab;
  fs::create_directory(lab.path / ".cache");
  if (mount("none", (lab.path / ".cache").c_str(), "tmpfs", 0, "size=16k") != 0) {
    WARN("not tried: mounting a small file system needs the right to");
    return;
  }
  const std::string message = error_of([&] { lab.compile(); });
  umount((lab.path / ".cache").c_str());
  CHECK_THAT(message, Catch::Contains("is full; make room"));
}

TEST_CASE("including a file outside the lab is a compile error that shows nothing of the file") {
  if (!sandbox::find_bubblewrap()) {
    WARN("bubblewrap is not installed");
    return;
  }
  Lab lab;
  lab.write("secret/other.h", "#error the secret is 42\n");
  lab.write("labs/01/1-set.cu",
            "#include \"" + (lab.path / "secret/other.h").string() + "\"\n" + kKernel);
  const build::Compiled compiled = lab.compile();
  CHECK_FALSE(compiled.ok);
  CHECK_THAT(compiled.messages, Catch::Contains("other.h"));
  CHECK_THAT(compiled.messages, !Catch::Contains("42"));
}

TEST_CASE(
    "compiled code cannot read other students' files or system files, in any way of failing") {
  if (!sandbox::find_bubblewrap()) {
    WARN("bubblewrap is not installed");
    return;
  }
  const Lab lab;
  lab.write("handed-in/bob/1-set.cu", kKernel);
  lab.write("handed-in/bob.cu", kKernel);
  lab.write("secret", "the secret is 42");
  const std::string there = (lab.path / "secret").string();
  const std::vector<std::pair<std::string, std::string>> files = {
      {"handed-in/alice/1-set.cu", "#include \"../bob/1-set.cu\"\n"},
      {"handed-in/alice.cu", "#include \"bob.cu\"\n"},
      {"handed-in/alice/2-set.cu", "#include \"../../solutions/01/1-set.cu\"\n"},
      // as says "Error:", which is no "error:"
      {"handed-in/alice/3-set.cu",
       "asm(\".section .rodata\\n.incbin \\\"" + there + "\\\"\\n.text\");\n" + kKernel},
      // In the sandbox it fails with "ptxas fatal"; where there is none it would have what it wants.
      {"handed-in/alice/4-set.cu",
       "#if __has_include(\"" + there + "\")\n" + kKernel +
           "#else\n" +
           (kHasNvcc ? "extern __device__ float lacking(float);\n"
                       "__global__ void set(float* a) { *a = lacking(*a); }\n"
                     : "#error nothing is there\n") +
           "#endif\n"}};
  for (const auto& [file, text] : files) {
    lab.write(file, text);
    INFO(file);
    CHECK_FALSE(lab.compile(file).ok);
  }
  lab.write("handed-in/alice/mine.cuh", "constexpr float kMine = 3;\n");
  lab.write("handed-in/alice/5-set.cu", std::string("#include \"mine.cuh\"\n") + kKernel);
  const build::Compiled own = lab.compile("handed-in/alice/5-set.cu");
  INFO(own.messages);
  CHECK(own.ok);
}

TEST_CASE("the special functions of <cmath> are read only where a file needs them", "[nvcc]") {
  if (skipped_without_nvcc("what it leaves out of its headers")) return;
  const Lab lab;
  lab.write("labs/01/1-set.cu", std::string("#ifdef _GLIBCXX_TR1_GAMMA_TCC\n#error read\n#endif\n") + kKernel);
  CHECK(lab.compile().ok);
  lab.write("labs/01/1-set.cu",
            std::string(kKernel) + "extern \"C\" double half() { return std::beta(1.0, 2.0); }\n");
  const build::Compiled needs = lab.compile();
  INFO(needs.messages);
  CHECK(needs.ok);
}
