#include "virtual_gpu/observe/caches/cache_replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "virtual_gpu/observe/caches/combined_stores.h"
#include "virtual_gpu/observe/caches/footprint.h"

namespace ridge::observe {
namespace {

using warp_model::sector_count;
using warp_model::SectorCache;
using warp_model::SectorMask;

constexpr uint32_t kL1Ways = 16;
constexpr uint64_t kNoSector = ~uint64_t{0};

// Hits and misses of one instruction's sampled accesses.
struct ServedTotals {
  uint64_t sectors = 0, l1_hits = 0, l2_sectors = 0, l2_hits = 0, dram_bytes = 0;
  StreamKind kind = StreamKind::load;
};

bool is_local(StreamKind kind) {
  return kind == StreamKind::local_load || kind == StreamKind::local_store;
}

struct RunningBlock {
  const BlockStreams* streams = nullptr;
  std::vector<size_t> at;  // by warp
  // By warp: its last accesses, if they are stores that are combined for L2.
  std::vector<std::vector<size_t>> joined;
  std::vector<bool> waits;
  std::vector<std::vector<uint32_t>> anchors_executed;  // by warp: executions by anchor
};

// An access after which spills follow.
struct Anchor {
  uint32_t index = 0;
  const std::vector<SpillAccess>* spills = nullptr;
};

constexpr warp_model::SectorMask kWholeLine = 0xf;

struct Sm {
  uint32_t index = 0;
  std::deque<const BlockStreams*> queue;
  std::vector<RunningBlock> running;
  std::optional<SectorCache> l1;
  uint64_t last_stored = kNoSector;  // the last sector of the SM's last store
};

class Replay {
 public:
  Replay(const SampledBlocks& given, const CacheLayout& layout, L2Cache& l2,
         const std::vector<machine::InstructionSource>& sources)
      : layout_(layout), l2_(l2), served_totals_(sources.size()) {
    for (size_t k = 0; k < sources.size() && !given.spills.empty(); ++k) {
      const auto spills = given.spills.find(sources[k].ptx_line);
      if (spills == given.spills.end()) continue;
      anchors_.resize(sources.size());
      anchors_[k] = {anchor_count_++, &spills->second};
    }
    for (const BlockStreams& streams : given.blocks) {
      const auto index = static_cast<uint32_t>(streams.block % layout.multiprocessors);
      auto sm = std::find_if(sms_.begin(), sms_.end(), [&](const Sm& s) { return s.index == index; });
      if (sm == sms_.end()) {
        sm = sms_.insert(sms_.end(), Sm{index, {}, {}, {}});
        sm->l1.emplace(layout.l1_bytes, kL1Ways, warp_model::Replacement::oldest);
      }
      sm->queue.push_back(&streams);
    }
  }

  // The resident warps of every SM make one access each, round robin.
  void run() {
    for (bool any = true; any;) {
      any = false;
      for (Sm& sm : sms_)
        any |= advance(sm);
    }
  }

  const std::vector<ServedTotals>& served() const { return served_totals_; }
  const ServedTotals& reloaded() const { return reloaded_; }

 private:
  bool advance(Sm& sm) {
    std::erase_if(sm.running, [](const RunningBlock& block) { return is_done(block); });
    while (sm.running.size() < layout_.blocks_per_sm && !sm.queue.empty()) {
      const BlockStreams* streams = sm.queue.front();
      sm.queue.pop_front();
      const size_t warps = streams->warps.size();
      sm.running.push_back({streams, std::vector<size_t>(warps, 0), std::vector<std::vector<size_t>>(warps),
                            std::vector<bool>(warps, false),
                            std::vector<std::vector<uint32_t>>(anchor_count_ == 0 ? 0 : warps,
                                                               std::vector<uint32_t>(anchor_count_, 0))});
    }
    for (RunningBlock& block : sm.running)
      advance(sm, block);
    return !sm.running.empty();
  }

  static bool is_done(const RunningBlock& block) {
    for (size_t warp = 0; warp < block.at.size(); ++warp)
      if (!block.streams->warps[warp].ends_at(block.at[warp])) return false;
    return true;
  }

