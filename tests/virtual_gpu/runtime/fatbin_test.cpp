#include "virtual_gpu/runtime/binary/fatbin.h"

#include <cstring>

#include "built_fatbin.h"
#include "tests/catch.h"

using namespace ridge::runtime;
using ridge::tests::skipped_without_nvcc;
using namespace ridge::runtime::test;

TEST_CASE("PTX is read from a fat binary however nvcc packs it", "[nvcc]") {
  if (skipped_without_nvcc("compressed fat binaries")) return;
  struct Row {
    const char* name;
    const char* flag;
    Packing packing;
  };
  for (const Row& row : {Row{"plain", "--compress-mode=none", Packing::plain},
                         Row{"lz4", "--compress-mode=speed", Packing::lz4}, Row{"zstd", "", Packing::zstd},
                         Row{"size", "--compress-mode=size", Packing::zstd}}) {
    INFO(row.name);
    auto entries = read_fatbin(built_fatbin(row.name, std::string(kBothImages) + row.flag));
    REQUIRE(entries.size() == 2);
    const FatbinEntry* ptx = best_ptx(entries, 90);
    REQUIRE(ptx);
    CHECK(ptx->packing == row.packing);
    CHECK(ptx->arch_name() == "90a");
    std::string text = ptx->text();
    CHECK(text.find(".target sm_90a") != std::string::npos);
    CHECK(text.find(".entry with_stack(") != std::string::npos);
    CHECK(text.back() == '\n');
    const FatbinEntry* cubin = best_cubin(entries, 90);
    REQUIRE(cubin);
    CHECK(cubin->text().substr(1, 3) == "ELF");
  }
}

TEST_CASE("The PTX with the highest architecture that the device can run is chosen", "[nvcc]") {
  if (skipped_without_nvcc("fat binaries of several architectures")) return;
  auto entries = read_fatbin(built_fatbin("several",
                                          "-gencode arch=compute_75,code=compute_75 "
                                          "-gencode arch=compute_80,code=[sm_80,compute_80] "
                                          "-gencode arch=compute_90,code=compute_90 "
                                          "-gencode arch=compute_90a,code=[sm_90a,compute_90a] "
                                          "-gencode arch=compute_100,code=compute_100"));
  REQUIRE(entries.size() == 7);
  struct Row {
    uint32_t device;
    const char* chosen;
  };
  for (const Row& row : {Row{75, "75"}, Row{80, "80"}, Row{86, "80"}, Row{89, "80"}, Row{90, "90a"},
                         Row{100, "100"}, Row{120, "100"}}) {
    INFO(row.device);
    REQUIRE(best_ptx(entries, row.device));
    CHECK(best_ptx(entries, row.device)->arch_name() == row.chosen);
  }
  CHECK_FALSE(best_ptx(entries, 70));
  CHECK_FALSE(best_cubin(entries, 89));
}

TEST_CASE("A program without PTX is described by what it does hold", "[nvcc]") {
  if (skipped_without_nvcc("machine code")) return;
  auto entries = read_fatbin(built_fatbin("no_ptx", "-gencode arch=compute_90a,code=sm_90a"));
  CHECK_FALSE(best_ptx(entries, 90));
  CHECK(describe(entries) == "machine code for sm_90a");
  CHECK(describe({}) == "nothing");
}

TEST_CASE("A fat binary cut off anywhere is an error, never a crash") {
  for (const char* flag : {"--compress-mode=none", "--compress-mode=speed", ""}) {
    const auto& whole = built_fatbin(std::string("cut") + flag, std::string(kBothImages) + flag);
    size_t accepted = 0;
    for (size_t length = 0; length < whole.size(); ++length) {
      // A copy of exactly this length, so that a read past the end is one for the sanitizer.
      std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      try {
        read_fatbin(cut);
        ++accepted;
      } catch (const FatbinError& error) {
        REQUIRE(std::strlen(error.what()) > 20);
      }
    }
    CHECK(accepted == 0);
  }
}

TEST_CASE("Any damaged byte in a header is read or refused without harm") {
  const auto& whole = built_fatbin("damaged", std::string(kBothImages) + "--compress-mode=speed");
  int refused = 0;
  for (size_t at = 0; at < std::min<size_t>(whole.size(), 160); ++at) {
    for (unsigned value : {0x00u, 0x01u, 0x7fu, 0xffu}) {
      std::vector<std::byte> damaged = whole;
      damaged[at] = std::byte(value);
      try {
        for (const FatbinEntry& entry : read_fatbin(damaged))
          entry.text();
      } catch (const FatbinError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 50);
}

TEST_CASE("Compressed data that is damaged is an error with the numbers", "[nvcc]") {
  if (skipped_without_nvcc("compressed fat binaries")) return;
  for (const char* flag : {"--compress-mode=speed", ""}) {
    std::vector<std::byte> bytes = built_fatbin(std::string("body") + flag, std::string(kBothImages) + flag);
    int refused = 0;
    for (int shift = 0; shift < 40; ++shift) {
      std::vector<std::byte> damaged = bytes;
      auto entries = read_fatbin(damaged);
      const FatbinEntry* ptx = best_ptx(entries, 90);
      auto* payload = const_cast<std::byte*>(ptx->payload.data());
      payload[static_cast<size_t>(shift) * ptx->payload.size() / 40] ^= std::byte{0xff};
      try {
        ptx->text();
      } catch (const FatbinError& error) {
        CHECK_THAT(error.what(), Catch::Matchers::Contains("bytes"));
        ++refused;
      }
    }
    CHECK(refused > 5);
  }
}

TEST_CASE("Wrappers that no CUDA 13 made are refused") {
  uint32_t nonsense[6] = {0x12345678, 1, 0, 0, 0, 0};
  CHECK_THROWS_AS(read_wrapper(nonsense), FatbinError);
  CHECK_THROWS_AS(read_wrapper(nullptr), FatbinError);
  uint32_t without_data[6] = {0x466243B1, 1, 0, 0, 0, 0};
  CHECK_THROWS_AS(read_wrapper(without_data), FatbinError);
  uint32_t newer[6] = {0x466243B1, 3, 0, 0, 0, 0};
  CHECK_THROWS_WITH(read_wrapper(newer), Catch::Matchers::Contains("version 3"));
}
