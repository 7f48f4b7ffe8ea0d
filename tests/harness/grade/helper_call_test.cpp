// nvcc's messages about calls of the course's own functions.
#include "harness/grade/diagnosis/helper_call.h"

#include "tests/catch.h"

using namespace ridge;

TEST_CASE("a call that matches no overload of a course's function is reported with the "
          "overloads") {
  const std::vector<std::filesystem::path> folders = {RIDGE_SOURCE_DIR "/labs/include",
                                                      RIDGE_SOURCE_DIR "/labs/05-gemm-float32"};
  const char* const overloaded =
      "x.cu(5): error: identifier \"y\" is undefined\n"
      "x.cu(58): error: no instance of overloaded function \"wgmma\" matches the argument list\n"
      "            argument types are: (float [32], unsigned long, bool)\n"
      "        wgmma(d, smem_desc(a), true);\n        ^\n"
      "/l/labs/include/hopper.cuh(210): note #3326-D: function \"wgmma(float (&)[128], bool)\" does not match\n"
      "  __attribute__((device)) inline void wgmma(float (&d)[128], bool add) {\n"
      "/l/labs/include/hopper.cuh(187): note #3326-D: function \"wgmma(float (&)[64], bool)\" does not match\n";
  auto found = grade::mismatched_helper(overloaded, folders);
  REQUIRE(found);
  CHECK(found->described() ==
        "compile_error.helper_arguments name=wgmma line=58 header=hopper.cuh types=(float [32], unsigned long, bool) "
        "forms=wgmma(float (&)[128], bool); wgmma(float (&)[64], bool)");
  CHECK_FALSE(found->next().empty());
  const char* const deduced =
      "x.cu:2: error: no instance of function template \"load_fragments\" matches the argument list\n"
      "            argument types are: (float [3], int)\n"
      "/l/copies.h:72: note #3327-D: candidate function template \"load_fragments\" failed deduction\n"
      "  __attribute__((device)) void load_fragments(float* to, int apart) {\n";
  found = grade::mismatched_helper(deduced, folders);
  REQUIRE(found);
  CHECK(found->described() ==
        "compile_error.helper_template name=load_fragments line=2 header=copies.h types=(float [3], int) "
        "forms=void load_fragments(float* to, int apart)");
}

TEST_CASE("calls of other functions keep nvcc's message") {
  CHECK_FALSE(grade::mismatched_helper("", {}));
  CHECK_FALSE(grade::mismatched_helper("x.cu(2): error: expected a \";\"\n", {RIDGE_SOURCE_DIR "/labs/include"}));
  CHECK_FALSE(grade::mismatched_helper(
      "x.cu(58): error: no instance of overloaded function \"std::min\" matches the argument list\n"
      "/usr/include/algorithm(1): note #1: function \"std::min(int)\" does not match\n",
      {RIDGE_SOURCE_DIR "/labs/include"}));
}