  void advance(Sm& sm, RunningBlock& block) {
    bool any = false;
    for (size_t warp = 0; warp < block.at.size(); ++warp) {
      const AccessStream& stream = block.streams->warps[warp];
      size_t& at = block.at[warp];
      if (block.waits[warp] || stream.ends_at(at)) continue;
      const AccessStream::Head head = stream.head(at);
      any = true;
      if (head.kind == StreamKind::barrier) {
        block.waits[warp] = true;
        block.joined[warp].clear();
        continue;
      }
      std::vector<size_t>& joined = block.joined[warp];
      if (!joins(stream, joined, at)) joined.clear();
      for (size_t k = at + 1; k <= at + head.lines; ++k) {
        const uint64_t line = AccessStream::line_of(stream.word(k));
        serve(sm, head, line, AccessStream::sectors_of(stream.word(k)),
              stored_by(stream, joined, line));
      }
      if (head.kind == StreamKind::store) joined.push_back(at);
      at += 1 + head.lines;
      if (!anchors_.empty() && anchors_[head.instruction].spills != nullptr)
        spill_behind(sm, block, warp, anchors_[head.instruction]);
    }
    if (any) return;
    // All remaining warps wait at a barrier (or at several, of parts of the block): release them.
    for (size_t warp = 0; warp < block.at.size(); ++warp) {
      if (block.waits[warp]) ++block.at[warp];
      block.waits[warp] = false;
    }
  }

  // Spills that are executed more often than their anchor, in a loop of their own, hit in L1
  // because they have just stored there: replaying them once is enough. The amount of their stores
  // is counted elsewhere, from the SASS.
  void spill_behind(Sm& sm, RunningBlock& block, size_t warp, const Anchor& anchor) {
    const double executed = block.anchors_executed[warp][anchor.index]++;
    for (const SpillAccess& spill : *anchor.spills) {
      if (std::floor((executed + 1) * spill.rate) == std::floor(executed * spill.rate)) continue;
      for (uint32_t word = spill.word; word < spill.word + spill.words; ++word) {
        const uint64_t line =
            AccessStream::local_line(block.streams->block * layout_.warps_per_block + warp, word);
        if (spill.is_load) {
          load(sm, reloaded_, line, kWholeLine);
        } else {
          sm.l1->fill(line, kWholeLine, false);
          l2_.write(line, kWholeLine);
        }
      }
    }
  }

  void serve(Sm& sm, const AccessStream::Head& head, uint64_t line, SectorMask sectors, SectorMask before) {
    const bool is_peer = !is_local(head.kind) && layout_.is_peer(line * warp_model::kLineBytes);
    if (!is_local(head.kind)) line -= layout_.origin / warp_model::kLineBytes;
    ServedTotals& served = served_totals_[head.instruction];
    served.kind = head.kind;
    served.sectors += sector_count(sectors);
    if (is_peer) return serve_peer(sm, served, line, sectors, before);
    switch (head.kind) {
      case StreamKind::local_load:
      case StreamKind::load:
        return load(sm, served, line, sectors);
      case StreamKind::local_store:
      case StreamKind::store: {
        sm.l1->fill(line, sectors, false);
        const SectorMask sent = sent_to_l2(sm.last_stored, line, sectors, before);
        served.l2_sectors += sector_count(sent);
        l2_.write(line, sent);
        return;
      }
      case StreamKind::atomic:
        sm.l1->forget(line, sectors);
        served.l2_sectors += sector_count(sectors);
        served.dram_bytes += l2_.update(line, sectors).dram_bytes;
        return;
      default:
        return read_l2(sm, served, line, sectors);
    }
  }

  // The memory of another device is cached in L1 alone; requests go through L2 to the link.
  static void serve_peer(Sm& sm, ServedTotals& served, uint64_t line, SectorMask sectors, SectorMask before) {
    switch (served.kind) {
      case StreamKind::load: {
        const SectorMask hits = sm.l1->find(line, sectors);
        const auto missed = static_cast<SectorMask>(sectors & ~hits);
        served.l1_hits += sector_count(hits);
        if (missed != 0) sm.l1->fill(line, missed, false);
        served.l2_sectors += sector_count(missed);
        return;
      }
      case StreamKind::store:
        sm.l1->fill(line, sectors, false);
        served.l2_sectors += sector_count(sent_to_l2(sm.last_stored, line, sectors, before));
        return;
      case StreamKind::atomic:
        sm.l1->forget(line, sectors);
        served.l2_sectors += sector_count(sectors);
        return;
      default:
        served.l2_sectors += sector_count(sectors);
        return;
    }
  }

  void load(Sm& sm, ServedTotals& served, uint64_t line, SectorMask sectors) {
    const SectorMask hits = sm.l1->find(line, sectors);
    served.l1_hits += sector_count(hits);
    const auto missed = static_cast<SectorMask>(sectors & ~hits);
    if (missed == 0) return;
    sm.l1->fill(line, missed, false);
    read_l2(sm, served, line, missed);
  }

  void read_l2(const Sm& sm, ServedTotals& served, uint64_t line, SectorMask sectors) {
    served.l2_sectors += sector_count(sectors);
    const L2Answer answer = l2_.read(line, sectors, sm.index * 2 >= layout_.multiprocessors ? 1 : 0);
    served.l2_hits += answer.hits;
    served.dram_bytes += answer.dram_bytes;
  }

