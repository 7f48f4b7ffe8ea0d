#include "virtual_gpu/runtime/binary/cubin.h"

#include "built_fatbin.h"
#include "tests/catch.h"
#include "virtual_gpu/runtime/binary/fatbin.h"

using namespace ridge::runtime;
using ridge::tests::skipped_without_nvcc;
using namespace ridge::runtime::test;

namespace {

const char* const kCubins = "machine code";

std::string sample_cubin() {
  auto entries = read_fatbin(built_fatbin("cubin", kBothImages));
  return best_cubin(entries, 90)->text();
}

}  // namespace

TEST_CASE("A cubin says registers, stack and shared memory of each kernel", "[nvcc]") {
  if (skipped_without_nvcc(kCubins)) return;
  auto kernels = read_cubin(sample_cubin());
  REQUIRE(kernels.size() == 3);
  CHECK(kernels.at("plain").registers_per_thread >= 6);
  CHECK(kernels.at("plain").registers_per_thread <= 32);
  CHECK(kernels.at("plain").static_shared_bytes == 0);
  CHECK(kernels.at("plain").stack_bytes == 0);
  CHECK(kernels.at("with_shared").static_shared_bytes == 1024);
  CHECK(kernels.at("with_stack").stack_bytes == 400);
  CHECK(kernels.at("with_stack").registers_per_thread > kernels.at("plain").registers_per_thread);
}

TEST_CASE("A cubin's sizes are the same when its code is not read", "[nvcc]") {
  if (skipped_without_nvcc(kCubins)) return;
  const std::string cubin = sample_cubin();
  const auto all = read_cubin(cubin), sizes = read_cubin(cubin, {}, CubinParts::sizes);
  REQUIRE(sizes.size() == all.size());
  for (const auto& [name, kernel] : sizes) {
    CHECK(kernel.code == nullptr);
    CHECK(all.at(name).code != nullptr);
    CHECK(kernel.registers_per_thread == all.at(name).registers_per_thread);
    CHECK(kernel.stack_bytes == all.at(name).stack_bytes);
    CHECK(kernel.static_shared_bytes == all.at(name).static_shared_bytes);
  }
}

TEST_CASE("A cubin's code is read instruction by instruction", "[nvcc]") {
  if (skipped_without_nvcc(kCubins)) return;
  auto kernels = read_cubin(sample_cubin());
  const auto& code = kernels.at("with_shared").code;
  REQUIRE(code != nullptr);
  size_t exits = 0, shared_loads = 0, shared_stores = 0, global_stores = 0;
  for (const auto& instruction : *code) {
    exits += instruction.flow == ridge::warp_model::SassFlow::exit;
    shared_loads += instruction.sass_class == ridge::warp_model::SassClass::shared_load;
    shared_stores += instruction.sass_class == ridge::warp_model::SassClass::shared_store;
    global_stores += instruction.sass_class == ridge::warp_model::SassClass::global_store;
  }
  CHECK(exits >= 1);
  CHECK(shared_loads >= 1);
  CHECK(shared_stores >= 1);
  CHECK(global_stores >= 1);
}

TEST_CASE("A cubin cut off anywhere is read or refused without harm", "[nvcc]") {
  if (skipped_without_nvcc(kCubins)) return;
  std::string whole = sample_cubin();
  size_t refused = 0;
  for (size_t length = 0; length < whole.size(); length += 1 + length / 400) {
    std::string cut(whole.data(), length);
    cut.shrink_to_fit();
    try {
      read_cubin(cut);
    } catch (const FatbinError&) {
      ++refused;
    }
  }
  CHECK(refused > 500);
  CHECK_THROWS_AS(read_cubin("not an ELF file, but long enough to hold the header of one, which is 64 bytes"),
                  FatbinError);
}
