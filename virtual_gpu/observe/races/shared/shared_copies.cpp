// Asynchronous copies: the words that they may still write or read.
//
// A word of a copy in flight has a bit in its line, and the line's last write gets a stamp in the
// future. Every access to the line therefore takes the slow path, where the bit is checked, and
// loads that would be elided (machine::ReadLog) are reported.
#include <algorithm>
#include <bit>

#include "virtual_gpu/observe/selective_observer.h"
#include "virtual_gpu/observe/races/shared/shared_shadow.h"

namespace ridge::observe {

using machine::Access;
using machine::ReadLog;

namespace {

// Calls visit for the lines of [offset, offset + bytes) with a bit for each of its words, until it
// returns true.
template <class Visit>
bool for_lines(uint64_t offset, uint64_t bytes, const Visit& visit) {
  constexpr uint64_t kWords = ReadLog::kLineBytes / 4;
  const uint64_t end = (offset + bytes + 3) / 4;
  for (uint64_t word = offset / 4; word < end;) {
    const uint64_t line = word / kWords, next = std::min(end, (line + 1) * kWords), count = next - word;
    const auto words = static_cast<uint32_t>(((uint64_t{1} << count) - 1) << word % kWords);
    if (visit(line, words)) return true;
    word = next;
  }
  return false;
}

// The same for runs of adjacent lanes: visit(first lane, offset, bytes).
template <class Visit>
bool for_lane_runs(const Access& access, const Visit& visit) {
  const auto lowest = static_cast<uint32_t>(std::countr_zero(access.mask));
  const uint32_t lanes = access.mask >> lowest;
  const bool is_one_run = access.shape == machine::AccessShape::strided && (lanes & (lanes + 1)) == 0 &&
                          access.stride == static_cast<int64_t>(access.bytes);
  if (is_one_run)
    return visit(lowest, access.base + uint64_t{access.bytes} * lowest,
                 uint64_t{access.bytes} * static_cast<uint64_t>(std::popcount(lanes)));
  uint64_t computed[32];
  const bool scattered = access.shape == machine::AccessShape::scattered;
  if (!scattered) machine::fill_addresses(access, computed);
  const uint64_t* const offsets = scattered ? access.addresses : computed;
  for (uint32_t rest = access.mask; rest != 0;) {
    const auto first = static_cast<uint32_t>(std::countr_zero(rest));
    uint32_t lane = first;
    rest &= rest - 1;
    while (lane < 31 && (rest >> (lane + 1) & 1) && offsets[lane + 1] == offsets[lane] + access.bytes) {
      rest &= rest - 1;
      ++lane;
    }
    if (visit(first, offsets[first], uint64_t{access.bytes} * (lane - first + 1))) return true;
  }
  return false;
}

}  // namespace

bool SharedShadow::copies_begin(const Access& access, uint32_t site, SharedRace& race) {
  evict_for(access);
  copy_conflict_ = false;
  landing_conflict_ = nullptr;
  return for_lane_runs(access, [&](uint32_t lane, uint64_t offset, uint64_t bytes) {
    if (begins_too_early(offset, bytes, access.bytes, access.warp * 32 + lane, site, race)) return true;
    mark_arriving(offset, bytes, site);
    return false;
  });
}

bool SharedShadow::copy_begins(uint64_t offset, uint64_t bytes, uint32_t thread, uint32_t site,
                               SharedRace& race) {
  on_evict(offset, offset + bytes);
  landing_conflict_ = nullptr;
  return begins_too_early(offset, bytes, bytes, thread, site, race);
}

bool SharedShadow::store_begins(uint64_t offset, uint64_t bytes, uint32_t thread, SharedRace& race) {
  const uint32_t safe = clock_.safe_before(thread / 32);
  return for_lines(offset, bytes, [&](uint64_t line, uint32_t words) {
    const bool has_new_writes = lines_[line].write_stamp >= safe;
    for (uint32_t rest = has_new_writes ? words : 0; rest != 0; rest &= rest - 1) {
      const uint64_t word = line * kLineWords + static_cast<uint64_t>(std::countr_zero(rest));
      if (reads_too_early(word, 15, thread, false, Cell::kUnknownSite, race)) return true;
    }
    return false;
  });
}

void SharedShadow::copies_arrived(const Access& access) {
  is_landing_ = true;
  for_lane_runs(access, [&](uint32_t, uint64_t offset, uint64_t bytes) {
    copy_arrived(offset, bytes);
    return false;
  });
}

bool SharedShadow::begins_too_early(uint64_t offset, uint64_t bytes, uint64_t bytes_of_thread,
                                    uint32_t thread, uint32_t site, SharedRace& race) {
  const uint32_t safe = clock_.safe_before(thread / 32);
  return for_lines(offset, bytes, [&](uint64_t line, uint32_t words) {
    if (leaving_lines_ != 0 && (busy_[line].leaving & words) != 0) {
      race = {thread, thread};
      race.offset =
          (line * kLineWords + static_cast<uint64_t>(std::countr_zero(busy_[line].leaving & words))) * 4;
      race.other_site = busy_[line].leaving_site;
      race.copy = SharedRace::Copy::leaves;
      return true;
    }
    if (arriving_lines_ != 0 && (busy_[line].arriving & words) != 0) copy_conflict_ = true;
    if (!busy_.empty() && landing_conflict_ == nullptr) conflicts_with_landing(line, words, thread / 32);
    const Line& known = lines_[line];
    const uint32_t written = known.write_stamp == kArriving ? busy_[line].write_stamp : known.write_stamp;
    if (written < safe && known.read_stamp < safe) return false;
    for (uint32_t rest = words; rest != 0; rest &= rest - 1) {
      const uint64_t word = line * kLineWords + static_cast<uint64_t>(std::countr_zero(rest));
      const auto who = thread + static_cast<uint32_t>((word * 4 - offset) / bytes_of_thread);
      if (std::max(writers_[word], readers_[word]) >= at_stamp(safe) &&
          writes_too_early(word, 15, who, false, site, race))
        return true;
    }
    return false;
  });
}

void SharedShadow::protect_line(uint64_t line) {
  busy_[line].write_stamp = lines_[line].write_stamp;
  lines_[line].write_stamp = kArriving;
  if (line >= ReadLog::kLines) return;
  const auto rest = static_cast<uint8_t>(~(1u << line % 8));
  unmodified_lines_[line / 8] &= rest;
  log_.unmodified[line / 8] &= rest;
  log_.settled[line / 8] &= rest;
}

void SharedShadow::unprotect_line(uint64_t line) {
  lines_[line].write_stamp = busy_[line].write_stamp;
  if (line < ReadLog::kLines) ReadLog::set(unmodified_lines_, line, 1);
  is_unmodified_ = false;
}

void SharedShadow::landed(uint64_t offset, uint64_t bytes, uint64_t landing) {
  if (busy_.size() < lines_.size()) busy_.resize(lines_.size());
  for_lines(offset, bytes, [&](uint64_t line, uint32_t words) {
    Busy& busy = busy_[line];
    if (busy.landing != landing) busy.landed = 0;
    busy.landed |= words;
    busy.landing = landing;
    if (busy.was_held) return false;
    busy.was_held = busy.is_held = true;
    ++held_lines_;
    if (busy.arriving == 0) protect_line(line);
    return false;
  });
}

void SharedShadow::release_line(uint64_t line) {
  busy_[line].is_held = false;
  --held_lines_;
  if (busy_[line].arriving == 0) unprotect_line(line);
}

// True when the words contain data of a completed copy for which `warp` has not waited.
bool SharedShadow::conflicts_with_landing(uint64_t line, uint32_t words, uint32_t warp) {
  const Busy& busy = busy_[line];
  if ((busy.landed & words) == 0) return false;
  if (!busy.is_held && busy.landing == checked_landing_ && warp == landing_known_to_) return false;
  const Landing* const landing = landings_.find(busy.landing);
  if (landing != nullptr && !LandedCopies::is_known(*landing, warp, clock_)) {
    landing_conflict_ = landing;
    return true;
  }
  checked_landing_ = busy.landing, landing_known_to_ = warp;
  if (busy.is_held && (landing == nullptr || landings_.is_known_to_all(*landing, clock_))) release_line(line);
  return false;
}

void SharedShadow::mark_arriving(uint64_t offset, uint64_t bytes, uint32_t site) {
  if (busy_.size() < lines_.size()) busy_.resize(lines_.size());
  for_lines(offset, bytes, [&](uint64_t line, uint32_t words) {
    Busy& busy = busy_[line];
    if (busy.is_held) release_line(line);
    if (busy.arriving == 0) {
      ++arriving_lines_;
      protect_line(line);
    }
    busy.arriving |= words;
    busy.landed &= ~words;
    busy.arriving_site = site;
    return false;
  });
}

template <class OnEmpty>
void SharedShadow::take_off(uint64_t offset, uint64_t bytes, uint32_t Busy::*side, const OnEmpty& on_empty) {
  if (busy_.empty()) return;
  for_lines(offset, bytes, [&](uint64_t line, uint32_t words) {
    uint32_t& busy = busy_[line].*side;
    if ((busy & words) == 0) return false;
    busy &= ~words;
    if (busy == 0) on_empty(line);
    return false;
  });
}

void SharedShadow::copy_arrived(uint64_t offset, uint64_t bytes) {
  take_off(offset, bytes, &Busy::arriving, [this](uint64_t line) {
    --arriving_lines_;
    if (!busy_[line].is_held) unprotect_line(line);
  });
}

void SharedShadow::copy_left(uint64_t offset, uint64_t bytes) {
  take_off(offset, bytes, &Busy::leaving, [this](uint64_t) { --leaving_lines_; });
}

void SharedShadow::mark_leaving(uint64_t offset, uint64_t bytes, uint32_t site) {
  if (busy_.size() < lines_.size()) busy_.resize(lines_.size());
  for_lines(offset, bytes, [&](uint64_t line, uint32_t words) {
    leaving_lines_ += busy_[line].leaving == 0 ? 1 : 0;
    busy_[line].leaving |= words;
    busy_[line].leaving_site = site;
    return false;
  });
}

// Called before the next block: completed copies without a wait are discarded with their block.
void SharedShadow::clear_copies() {
  for (size_t line = 0; has_copies() && line < busy_.size(); ++line) {
    if (busy_[line].arriving != 0 || busy_[line].is_held) lines_[line].write_stamp = busy_[line].write_stamp;
  }
  std::fill(busy_.begin(), busy_.end(), Busy{});
  arriving_lines_ = leaving_lines_ = held_lines_ = 0;
}

bool SharedShadow::is_arriving(uint64_t offset, uint64_t bytes, SharedRace& race) const {
  if (arriving_lines_ == 0) return false;
  return for_lines(offset, bytes, [&](uint64_t line, uint32_t words) {
    const uint32_t common = busy_[line].arriving & words;
    if (common == 0) return false;
    race = {};
    race.offset = (line * kLineWords + static_cast<uint64_t>(std::countr_zero(common))) * 4;
    race.other_site = busy_[line].arriving_site;
    race.copy = SharedRace::Copy::arrives;
    return true;
  });
}

bool SharedShadow::conflicts_with_copy(const Access& access, SharedRace& race, bool own) {
  const bool writes = access.kind != machine::AccessKind::load;
  const auto on_the_way = [&](uint64_t line) {
    const Busy& busy = busy_[line];
    return busy.arriving | (writes ? busy.leaving : 0) | (busy.is_held && own ? busy.landed : 0);
  };
  const ByteRange range = bytes_of(access);
  if (!for_lines(range.lowest, range.end - range.lowest,
                 [&](uint64_t line, uint32_t) { return on_the_way(line) != 0; }))
    return false;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const bool conflicts =
        for_lines(address_of(access, lane), access.bytes, [&](uint64_t line, uint32_t words) {
          const Busy& busy = busy_[line];
          const bool arrives = (busy.arriving & words) != 0;
          const uint32_t common = arrives ? busy.arriving & words : on_the_way(line) & words;
          if (common == 0) return false;
          const bool leaves = !arrives && writes && (busy.leaving & words) != 0;
          if (!arrives && !leaves && !conflicts_with_landing(line, words, access.warp))
            return false;
          race = {thread_of(access, lane), thread_of(access, lane)};
          race.offset = (line * kLineWords + static_cast<uint64_t>(std::countr_zero(common))) * 4;
          race.other_site = arrives  ? busy.arriving_site
                            : leaves ? busy.leaving_site
                                     : landing_conflict_->site;
          race.copy = arrives  ? SharedRace::Copy::arrives
                      : leaves ? SharedRace::Copy::leaves
                               : SharedRace::Copy::landed;
          return true;
        });
    if (conflicts) return true;
  }
  return false;
}

}  // namespace ridge::observe