  const CacheLayout& layout_;
  L2Cache& l2_;
  std::vector<ServedTotals> served_totals_;
  ServedTotals reloaded_;              // reloads of spilled registers
  std::vector<Anchor> anchors_;  // by instruction; empty: none
  uint32_t anchor_count_ = 0;
  std::vector<Sm> sms_;
};

uint64_t rounded(double value) {
  return static_cast<uint64_t>(value + 0.5);
}

}  // namespace

void replay_caches(const SampledBlocks& given, const CacheLayout& layout, L2Cache& l2,
                   const std::vector<machine::InstructionSource>& sources, trace::LaunchReport& report) {
  const std::span<const BlockStreams> blocks = given.blocks;
  const bool all = given.all;
  if (blocks.empty()) return;
  const double scale = all ? 1 : static_cast<double>(layout.blocks) / static_cast<double>(blocks.size());
  const Footprint footprint = footprint_of(given, layout, scale);
  const double growth =
      footprint.followed == 0 ? 1 : footprint.whole / static_cast<double>(footprint.followed);
  std::optional<L2Cache> part;
  if (!all) part.emplace(static_cast<uint64_t>(static_cast<double>(layout.l2_bytes) / growth));
  L2Cache& used = part ? *part : l2;
  const uint64_t written_before = used.dram_write_bytes();
  Replay replay(given, layout, used, sources);
  replay.run();

  report.cache_sample = 1 / scale;
  report.ideal_bytes = rounded(footprint.whole) * warp_model::kSectorBytes;
  report.peer_ideal_bytes =
      rounded(static_cast<double>(footprint.of_peers) * growth) * warp_model::kSectorBytes;
  report.dram_write_bytes = rounded(static_cast<double>(used.dram_write_bytes() - written_before) * growth);
  std::vector<AddressRange> read;
  const auto scaled = [](uint64_t count, double by) { return rounded(static_cast<double>(count) * by); };
  std::unordered_map<uint32_t, uint64_t> exact_sectors;  // by PTX line
  for (const trace::InstructionCounts& row : report.instructions)
    if (row.space == "global") exact_sectors[row.ptx_line] += row.sectors;
  for (size_t k = 0; k < sources.size(); ++k) {
    const ServedTotals& served = replay.served()[k];
    if (served.sectors == 0) continue;
    if (served.kind != StreamKind::store && !is_local(served.kind) && k < given.ranges.size())
      read.push_back(given.ranges[k]);
    // Counts made for every block are exact; the cache counts are scaled to match them.
    const auto exact = exact_sectors.find(sources[k].ptx_line);
    const double by = all ? 1
                      : exact == exact_sectors.end()
                          ? scale
                          : static_cast<double>(exact->second) / static_cast<double>(served.sectors);
    const uint64_t l1_hits = scaled(served.l1_hits, by), l2_sectors = scaled(served.l2_sectors, by);
    const uint64_t misses = std::min(l2_sectors, scaled(served.l2_sectors - served.l2_hits, growth));
    const uint64_t dram_bytes = scaled(served.dram_bytes, growth);
    report.dram_read_bytes += dram_bytes;
    if (served.kind == StreamKind::store || served.kind == StreamKind::local_store) {
      report.l2_write_sectors += l2_sectors;
    } else if (served.kind == StreamKind::atomic) {
      report.l2_atomic_sectors += l2_sectors;
    } else {
      if (served.kind == StreamKind::load) report.l1_load_sectors += scaled(served.sectors, by);
      if (served.kind == StreamKind::load) report.l1_load_hits += l1_hits;
      report.l2_read_sectors += l2_sectors;
      report.l2_read_hits += l2_sectors - misses;
    }
    const std::string_view space = is_local(served.kind) ? "local" : "global";
    const auto row = std::find_if(report.instructions.begin(), report.instructions.end(), [&](const auto& r) {
      return r.space == space && r.ptx_line == sources[k].ptx_line;
    });
    if (row == report.instructions.end()) continue;
    row->l1_hits = l1_hits;
    row->l2_sectors = l2_sectors;
    row->l2_hits = served.kind == StreamKind::load ? l2_sectors - misses : 0;
    row->dram_bytes = dram_bytes;
  }
  const ServedTotals& reloaded = replay.reloaded();
  report.l2_read_sectors += scaled(reloaded.l2_sectors, scale);
  report.l2_read_hits += scaled(reloaded.l2_hits, scale);
  report.dram_read_bytes += scaled(reloaded.dram_bytes, scale);
  // Data that fits into L2 with a margin is read from DRAM once.
  if (!all && footprint.whole * warp_model::kSectorBytes * 4 <= static_cast<double>(layout.l2_bytes)) {
    const uint64_t most = rounded(sectors_in(std::move(read))) * warp_model::kSectorBytes;
    report.dram_read_bytes = std::min(report.dram_read_bytes, most);
  }
}

}  // namespace ridge::observe
