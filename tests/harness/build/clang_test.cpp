// What is changed on the way through clang: sources, LLVM IR and PTX.
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/build/clang/clang_compile.h"
#include "harness/build/clang/device_ir.h"
#include "harness/build/clang/fat_binary.h"
#include "harness/build/clang/programs/linked_binaries.h"
#include "harness/build/clang/source_overlay.h"
#include "harness/build/clang/vector_copies.h"
#include "tests/catch.h"

using namespace ridge;

namespace {

struct Change {
  std::string from, to;
};

}  // namespace

TEST_CASE("an alignas behind other specifiers moves before them, and no other does") {
  const Change c = GENERATE(values<Change>({
      {"__shared__ alignas(16) float a[4];", "alignas(16) __shared__  float a[4];"},
      {"{ static  alignas (2 * (4 + 4)) int b;", "{ alignas (2 * (4 + 4)) static   int b;"},
      {"; extern __shared__ alignas(\nT<1>) char c[];",
       "; alignas(\nT<1>) extern __shared__  char c[];"},
      {"struct alignas(16) Pair {};", "struct alignas(16) Pair {};"},
      {"alignas(16) float a;", "alignas(16) float a;"},
      {"my_alignas(16);", "my_alignas(16);"},
      {"__shared__ alignas(", "__shared__ alignas("},
  }));
  CHECK(build::clang::with_alignas_first(c.from) == c.to);
}

TEST_CASE("a copy of 8 or 16 bytes becomes a vector access, and no other does") {
  const auto copied = [](const std::string& line) {
    std::vector<std::string> lines = {line};
    build::copy_by_vectors(lines);
    return lines.front();
  };
  CHECK(
      copied(
          "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %3, ptr nonnull align 4 %5, i64 16, i1 "
          "false), !dbg !7, !tbaa.struct !9") ==
      "  %ridge.copy.0 = load <4 x i32>, ptr %5, align 16, !dbg !7\n"
      "  store <4 x i32> %ridge.copy.0, ptr %3, align 16, !dbg !7");
  CHECK(
      copied(
          "  call void @llvm.memcpy.p0.p3.i64(ptr align 8 %3, ptr addrspace(3) align 8 getelementptr "
          "(i8, ptr addrspace(3) @a, i64 8), i64 8, i1 false)") ==
      "  %ridge.copy.0 = load <2 x i32>, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @a, i64 8), "
      "align 8\n  store <2 x i32> %ridge.copy.0, ptr %3, align 8");
  for (const std::string left : {
           "  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %3, ptr align 4 %5, i64 16, i1 false)",
           "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %3, ptr align 16 %5, i64 24, i1 false)",
           "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %3, ptr align 16 %5, i64 16, i1 true)",
           "  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %3, ptr align 16 %5, i64 %n, i1 false)",
       })
    CHECK(copied(left) == left);
}

TEST_CASE("annotations of a kernel become directives, and a grid constant stays where it is") {
  const std::string ir =
      "@.s = private unnamed_addr constant [19 x i8] c\"ridge.cluster_dims\\00\", section \"llvm.metadata\"\n"
      "@.g = private unnamed_addr constant [20 x i8] c\"ridge.grid_constant\\00\", section "
      "\"llvm.metadata\"\n"
      "@.f = private unnamed_addr constant [5 x i8] c\"a.cu\\00\", section \"llvm.metadata\"\n"
      "@.args = private unnamed_addr constant { i32, i32 } { i32 4, i32 2 }, section \"llvm.metadata\"\n"
      "@llvm.global.annotations = appending global [2 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, "
      "ptr } { ptr @_Z1kv, ptr @.s, ptr @.f, i32 7, ptr @.args }, { ptr, ptr, ptr, i32, ptr } { ptr @_Z1nv, ptr @.s, "
      "ptr @.f, i32 8, ptr null }], section \"llvm.metadata\"\n"
      "define void @_Z1kv(i32 noundef %0, ptr noundef byval(%struct.Map) align 64 %1) {\n"
      "  call void @llvm.var.annotation.p0.p0(ptr %1, ptr @.g, ptr @.f, i32 4, ptr null)\n"
      "  call void @use(ptr noundef %1, ptr %10)\n"
      "}\n";
  const build::DeviceIr device = build::rewritten(ir, {});
  REQUIRE(device.directives.at("_Z1kv") ==
          std::vector<std::string>{".explicitcluster", ".reqnctapercluster 4, 2, 1"});
  CHECK(device.directives.at("_Z1nv") == std::vector<std::string>{".explicitcluster"});
  CHECK_THAT(device.text, Catch::Contains("_Z1kv_param_1; cvta.param.u64"));
  CHECK_THAT(device.text, Catch::Contains("call void @use(ptr noundef %ridge.param.1, ptr %10)"));
  CHECK_THAT(device.text, !Catch::Contains("call void @llvm.var.annotation"));
  CHECK(
      build::with_directives(
          ".visible .entry _Z1kv(\n\t.param .u32 p\n)\n{\n}\n.visible .entry b()\n{\n}\n",
          device.directives) ==
      ".visible .entry _Z1kv(\n\t.param .u32 p\n)\n.explicitcluster\n.reqnctapercluster 4, 2, 1\n{\n}\n"
      ".visible .entry b()\n{\n}\n");
}

TEST_CASE(
    "functions, and not what they only call, get the attribute that keeps loads where they are") {
  const std::string ir =
      "define void @k() #0 comdat !dbg !1 {\n}\ndeclare void @f() #1\n"
      "attributes #0 = { nounwind }\nattributes #1 = { convergent }\n";
  const std::string text = build::rewritten(ir, {}).text;
  CHECK_THAT(text, Catch::Contains("attributes #0 = { sanitize_thread nounwind }"));
  CHECK_THAT(text, Catch::Contains("attributes #1 = { convergent }"));
}

