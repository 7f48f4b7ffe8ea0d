// cudaMemcpyPeerAsync from each device's input to the output of the next device.
#include "harness/runner/child/baselines/make.h"
#include "harness/runner/child/device_error.h"
#include "harness/runner/child/rank_devices.h"

namespace ridge::runner {

namespace {

class PeerCopy : public Baseline {
 public:
  BaselineReport prepare(const Work& work, const Slot&) override {
    bytes_ = static_cast<size_t>(work.sizes.at(1)) * sizeof(float);
    streams_ = work.streams;
    return {"CUDA runtime", "", {}};
  }
  // A slot has the inputs of all ranks, then their outputs.
  void run(const Slot& slot) override {
    const size_t ranks = streams_.size();
    for (size_t rank = 0; rank < ranks; ++rank) {
      const size_t next = (rank + 1) % ranks;
      const OnDevice on(static_cast<int>(rank));
      check(
          cudaMemcpyPeerAsync(slot.pointers[ranks + next], static_cast<int>(next),
                              slot.pointers[rank], static_cast<int>(rank), bytes_, streams_[rank]),
          "the baseline's copy");
    }
  }

 private:
  size_t bytes_ = 0;
  std::vector<problems::Stream> streams_;
};

}  // namespace

std::unique_ptr<Baseline> make_peer_copy() {
  return std::make_unique<PeerCopy>();
}

}  // namespace ridge::runner
