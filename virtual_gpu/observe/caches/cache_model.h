// Where the global accesses of a launch were served: L1, L2 or DRAM.
//
// While the blocks run, their accesses are kept as lines and sectors. When the grid has ended they are
// replayed as the SMs of the device would have interleaved them: block b on SM b modulo their number, as many
// at once as are resident, a warp an access at a time, barriers kept. So the answer does not depend on the
// number of host threads.
//
// A large launch is followed on a part of the SMs only: first on all, then on every second, fourth, ... until
// what is kept stays within the budget. Blocks of SMs that can no longer be in the part are dropped as they
// come. The figures are then scaled to the whole; L2 is given a part of its size, by what the followed SMs
// touch of all that is touched, which is estimated from how the number of different sectors grows with the
// number of SMs.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "trace/launch_report.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/observe/caches/access_stream.h"
#include "virtual_gpu/observe/caches/device_caches.h"
#include "virtual_gpu/observe/counts/spills.h"

namespace ridge::observe {

struct CacheLayout {
  uint64_t blocks = 0;
  uint32_t warps_per_block = 1;
  uint32_t multiprocessors = 1;
  uint32_t blocks_per_sm = 1;  // resident at once
  uint64_t l1_bytes = 0;
  uint64_t l2_bytes = 0;
  // Where device memory begins: caches see distances from there, so that one run of a program is like the
  // next.
  uint64_t origin = 0;
  uint64_t budget_words = uint64_t{1} << 20;  // of 8 bytes, and some 0.2 us each to replay
};

class CacheModel : public machine::ObserverFactory {
 public:
  // `l2` is the device's: what one launch leaves there, the next one finds. Not owned.
  CacheModel(const CacheLayout& layout, L2Cache& l2);
  ~CacheModel() override;

  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;
  // After the launch: fills the cache counts of the totals and of the instructions that the report already
  // has. Spills go through L1 behind the accesses that they stand behind in the SASS.
  void report(trace::LaunchReport& report, const SpillsBehind& spills = {});

 private:
  class Recorder;
  uint32_t level_of(uint64_t block) const;
  uint32_t final_level() const;

  CacheLayout layout_;
  L2Cache& l2_;
  const machine::Program* program_ = nullptr;
  std::vector<bool> past_l1_;             // by instruction: goes to L2 without a look at L1
  std::atomic<uint64_t> total_words_{0};  // of all blocks, kept or dropped
  std::vector<BlockStreams> kept_;
  std::vector<AddressRange> ranges_;  // by instruction
};

}  // namespace ridge::observe
