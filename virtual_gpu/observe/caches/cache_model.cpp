#include "virtual_gpu/observe/caches/cache_model.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>

#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/observe/caches/cache_replay.h"
#include "virtual_gpu/observe/selective_observer.h"

namespace ridge::observe {
namespace {

using machine::Access;
using machine::AccessKind;
using machine::AccessSpace;

constexpr uint32_t kMaxLevels = 24;
// Blocks with more words are not stored: 32 MB each, and a second of replay.
constexpr uint64_t kMaxWordsOfBlock = uint64_t{1} << 22;
constexpr size_t kFlushWords = 1 << 12;  // words between two updates of the total over all threads

bool goes_past_l1(std::string_view text) {
  return text.find("cp.async.cg") != std::string_view::npos ||
         text.find(".volatile") != std::string_view::npos ||
         text.find(".acquire") != std::string_view::npos || text.find(".relaxed") != std::string_view::npos ||
         text.find("ld.global.cg") != std::string_view::npos ||
         text.find("ld.global.cv") != std::string_view::npos;
}

}  // namespace

// The blocks of one host thread.
class CacheModel::Recorder final : public SelectiveObserver {
 public:
  Recorder(CacheModel& model, size_t instructions)
      : model_(model), ranges_(instructions), last_access_(instructions) {}
  const std::vector<AddressRange>& ranges() const { return ranges_; }

  bool subscribes_to(AccessSpace space) const override {
    return space == AccessSpace::global || space == AccessSpace::local;
  }
  void block_begin(uint64_t block) override {
    if (!may_be_kept(block)) return;
    if (spare_.empty()) drop_unsampled();
    BlockStreams& streams = running_[block];
    if (!spare_.empty()) {
      streams = std::move(spare_.back());
      spare_.pop_back();
      for (AccessStream& stream : streams.warps)
        stream.clear();
    }
    streams.block = block;
    streams.words = 0;
    streams.warps.resize(model_.layout_.warps_per_block);
    last_ = nullptr;
  }
  void block_end(uint64_t block) override {
    const auto found = running_.find(block);
    last_ = nullptr;
    if (found == running_.end()) return;
    if (may_be_kept(block)) done_.push_back(std::move(found->second));
    running_.erase(found);
  }
  void access(const Access& access) override {
    if (access.mask == 0) return;
    if (access.space == AccessSpace::local) return local_access(access);
    if (access.space != AccessSpace::global) return;
    ranges_[access.instruction].add(access.first, access.bytes);
    const size_t words = weight_of(access);
    count(words);
    BlockStreams* streams = streams_of(access.block, words);
    if (streams == nullptr) return;
    AccessStream& stream = streams->warps[access.warp];
    if (access.lands_at != nullptr) return stream.add_copy(access, kind_of(access));
    stream.add(access, kind_of(access));
  }
  // For blocks that are not sampled only the amount of accesses counts.
  bool wants_every_load() const override { return !running_.empty(); }
  bool may_elide(const Access& access, ElisionTerms&) override {
    last_access_[access.instruction] = {static_cast<uint32_t>(weight_of(access)), access.bytes};
    return true;
  }
  void accesses_elided(uint32_t instruction, AccessSpace space, const machine::ElidedAccess& elided) override {
    if (space != AccessSpace::global) return;
    const LastAccess& last = last_access_[instruction];
    ranges_[instruction].add(elided.lowest, last.bytes);
    ranges_[instruction].add(elided.highest, last.bytes);
    count(elided.times * last.words);
  }
  void bulk_access(const machine::BulkAccess& bulk) override {
    if (bulk.space != AccessSpace::global) return;
    size_t words = 0;
    for (const machine::BulkAccess::Run& run : bulk.runs)
      words += 2 + run.bytes / warp_model::kLineBytes;
    count(words);
    BlockStreams* streams = streams_of(bulk.block, words);
    if (streams == nullptr) return;
    const StreamKind kind = bulk.kind == AccessKind::load    ? StreamKind::load_past_l1
                            : bulk.kind == AccessKind::store ? StreamKind::store
                                                             : StreamKind::atomic;
    for (const machine::BulkAccess::Run& run : bulk.runs)
      if (run.bytes != 0) streams->warps[bulk.warp].add_run(bulk.instruction, kind, run.begin, run.bytes);
  }
  void barrier(uint64_t block, uint32_t warp, uint32_t, uint32_t) override {
    if (BlockStreams* streams = streams_of(block, 1)) streams->warps[warp].add_barrier();
  }

  std::vector<BlockStreams> take() {
    for (auto& [block, streams] : running_)
      done_.push_back(std::move(streams));  // the launch ended before the block did
    model_.total_words_ += uncounted_;
    return std::move(done_);
  }

