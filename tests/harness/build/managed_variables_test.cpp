// __managed__ variables by clang: what is added to the PTX, and how the host reaches them.
#include "harness/build/clang/managed_variables.h"

#include <string>

#include "harness/build/clang/device_ir.h"
#include "tests/catch.h"

using namespace ridge;

TEST_CASE("the device's annotation names the managed variables") {
  const std::string ir =
      "@.s = private unnamed_addr constant [14 x i8] c\"ridge.managed\\00\", section \"llvm.metadata\"\n"
      "@.f = private unnamed_addr constant [5 x i8] c\"a.cu\\00\", section \"llvm.metadata\"\n"
      "@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, "
      "ptr } { ptr addrspacecast (ptr addrspace(1) @_ZN1n1aE to ptr), ptr @.s, ptr @.f, i32 7, ptr null }], "
      "section \"llvm.metadata\"\n";
  CHECK(build::rewritten(ir, {}).managed == std::set<std::string>{"_ZN1n1aE"});
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
      "@a = internal global [4 x float] undef, align 16\n"
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
  const std::string changed = build::with_managed_pointers(ir, {"a"});
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

TEST_CASE("a managed variable's address is no initial value") {
  CHECK_THROWS_WITH(build::with_managed_pointers("@p = global ptr @a, align 8\n", {"a"}),
                    Catch::Contains("the __managed__ variable a is not known before"));
}
