// The bytes of global memory that a launch reads and writes, kept for a later launch that may begin
// before this one has ended.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace ridge::observe {

class LaunchFootprint {
 public:
  void add(uint64_t begin, uint64_t bytes, bool writes, uint32_t instruction);
  void merge(const LaunchFootprint& other);
  // The instructions that were last to touch memory on some page.
  std::set<uint32_t> instructions() const;
  // Sets the source line of each instruction that touches memory: "chain.cu:12".
  void name_lines(std::map<uint32_t, std::string> lines) { lines_ = std::move(lines); }

  struct Conflict {
    uint64_t address = 0;  // the first byte
    bool writes = false;   // this launch writes it; otherwise it only reads it
    std::string line;      // the source line
  };
  // The conflict with an access of another launch: both touch a byte, and one of them writes it.
  std::optional<Conflict> conflict_with(uint64_t begin, uint64_t bytes, bool writes) const;
  std::string kernel;

 private:
  static constexpr uint64_t kPageBytes = 4096, kWords = kPageBytes / 64;
  struct Page {
    std::array<uint64_t, kWords> read{}, written{};  // one bit per byte
    uint32_t reader = 0, writer = 0;                 // the last instruction that did so
  };
  Page& page_at(uint64_t number);

  std::unordered_map<uint64_t, Page> pages_;
  std::map<uint32_t, std::string> lines_;
  uint64_t last_number_ = ~uint64_t{0};
  Page* last_ = nullptr;
};

}  // namespace ridge::observe