 private:
  void local_access(const Access& access) {
    const size_t words = 1 + access.bytes / 4;
    count(words);
    BlockStreams* streams = streams_of(access.block, words);
    if (streams == nullptr) return;
    const StreamKind kind =
        access.kind == AccessKind::load ? StreamKind::local_load : StreamKind::local_store;
    streams->warps[access.warp].add_local(access, kind,
                                          access.block * model_.layout_.warps_per_block + access.warp);
  }
  StreamKind kind_of(const Access& access) const {
    if (access.kind == AccessKind::store) return StreamKind::store;
    if (access.kind != AccessKind::load) return StreamKind::atomic;
    return model_.past_l1_[access.instruction] ? StreamKind::load_past_l1 : StreamKind::load;
  }
  bool may_be_kept(uint64_t block) const {
    return model_.total_words_.load(std::memory_order_relaxed) >> model_.level_of(block) <=
           model_.layout_.budget_words;
  }
  // Blocks that are no longer sampled give their memory to later ones.
  void drop_unsampled() {
    const uint32_t level = model_.final_level();
    if (level == dropped_below_) return;
    dropped_below_ = level;
    const auto dropped = std::partition(done_.begin(), done_.end(), [&](const BlockStreams& streams) {
      return model_.level_of(streams.block) >= level;
    });
    spare_.assign(std::move_iterator(dropped), std::move_iterator(done_.end()));
    done_.erase(dropped, done_.end());
  }
  // The approximate size in words; the same whether the access is stored or not.
  static size_t weight_of(const Access& access) {
    const uint32_t lanes = access.mask == ~0u ? 32 : warp_model::active_lanes(access.mask);
    const bool is_dense = access.shape != machine::AccessShape::scattered &&
                          access.stride <= static_cast<int64_t>(access.bytes) && access.stride >= 0;
    return is_dense ? 2 + lanes * access.bytes / (2 * warp_model::kLineBytes) : 1 + lanes;
  }
  // Where to store `words` more words of the block; nullptr when it is not sampled.
  BlockStreams* streams_of(uint64_t block, size_t words) {
    if (last_ == nullptr || last_->block != block) {
      if (block == absent_) return nullptr;
      const auto found = running_.find(block);
      if (found == running_.end()) {
        absent_ = block;
        return nullptr;
      }
      last_ = &found->second;
    }
    last_->words += words;
    if (last_->words > kMaxWordsOfBlock) {
      last_->warps.clear();
      return nullptr;
    }
    return last_;
  }
  void count(size_t words) {
    uncounted_ += words;
    if (uncounted_ < kFlushWords) return;
    model_.total_words_ += uncounted_;
    uncounted_ = 0;
  }

  struct LastAccess {
    uint32_t words = 0, bytes = 0;
  };
  CacheModel& model_;
  std::vector<AddressRange> ranges_;
  std::vector<LastAccess> last_access_;  // by instruction: the last access, for elided ones
  std::unordered_map<uint64_t, BlockStreams> running_;
  std::vector<BlockStreams> done_;
  std::vector<BlockStreams> spare_;  // dropped ones
  uint32_t dropped_below_ = 0;       // level
  BlockStreams* last_ = nullptr;
  uint64_t absent_ = ~uint64_t{0};
  size_t uncounted_ = 0;
};

CacheModel::CacheModel(const CacheLayout& layout, L2Cache& l2) : layout_(layout), l2_(l2) {}
CacheModel::~CacheModel() = default;

// The highest level at which the block is still sampled: level k has the SMs that are multiples of
// 2^k; when only the first SM is left, higher levels have its first blocks.
uint32_t CacheModel::level_of(uint64_t block) const {
  const uint32_t sms = layout_.multiprocessors;
  const auto sm = static_cast<uint32_t>(block % sms);
  const uint32_t levels = static_cast<uint32_t>(std::bit_width(sms - 1));
  if (sm != 0) return static_cast<uint32_t>(std::countr_zero(sm));
  const uint64_t round = block / sms, rounds = (layout_.blocks + sms - 1) / sms;
  if (round == 0) return kMaxLevels;
  return levels + static_cast<uint32_t>(std::bit_width(rounds / (round + 1))) - 1;
}

uint32_t CacheModel::final_level() const {
  uint32_t level = 0;
  while (level < kMaxLevels && total_words_ >> level > layout_.budget_words)
    ++level;
  return level;
}

std::unique_ptr<machine::Observer> CacheModel::make(const machine::Program& program) {
  if (program_ != &program) {
    program_ = &program;
    past_l1_.clear();
    ranges_.clear();
    for (const machine::InstructionSource& source : machine::sources(program))
      past_l1_.push_back(goes_past_l1(source.text));
  }
  return std::make_unique<Recorder>(*this, machine::sources(program).size());
}

void CacheModel::collect(std::unique_ptr<machine::Observer> observer) {
  auto& recorder = static_cast<Recorder&>(*observer);
  for (BlockStreams& streams : recorder.take())
    kept_.push_back(std::move(streams));
  ranges_.resize(std::max(ranges_.size(), recorder.ranges().size()));
  for (size_t k = 0; k < recorder.ranges().size(); ++k)
    ranges_[k].add(recorder.ranges()[k]);
}

void CacheModel::report(trace::LaunchReport& report, const SpillsBehind& spills) {
  if (program_ == nullptr) return;
  const uint32_t level = final_level();
  std::erase_if(kept_, [&](const BlockStreams& streams) { return level_of(streams.block) < level; });
  const auto is_too_long = [](const BlockStreams& streams) { return streams.words > kMaxWordsOfBlock; };
  // Report no counts rather than wrong ones.
  if (std::any_of(kept_.begin(), kept_.end(), is_too_long)) {
    kept_.clear();
    return;
  }
  std::sort(kept_.begin(), kept_.end(),
            [](const BlockStreams& a, const BlockStreams& b) { return a.block < b.block; });
  replay_caches({kept_, ranges_, spills, level == 0}, layout_, l2_, machine::sources(*program_), report);
  kept_.clear();
}

}  // namespace ridge::observe
