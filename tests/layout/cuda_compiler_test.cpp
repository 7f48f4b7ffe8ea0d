// Tests that compile CUDA code run without nvcc, too, or are skipped with a sentence (tests/cuda_compiler.h).
#include <map>
#include <regex>
#include <string>

#include "tests/catch.h"
#include "tests/layout/tree.h"

namespace {

using ridge::layout::lines_of;
using ridge::layout::project_files;

int lines_with(const std::string& file, const std::string& pattern) {
  const std::regex wanted(pattern);
  int count = 0;
  for (const std::string& line : lines_of(file))
    count += std::regex_search(line, wanted);
  return count;
}

}  // namespace

TEST_CASE("programs of the tests are compiled by the compiler that CMake chose, nvcc or not") {
  int checked = 0;
  for (const std::string& file : project_files({".txt"})) {
    if (!file.starts_with("tests/") && !file.starts_with("virtual_gpu/bench/")) continue;
    INFO(file << ": ${RIDGE_CUDA_COMPILER} compiles where there is no nvcc, too");
    CHECK(lines_with(file, R"(\$\{NVCC\}|\$\{CUDA_BIN\})") == 0);
    checked += lines_with(file, R"(\$\{RIDGE_CUDA_COMPILER\})");
  }
  CHECK(checked >= 5);
}

TEST_CASE(
    "a test case that needs nvcc says so by its tag, what for, and in its program's options") {
  std::map<std::string, int> tagged;  // by folder
  for (const std::string& file : project_files({".cpp"})) {
    if (!file.starts_with("tests/") || !file.ends_with("_test.cpp") ||
        file == "tests/layout/cuda_compiler_test.cpp")
      continue;
    const int tags = lines_with(file, R"re(\[nvcc\])re");
    INFO(file << ": [nvcc] goes with skipped_without_nvcc(WHAT_FOR)");
    CHECK(tags == lines_with(file, R"(if \((ridge::)?(tests::)?skipped_without_nvcc\()"));
    if (tags > 0) tagged[file.substr(0, file.rfind('/'))] += tags;
  }
  CHECK(tagged.size() >= 3);
  for (const auto& [folder, cases] : tagged) {
    std::string of_test = folder;
    while (lines_with(of_test + "/CMakeLists.txt", R"(^ridge_test\()") == 0)
      of_test = of_test.substr(0, of_test.rfind('/'));
    INFO(of_test << "/CMakeLists.txt: ridge_test(NAME NVCC ...)");
    CHECK(lines_with(of_test + "/CMakeLists.txt", R"(^ridge_test\(.*\bNVCC\b)") == 1);
  }
}
