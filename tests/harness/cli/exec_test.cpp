// What `ridge exec` says of programs that cannot run on the virtual GPU, and what `ridge nvcc` adds.
#include "harness/cli/elf_program.h"
#include "harness/cli/commands/nvcc_arguments.h"
#include "tests/catch.h"
#include "tests/cuda_compiler.h"
#include "tests/harness/cli/program_under_test.h"

using namespace ridge;
using tests::ridge_in;
using tests::ScratchFolder;

namespace {

const char* kProgram =
    "__global__ void f(int* a) { *a = 1; }\nint main() { f<<<1, 1>>>(nullptr); return "
    "cudaDeviceSynchronize() != 0; }\n";

void make(const ScratchFolder& folder, std::vector<std::string> flags) {
  std::vector<std::string> command = {tests::kCudaCompiler, (folder.path / "p.cu").string(), "-o",
                                      (folder.path / "p").string()};
  command.insert(command.end(), flags.begin(), flags.end());
  const build::Finished finished = build::run(command);
  INFO(finished.output);
  REQUIRE(finished.status == 0);
}

}  // namespace

TEST_CASE("files that are not CUDA programs are recognised, and a program without CUDA code just runs") {
  const ScratchFolder folder;
  folder.write("script", "#!/bin/sh\necho ran\n");
  folder.write("text", "hello");
  folder.write("p.cu", kProgram);
  std::filesystem::permissions(folder.path / "script", std::filesystem::perms::owner_all);
  struct Case {
    std::string program, message;
    int status;
  };
  const Case cases[] = {
      {folder.path / "nothing", "No such file or directory; give the path of a program", 2},
      {folder.path, "is a folder", 2},
      {folder.path / "text", "may not be executed (Permission denied)", 2},
      {folder.path / "script", "is not a 64-bit program (not an ELF file)", 2},
      {folder.path / "p.cu", "is source; build it first: ridge nvcc", 2},
      {"/bin/true", "has no CUDA code and does not use libcudart.so, so it runs as it is", 0},
  };
  for (const Case& c : cases) {
    INFO(c.program);
    const build::Finished finished = ridge_in(folder.path, {"exec", "--", c.program});
    CHECK(finished.status == c.status);
    CHECK_THAT(finished.output, Catch::Contains(c.message));
    CHECK_THAT(finished.output, !Catch::Contains("ran"));
  }
}

TEST_CASE("for a program with a static runtime or without PTX the message says how to build it", "[nvcc]") {
  if (tests::skipped_without_nvcc("a static runtime and machine code")) return;
  const ScratchFolder folder;
  folder.write("p.cu", kProgram);
  const std::string program = folder.path / "p";

  make(folder, {});
  const build::Finished linked = ridge_in(folder.path, {"exec", "--", program});
  CHECK(linked.status == 3);
  CHECK_THAT(linked.output,
             Catch::Contains("has the CUDA runtime linked into it (-cudart static is nvcc's default)"));
  CHECK_THAT(linked.output, Catch::Contains("build it with `ridge nvcc"));

  make(folder, {"-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90"});
  const build::Finished without = ridge_in(folder.path, {"exec", "--", program});
  CHECK(without.status == 3);
  CHECK_THAT(without.output, Catch::Contains("no PTX, which is what the virtual GPU executes"));
}

TEST_CASE("a library that the virtual GPU does not replace is named, with an alternative", "[nvcc]") {
  if (tests::skipped_without_nvcc("cuFFT")) return;
  const ScratchFolder folder;
  folder.write("p.cu", kProgram);
  make(folder, {"-cudart", "shared", "-Xlinker", "--no-as-needed", "-lcuda", "-lcufft"});
  const build::Finished finished = ridge_in(folder.path, {"exec", "--", folder.path / "p"});
  CHECK_THAT(finished.output, !Catch::Contains("libcuda.so"));  // the virtual GPU has one
  CHECK_THAT(finished.output,
             Catch::Contains("libcufft.so") && Catch::Contains("its calls fail, as without a GPU"));
}

