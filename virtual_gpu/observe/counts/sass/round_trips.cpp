#include "virtual_gpu/observe/counts/sass/round_trips.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ridge::observe {
namespace {

using warp_model::kScoreboards;
using warp_model::SassClass;
using warp_model::SassFlow;
using warp_model::SassInstruction;

// Nested loops are walked twice each: enough for eight levels around every instruction. Code that
// jumps back without being a loop does not take longer than this.
constexpr size_t kMostStepsPerInstruction = 256;

bool loads_from_memory(SassClass c) {
  return c == SassClass::global_load || c == SassClass::generic_load || c == SassClass::texture;
}

// Walks through the code in its order, and through each loop a second time: then loads of an
// iteration that the next one waits for are known at its beginning.
class Walk {
 public:
  Walk(std::span<const SassInstruction> code, std::span<const uint64_t> issued)
      : code_(code), issued_(issued), waits_(code.size()), repeated_(code.size()) {}

  std::vector<uint8_t> result() {
    size_t steps = kMostStepsPerInstruction * code_.size();
    for (size_t k = 0; k < code_.size() && steps > 0; --steps) {
      if (issued_[k] != 0) step(k);
      k = next(k);
    }
    return std::move(waits_);
  }

 private:
  // Time is counted in steps; 0: nothing was issued.
  void step(size_t k) {
    const SassInstruction& i = code_[k];
    ++now_;
    uint64_t latest = 0;  // of the loads that it waits for
    for (uint32_t s = 0; s < kScoreboards; ++s) {
      if ((i.waits_for_scoreboards >> s & 1) == 0) continue;
      latest = std::max(latest, load_of_[s]);
      load_of_[s] = 0;
    }
    waits_[k] = latest > last_wait_;
    if (waits_[k] != 0) last_wait_ = now_;
    if (loads_from_memory(i.sass_class) && i.sets_scoreboard < kScoreboards)
      load_of_[i.sets_scoreboard] = now_;
  }

  size_t next(size_t k) {
    const SassInstruction& i = code_[k];
    const bool goes_back = i.flow == SassFlow::branch && i.target <= i.address && issued_[k] != 0;
    if (!goes_back) return k + 1;
    repeated_[k] = repeated_[k] == 0;
    if (repeated_[k] == 0) return k + 1;
    const size_t target = k - (i.address - i.target) / warp_model::kSassBytes;
    return target <= k ? target : k + 1;
  }

  std::span<const SassInstruction> code_;
  std::span<const uint64_t> issued_;
  std::vector<uint8_t> waits_, repeated_;
  std::array<uint64_t, kScoreboards> load_of_{};  // when the scoreboard's latest load was issued
  uint64_t now_ = 0, last_wait_ = 0;
};

}  // namespace

std::vector<uint8_t> round_trips(std::span<const SassInstruction> code,
                                 std::span<const uint64_t> issued) {
  return Walk(code, issued).result();
}

}  // namespace ridge::observe
