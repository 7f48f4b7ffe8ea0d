#include "harness/build/nvcc_output.h"

#include "harness/build/sha256.h"
#include "tests/catch.h"

using namespace ridge;

TEST_CASE("the lines of ptxas -v are converted to figures for each kernel") {
  const auto kernels = build::resources_in(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z3addPfi' for 'sm_90a'
ptxas info    : Function properties for _Z3addPfi
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Function properties for _Z5helpif
    96 bytes stack frame, 99 bytes spill stores, 99 bytes spill loads
ptxas info    : Used 12 registers, used 1 barriers, 128 bytes smem
ptxas info    : Compiling entry function 'plain' for 'sm_90a'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers
)");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].kernel == "add(float*, int)");
  CHECK(kernels[0].registers == 12);
  CHECK(kernels[0].shared_bytes == 128);
  CHECK(kernels[0].stack_bytes == 16);
  CHECK(kernels[0].spill_store_bytes == 8);
  CHECK(kernels[0].spill_load_bytes == 12);
  CHECK(kernels[1].kernel == "plain");
  CHECK(kernels[1].registers == 255);
  CHECK(kernels[1].shared_bytes == 0);
}

TEST_CASE("nvcc's messages name the student's file and keep the caret under its column") {
  const std::string output =
      "/clone/labs/x.cu(2): error: identifier \"b\" is undefined\n"
      "  __attribute__((global)) void f() { b = 1; }\n"
      "                                     ^\n"
      "\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
      "\n"
      "1 error detected in the compilation of \"/clone/labs/x.cu\".\n";
  CHECK(build::messages_in(output, "/clone/labs/x.cu", "labs/x.cu") ==
        "labs/x.cu:2: error: identifier \"b\" is undefined\n"
        "  __global__ void f() { b = 1; }\n"
        "                        ^\n"
        "\n"
        "1 error detected in the compilation of \"labs/x.cu\".\n");
}

TEST_CASE("names of nvcc's intermediate files are not shown to the student") {
  const std::string output = "ptxas /tmp/tmpxft_0001_2-6_x.ptx, line 34; error   : too much shared data\n";
  const std::string text = build::messages_in(output, "/clone/x.cu", "x.cu");
  CHECK(text == "ptxas x.cu, line 34; error   : too much shared data\n");
}

TEST_CASE("sha256 agrees with the vectors of FIPS 180-4") {
  CHECK(build::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(build::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(build::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(build::sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
