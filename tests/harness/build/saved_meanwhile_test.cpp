// A person saves while the compiler reads.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "harness/build/compile.h"
#include "harness/build/shared_folder.h"
#include "harness/build/toolkit.h"
#include "tests/catch.h"
#include "tests/harness/course/scratch_course.h"

using namespace ridge;
namespace fs = std::filesystem;

namespace {

const std::string kFirst = "int first;\n", kSaved = "int saved;\n";

// An nvcc that saves the source before it ends, `times` times, and whose object is the text that it read.
struct SavingCompiler : ridge::tests::ScratchFolder {
  explicit SavingCompiler(int times) {
    write("k.cu", kFirst);
    write("nvcc",
          "#!/bin/sh\n"
          "case \"$*\" in --version) echo 'Cuda compilation tools, release 13.0, V13.0.1'; exit;; esac\n"
          "while [ \"$1\" != -o ]; do shift; done\n"
          "cp \"$3\" \"$2\"\n"
          "cd " +
              path.string() +
              "\n"
              "echo >> runs\n"
              "[ $(wc -l < runs) -gt " +
              std::to_string(times) + " ] || { printf '" + "int saved;\\n" +
              "' > k.cu; [ $(wc -l < runs) = 1 ] || cat runs >> k.cu; }\n");
    fs::permissions(path / "nvcc", fs::perms::owner_all);
    setenv("NVCC", (path / "nvcc").c_str(), 1);
    setenv("RIDGE_SANDBOX", "none", 1);  // it is to write where a sandboxed compiler may not
  }
  ~SavingCompiler() {
    unsetenv("NVCC");
    unsetenv("RIDGE_SANDBOX");
  }
  build::Compiled compile() const { return build::compile(path / "k.cu", path / ".cache", "90a"); }
  static std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

}  // namespace

TEST_CASE(
    "a file that is saved while nvcc reads it is compiled again and not cached with its "
          "old text") {
  const SavingCompiler lab(1);
  const build::Compiled compiled = lab.compile();
  REQUIRE(compiled.ok);
  CHECK(compiled.from.source == kSaved);
  CHECK(lab.text_of(compiled.object) == kSaved);
  lab.write("k.cu", kFirst);
  const build::Compiled before = lab.compile();
  CHECK_FALSE(before.from_cache);
  CHECK(lab.text_of(before.object) == kFirst);
  CHECK(lab.compile().from_cache);
}

TEST_CASE("a file that is saved continuously is given up with advice") {
  const SavingCompiler lab(100);
  CHECK_THROWS_WITH(lab.compile(),
                    Catch::Contains("k.cu changed 5 times while nvcc was reading it; grade again when"));
}

TEST_CASE("a compiler killed by the system is reported as such, not as a compile error") {
  const ridge::tests::ScratchFolder lab;
  lab.write("k.cu", kFirst);
  for (const char* end :
       {"kill -9 $$", "echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\"; exit 9"}) {
    lab.write("nvcc", std::string("#!/bin/sh\n[ \"$1\" != --version ] || { echo 'release 13.0'; exit; }\n") +
                          end + "\n");
    fs::permissions(lab.path / "nvcc", fs::perms::owner_all);
    setenv("NVCC", (lab.path / "nvcc").c_str(), 1);
    CHECK_THROWS_WITH(
        build::compile(lab.path / "k.cu", lab.path / ".cache", "90a"),
        Catch::Contains("nvcc was killed while it compiled") && Catch::Contains("is memory short"));
    unsetenv("NVCC");
  }
}

TEST_CASE("the hash of the headers changes with a header's text and not with the clone's path") {
  const SavingCompiler lab(0), elsewhere(0);
  setenv("NVCC", (lab.path / "nvcc").c_str(), 1);
  lab.write("a.h", "1");
  elsewhere.write("a.h", "1");
  const std::string hash = lab.compile().from.headers_sha256;
  CHECK(elsewhere.compile().from.headers_sha256 == hash);
  elsewhere.write("a.h", "2");
  CHECK(elsewhere.compile().from.headers_sha256 != hash);
  CHECK(lab.compile().from.toolkit == "13.0");
  CHECK_THAT(lab.compile().from.flags, Catch::VectorContains(std::string("-lineinfo")));
}

TEST_CASE("new folders take the write permissions of their parent, except of a sticky one") {
  const mode_t before = umask(022);
  const ridge::tests::ScratchFolder scratch;
  const auto bits_under = [&](const char* name, mode_t mode) {
    fs::create_directory(scratch.path / name);
    chmod((scratch.path / name).c_str(), mode);
    std::error_code error;
    build::make_folders(scratch.path / name / "a" / "b", error);
    CHECK_FALSE(error);
    struct stat status {};
    REQUIRE(stat((scratch.path / name / "a" / "b").c_str(), &status) == 0);
    return status.st_mode & 07777;
  };
  CHECK(bits_under("own", 0755) == 0755);
  CHECK(bits_under("shared", 02775) == 02775);
  CHECK(bits_under("tmp", 01777) == 0755);
  umask(before);
  scratch.write("file", "");
  std::error_code error;
  build::make_folders(scratch.path / "file" / "a", error);
  CHECK(error);
}