TEST_CASE("functions of headers lose their line information") {
  const std::string ir =
      "define void @own() !dbg !1 {\n  call void @of_header(), !dbg !3\n}\n"
      "define void @of_header() !dbg !2 {\n  fence seq_cst, !dbg !4, !srcloc !9\n}\n"
      "!1 = distinct !DISubprogram(name: \"own\", file: !5)\n"
      "!2 = distinct !DISubprogram(name: \"of_header\", file: !6)\n"
      "!3 = !DILocation(line: 1, scope: !1)\n!4 = !DILocation(line: 2, scope: !2)\n"
      "!5 = !DIFile(filename: \"/home/a.cu\", directory: \"\")\n"
      "!6 = !DIFile(filename: \"x.h\", directory: \"/usr/include\")\n";
  const std::vector<std::filesystem::path> system = {"/usr"};
  for (const build::Headers& headers :
       {build::Headers{system, {}}, build::Headers{{}, "/home/a.cu"}}) {
    const std::string text = build::rewritten(ir, headers).text;
    CHECK_THAT(text, Catch::Contains("call void @of_header(), !dbg !3"));
    CHECK_THAT(text, Catch::Contains("define void @of_header() {\n  fence seq_cst, !srcloc !9\n}"));
  }
  const std::string kernel = ir + "!7 = !{ptr @of_header, !\"kernel\", i32 1}\n";
  CHECK_THAT(build::rewritten(kernel, {{}, "/home/a.cu"}).text,
             Catch::Contains("define void @of_header() !dbg !2"));
}

TEST_CASE("labels of line information are no ends of basic blocks") {
  CHECK(build::with_directives("$L__BB0_1:\n\tadd;\n$L__tmp4:\n\tsub;\n", {}) ==
        "$L__BB0_1:\n\tadd;\n\tsub;\n");
}

TEST_CASE("an instruction without a line has that of the instruction before it") {
  const std::string head = ".visible .entry a()\n{\n",
                    first = "\t.loc\t1 0 3\n\tld;\n\t.loc\t1 7 3\n\tadd;\n";
  CHECK(build::with_directives(head + first + "\t.loc\t1 0 0\n\tst;\n}\n", {}) ==
        head + first + "\tst;\n}\n");
}

TEST_CASE("a fat binary holds the PTX with its architecture") {
  const std::string bytes = build::fat_binary("// ptx", "90a");
  REQUIRE(bytes.size() == 16 + 64 + 8);
  CHECK(bytes.substr(0, 4) == "\x50\xED\x55\xBA");
  CHECK(bytes[16 + 0x1c] == 90);
  CHECK(bytes.substr(80, 7) == std::string("// ptx\0", 7));
}

TEST_CASE("clang's messages on a whole program stay as they are, without its counts") {
  const std::string error = "a.cu:7:1: error: unknown type name 'x'\n";
  CHECK(build::clang::clang_messages(error + "1 error generated when compiling for sm_90a.\n", "",
                                     "") == error);
}

TEST_CASE("clang's message on what only nvcc compiles is followed by the reason, once") {
  const auto added = [](const std::string& message) {
    const std::string output = message + "\n" + message + "\n";
    return build::clang::clang_messages(output, "", "").substr(output.size());
  };
  const std::string page = " (docs/clang.md: What is different without nvcc)\n";
  const std::string ours = "note: Ridgepoint's CUDA headers, with which clang compiles, ";
  CHECK(added("a.cu:3:10: fatal error: 'cub/cub.cuh' file not found") ==
        ours + "lack cub/cub.cuh" + page);
  CHECK(added("a.cu:3:10: fatal error: 'cublas_v2.h' file not found") ==
        ours + "lack cublas_v2.h" + page);
  CHECK(added("a.cu:3:10: fatal error: 'mine.h' file not found").empty());
  CHECK(added("a.cu:3:65: error: no member named 'span' in namespace 'cuda::std'") ==
        ours + "have a part of libcu++ only" + page);
  CHECK(added("a.cu:3:65: error: no member named 'span' in namespace 'std'").empty());
  const std::string part = ours + "have a small part of cub only" + page;
  CHECK(added("a.cu:3:8: error: no template named 'BlockReduce' in namespace 'cub'") == part);
  CHECK(added("a.cu:3:20: error: no member named 'Unique' in 'cub::DeviceSelect'") == part);
  CHECK(
      added("a.cu:3:34: error: reference to __global__ function 'child' in __global__ function") ==
      "note: clang cannot compile a launch of 'child' by a kernel, and nvcc can" + page);
}

TEST_CASE("the functions that register device code of several files are found and defined") {
  constexpr char kObject[] =
      "\0__cudaRegisterLinkedBinary__nv_1f\0x\0__cudaRegisterLinkedBinary__nv_2";
  const std::string_view object(kObject, sizeof kObject);
  const auto functions = build::clang::linked_binaries_in(object);
  REQUIRE(functions == std::set<std::string>{"__cudaRegisterLinkedBinary__nv_1f",
                                             "__cudaRegisterLinkedBinary__nv_2"});
  const std::string source = build::clang::linked_binaries_source(functions);
  CHECK_THAT(source, Catch::Contains("objects[2 + 1]"));
  CHECK_THAT(source,
             Catch::Contains("void __cudaRegisterLinkedBinary__nv_2(void (*kernels)(void**)"));
  CHECK(build::clang::linked_binaries_in("nothing").empty());
}
