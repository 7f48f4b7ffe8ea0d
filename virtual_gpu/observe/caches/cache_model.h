// Computes where the global accesses of a launch hit: L1, L2 or DRAM.
//
// While the blocks run, their accesses are stored as lines and sectors. When the grid has ended
// they are replayed in the order in which the SMs of the device would interleave them: block b runs
// on SM b modulo their number, with as many blocks as are resident; warps make one access each in
// turn, and barriers are respected. The result therefore does not depend on the number of host
// threads.
//
// A large launch is sampled on part of the SMs: first all, then every second, fourth, ... until the
// stored data fits the budget. Blocks of SMs that are no longer sampled are dropped. The figures
// are then scaled to the whole launch. L2 gets a fraction of its size: the fraction of the touched
// data that the sampled SMs touch, estimated from how the number of distinct sectors grows with the
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
#include "virtual_gpu/observe/counts/sass/spills.h"

namespace ridge::observe {

struct CacheLayout {
  uint64_t blocks = 0;
  uint32_t warps_per_block = 1;
  uint32_t multiprocessors = 1;
  uint32_t blocks_per_sm = 1;  // resident at the same time
  uint64_t l1_bytes = 0;
  uint64_t l2_bytes = 0;
  // The begin of device memory: caches use distances from there, so that results do not vary
  // between runs of a program.
  uint64_t origin = 0;
  // With several devices: the memory of all of them, and of this one. What is elsewhere in
  // `devices` crosses a link below L2, so it is neither in this L2 nor in this DRAM.
  AddressRange devices, own;
  bool is_peer(uint64_t address) const {
    return devices.contains(address) && !own.contains(address);
  }
  uint64_t budget_words = uint64_t{1} << 20;  // of 8 bytes; replaying one takes about 0.2 us
};

class CacheModel : public machine::ObserverFactory {
 public:
  // `l2` is the device's cache, whose content persists between launches. Not owned.
  CacheModel(const CacheLayout& layout, L2Cache& l2);
  ~CacheModel() override;

  std::unique_ptr<machine::Observer> make(const machine::Program& program) override;
  void collect(std::unique_ptr<machine::Observer> observer) override;
  // Called after the launch: fills in the cache counts of the totals and of the instructions in the
  // report. A spill is replayed through L1 after the access that it follows in the SASS.
  void report(trace::LaunchReport& report, const SpillsBehind& spills = {});

 private:
  class Recorder;
  uint32_t level_of(uint64_t block) const;
  uint32_t final_level() const;

  CacheLayout layout_;
  L2Cache& l2_;
  const machine::Program* program_ = nullptr;
  std::vector<bool> past_l1_;             // by instruction: it bypasses L1
  std::atomic<uint64_t> total_words_{0};  // of all blocks, stored or dropped
  std::vector<BlockStreams> kept_;
  std::vector<AddressRange> ranges_;  // by instruction
};

}  // namespace ridge::observe
