// __managed__ variables by clang: what is added to the PTX, and how the host reaches them.
#include "harness/build/clang/managed_variables.h"

#include <string>

#include "harness/build/clang/device_ir.h"
#include "tests/catch.h"

using namespace ridge;

TEST_CASE("the section names the managed variables that are defined or declared") {
  const std::string ir =
      "@_ZN1n1aE = addrspace(1) externally_initialized global i32 5, section \"ridge.managed\", align 4\n"
      "@b = external addrspace(1) global i32, section \"ridge.managed\", align 4\n"
      "@c = external addrspace(1) global i32, align 4\n";
  CHECK(build::rewritten(ir, {}).managed == std::set<std::string>{"_ZN1n1aE", "b"});
}

TEST_CASE("managed variables have the attribute in PTX, and no others") {
  CHECK(build::with_managed_attributes(".visible .global .align 4 .u32 total = 5;\n"
                                       ".visible .global .align 4 .b8 table[16] = {0, 1};\n"
                                       ".global .align 4 .b8 tables[16];\n"
                                       ".visible .entry total()\n",
                                       {"total", "table"}) ==
        ".visible .global .attribute(.managed) .align 4 .u32 total = 5;\n"
        ".visible .global .attribute(.managed) .align 4 .b8 table[16] = {0, 1};\n"
        ".global .align 4 .b8 tables[16];\n"
        ".visible .entry total()\n");
}

TEST_CASE(
    "the host reaches managed variables through a pointer that it asks for once per function") {
  const std::string ir =
      "@a = internal global [4 x float] undef, section \"ridge.managed\", align 16\n"
      "@a.b = internal global i32 undef, align 4\n"
      "define i32 @main() {\n"
      "  %1 = load float, ptr getelementptr inbounds ([4 x float], ptr @a, i64 0, i64 2), align 8\n"
      "  store i64 ptrtoint (ptr getelementptr (float, ptr @a, i64 4) to i64), ptr %8\n"
      "  %2 = phi ptr [ @a, %3 ], [ @a.b, %4 ]\n"
      "}\n"
      "define i32 @other() {\n  store i32 1, ptr @a.b\n}\n"
      "define internal void @__cuda_register_globals(ptr %0) {\n"
      "  call void @__cudaRegisterVar(ptr %0, ptr @a, ptr @1, ptr @1, i32 0, i64 16, i32 0, i32 0)\n"
      "  call void @__cudaRegisterVar(ptr %0, ptr @a.b, ptr @2, ptr @2, i32 0, i64 4, i32 0, i32 0)\n"
      "}\n";
  const std::string changed = build::with_managed_pointers(ir, false);
  CHECK_THAT(
      changed,
      Catch::Contains(
          "define i32 @main() {\n"
          "  %ridge.managed.0 = call ptr @ridge.managed.address(ptr @ridge.managed.a)\n"
          "  %ridge.managed.1 = getelementptr inbounds [4 x float], ptr %ridge.managed.0, i64 0, i64 2\n"
          "  %ridge.managed.2 = getelementptr float, ptr %ridge.managed.0, i64 4\n"
          "  %ridge.managed.3 = ptrtoint ptr %ridge.managed.2 to i64\n"
          "  %1 = load float, ptr %ridge.managed.1, align 8\n"
          "  store i64 %ridge.managed.3, ptr %8\n"
          "  %2 = phi ptr [ %ridge.managed.0, %3 ], [ @a.b, %4 ]\n"
          "}\n"
          "define i32 @other() {\n  store i32 1, ptr @a.b\n}\n"));
  CHECK_THAT(changed,
             Catch::Contains("@__cudaRegisterManagedVar(ptr %0, ptr @ridge.managed.a, ptr @1,"));
  CHECK_THAT(changed, Catch::Contains("@__cudaRegisterVar(ptr %0, ptr @a.b, ptr @2,"));
  CHECK_THAT(changed, Catch::Contains("store ptr %0, ptr @ridge.managed.handle"));
  CHECK_THAT(changed, Catch::Contains("@ridge.managed.a = internal global ptr null"));
}

TEST_CASE("files of which the device code is linked share the pointers of managed variables") {
  const std::string section = ", section \"ridge.managed\", align 4\n";
  const std::string ir = "@own = internal global i32 undef" + section +
                         "@defined = dso_local global i32 undef" + section +
                         "@of_template = linkonce_odr global i32 undef" + section +
                         "@declared = external global i32" + section +
                         "@__clang_gpu_used_external = internal global [1 x ptr] [ptr @declared]\n"
                         "define i32 @main() {\n  %1 = load i32, ptr @declared\n}\n";
  const std::string linked = build::with_managed_pointers(ir, true);
  for (const char* line : {
           "@ridge.managed.own = internal global ptr null",
           "@ridge.managed.defined = hidden global ptr null",
           "@ridge.managed.of_template = weak hidden global ptr null",
           "@ridge.managed.declared = external hidden global ptr,",
           "@ridge.managed.handle = weak hidden global ptr null",
           "@__clang_gpu_used_external = internal global [1 x ptr] [ptr null]",
           "%1 = load i32, ptr %ridge.managed.0",
       })
    CHECK_THAT(linked, Catch::Contains(line));
  const std::string alone = build::with_managed_pointers(ir, false);
  CHECK_THAT(alone, Catch::Contains("@ridge.managed.defined = internal global ptr null"));
  CHECK_THAT(alone, Catch::Contains("@ridge.managed.handle = internal global ptr null"));
}

TEST_CASE("uses of a static variable before the host's have its name with the file's ID") {
  const std::string text =
      build::rewritten(
          "@_ZL1a = external addrspace(1) global i32, align 4\n"
          "@_ZL1a__static__5e = addrspace(1) externally_initialized global i32 3, align 4\n"
          "@_ZL1b = external addrspace(1) global i32, align 4\n"
          "define void @k() {\n  %1 = load i32, ptr addrspacecast (ptr addrspace(1) @_ZL1a to ptr)\n"
          "  %2 = load i32, ptr addrspacecast (ptr addrspace(1) @_ZL1aa to ptr)\n}\n",
          {})
          .text;
  CHECK_THAT(text, Catch::Contains("%1 = load i32, ptr addrspacecast (ptr addrspace(1) "
                                   "@_ZL1a__static__5e to ptr)"));
  CHECK_THAT(text, Catch::Contains("(ptr addrspace(1) @_ZL1aa to ptr)"));
  CHECK_THAT(text, !Catch::Contains("@_ZL1a = external"));
  CHECK_THAT(text, Catch::Contains("@_ZL1b = external"));
  CHECK_THAT(text, Catch::Contains("@_ZL1a__static__5e = addrspace(1)"));
}

TEST_CASE("a managed variable's address is no initial value") {
  CHECK_THROWS_WITH(
      build::with_managed_pointers("@a = global i32 undef, section \"ridge.managed\", align 4\n"
                                   "@p = global ptr @a, align 8\n",
                                   false),
      Catch::Contains("the __managed__ variable a is not known before"));
}