TEST_CASE("a program built by ridge nvcc runs under ridge exec") {
  const ScratchFolder folder;
  folder.write("p.cu", kProgram);
  const std::string program = folder.path / "p";
  const build::Finished built =
      ridge_in(folder.path, {"nvcc", (folder.path / "p.cu").string(), "-o", program});
  INFO(built.output);
  REQUIRE(built.status == 0);
  const auto elf = cli::inspect(program);
  REQUIRE(elf);
  CHECK(elf->executable);
  CHECK(elf->our_machine);
  CHECK(elf->has_kernels);
  CHECK(elf->has_ptx);
  CHECK(elf->cudart_major() == 13);
  CHECK_FALSE(elf->fixed_path);
  CHECK(ridge_in(folder.path, {"nvcc", (folder.path / "missing.cu").string()}).status !=
        0);  // nvcc's own status
}

TEST_CASE("a script that stands in the place of nvcc may call ridge nvcc, which finds the compiler behind it") {
  const ScratchFolder folder;
  folder.write("nvcc", "#!/bin/sh\nexec '" RIDGE_PROGRAM "' nvcc \"$@\"\n");
  std::filesystem::permissions(folder.path / "nvcc", std::filesystem::perms::owner_all);
  const build::Finished finished =
      build::run({"timeout", "20", "env", "NVCC=" + (folder.path / "nvcc").string(), RIDGE_PROGRAM, "nvcc", "--version"});
  CHECK(finished.status == 0);
  CHECK_THAT(finished.output, Catch::Contains(tests::kHasNvcc ? "Cuda compilation tools, release" : "clang version"));
}

TEST_CASE("a truncated or scrambled program is inspected without harm") {
  const ScratchFolder folder;
  const std::string self = RIDGE_PROGRAM;
  std::string bytes(20000, '\0');
  FILE* file = fopen(self.c_str(), "rb");
  REQUIRE(file);
  bytes.resize(fread(bytes.data(), 1, bytes.size(), file));
  fclose(file);
  for (size_t size : {0, 1, 4, 5, 63, 64, 100, 4000, 20000}) {
    folder.write("cut", bytes.substr(0, size));
    const auto elf = cli::inspect(folder.path / "cut");
    CHECK(elf.has_value() == (size >= 64));  // an ELF header
    if (elf) CHECK_FALSE(elf->has_kernels);
  }
  for (size_t i = 24; i < 64; ++i) {  // offsets and counts that point anywhere
    std::string scrambled = bytes;
    scrambled[i] = '\xff';
    folder.write("scrambled", scrambled);
    CHECK_NOTHROW(cli::inspect(folder.path / "scrambled"));
  }
}

TEST_CASE("ridge nvcc adds only the flags that were not given") {
  using Words = std::vector<std::string>;
  struct Case {
    Words given, expected;
  };
  const std::string gencode = "arch=compute_90a,code=[sm_90a,compute_90a]";
  const Case cases[] = {
      {{"a.cu"},
       {"-gencode", gencode, "-cudart", "shared", "--compress-mode=none", "-lineinfo", "-Xcompiler", "-g1",
        "a.cu"}},
      {{"-arch=sm_80", "a.cu"},
       {"-cudart", "shared", "--compress-mode=none", "-lineinfo", "-Xcompiler", "-g1", "-arch=sm_80",
        "a.cu"}},
      {{"-arch", "all-major", "a.cu"},
       {"-gencode", "arch=compute_90,code=compute_90", "-cudart", "shared", "--compress-mode=none",
        "-lineinfo", "-Xcompiler", "-g1", "-arch", "all-major", "a.cu"}},
      {{"-gencode=arch=compute_80,code=sm_80"},
       {"-cudart", "shared", "--compress-mode=none", "-lineinfo", "-Xcompiler", "-g1",
        "-gencode=arch=compute_80,code=sm_80"}},
      {{"--cudart=static", "-G"},
       {"-gencode", gencode, "--compress-mode=none", "-Xcompiler", "-g1", "--cudart=static", "-G"}},
      {{"-lineinfo", "--compress-mode=size"},
       {"-gencode", gencode, "-cudart", "shared", "-Xcompiler", "-g1", "-lineinfo", "--compress-mode=size"}},
      {{"-g"}, {"-gencode", gencode, "-cudart", "shared", "--compress-mode=none", "-lineinfo", "-g"}},
  };
  for (const Case& c : cases) {
    INFO(c.given.front());
    CHECK(cli::nvcc_arguments(c.given, "90a") == c.expected);
  }
}
