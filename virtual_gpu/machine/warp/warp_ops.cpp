// Operations across the lanes of a warp: shfl, vote, match, redux, elect.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "virtual_gpu/machine/core.h"
#include "virtual_gpu/machine/warp/shuffle_source.h"

namespace ridge::machine {
namespace {

template <class F>
void for_lanes(uint32_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1)
    f(std::countr_zero(mask));
}

void set_predicate(uint32_t& row, uint32_t value, uint32_t mask) {
  row = (row & ~mask) | (value & mask);
}

// True when all 32 lanes have `value`.
bool is_everywhere(const uint32_t* row, uint32_t value) {
  uint32_t differs = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    differs |= row[lane] ^ value;
  return differs == 0;
}

float reduce_floats(const WarpOp& op, const uint32_t* bits, uint32_t group) {
  float result = 0;
  bool is_first = true, any_nan = false;
  for_lanes(group, [&](int lane) {
    float value = std::bit_cast<float>(bits[lane]);
    if (op.absolute) value = std::fabs(value);
    any_nan |= std::isnan(value);
    result = is_first                         ? value
             : op.mode == WarpOpMode::minimum ? std::fmin(result, value)
                                              : std::fmax(result, value);
    is_first = false;
  });
  return op.nan && any_nan ? std::bit_cast<float>(0x7fffffffu) : result;
}

uint32_t reduce_integers(const WarpOp& op, const uint32_t* values, uint32_t group) {
  uint32_t result = values[std::countr_zero(group)];
  for_lanes(group & (group - 1), [&](int lane) {
    const uint32_t value = values[lane];
    const bool less =
        op.is_signed ? static_cast<int32_t>(value) < static_cast<int32_t>(result) : value < result;
    switch (op.mode) {
      case WarpOpMode::sum:
        result += value;
        break;
      case WarpOpMode::minimum:
        result = less ? value : result;
        break;
      case WarpOpMode::maximum:
        result = less ? result : value;
        break;
      case WarpOpMode::bit_and:
        result &= value;
        break;
      case WarpOpMode::bit_or:
        result |= value;
        break;
      default:
        result ^= value;
    }
  });
  return result;
}

}  // namespace

// Returns false when the split must wait for other lanes, or its warp for its warpgroup.
bool Core::warp_op(Split& split, const MicroOp& op) {
  const WarpOp& detail = context_.program.warp_ops[op.detail];
  const bool all_here = split.mask == kAllLanes;
  // No lane to wait for: a matrix instruction, or a mask of all lanes in each.
  const bool all_named = all_here && detail.members != kNoRow &&
                         is_everywhere(context_.row<uint32_t>(detail.members), kAllLanes);
  const bool whole_warp = all_here && (op.kind == OpKind::matrix || all_named);
  if (all_named && op.kind != OpKind::matrix && !split.sync_passed && context_.observer != nullptr)
    notify_synced(kAllLanes);
  if (detail.members != kNoRow && !split.sync_passed && !whole_warp &&
      !members_present(split, detail))
    return false;
  split.sync_passed = false;
  split.pc = context_.pc + 1;
  switch (op.kind) {
    case OpKind::shuffle:
      if (all_named || (all_here && detail.members == kNoRow)) {
        shuffle_whole_warp(detail);
        break;
      }
      if (context_.observer != nullptr) observe_absent(detail, split.mask);
      shuffle(detail, split.mask);
      break;
    case OpKind::vote:
      vote(detail, split.mask);
      break;
    case OpKind::match:
      match(detail, split.mask);
      break;
    case OpKind::redux:
      redux(detail, split.mask);
      break;
    case OpKind::elect:
      elect(detail, split.mask);
      break;
    case OpKind::matrix:
      matrix_.matrix(split, op);
      return split.wait == Wait::none;
    default:
      if (context_.observer != nullptr)
        context_.observer->warp_barrier(context_.block->linear, context_.warp->index, context_.pc,
                                        split.mask);
  }
  return true;
}

// The lanes of `mask` that read a lane which does not participate in the shuffle (not in the mask,
// has returned, or never existed), and that lane. Nearly always the whole warp participates.
uint32_t Core::absent_sources(const WarpOp& op, uint32_t mask,
                              std::array<uint8_t, kLanes>& sources) const {
  uint32_t named = mask;
  if (op.members != kNoRow) {
    const uint32_t* const members = context_.row<uint32_t>(op.members);
    for (int lane = 0; lane < kLanes; ++lane)
      named &= mask >> lane & 1 ? members[lane] : kAllLanes;
  }
  if (named == kAllLanes) return 0;
  uint32_t absent = 0;
  const uint32_t *b = context_.row<uint32_t>(op.b), *c = context_.row<uint32_t>(op.c);
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const ShuffleSource source = shuffle_source(op.mode, lane, b[lane], c[lane]);
    sources[static_cast<size_t>(lane)] = static_cast<uint8_t>(source.lane);
    if (source.inside && !(group_of(op, lane, mask) >> source.lane & 1)) absent |= 1u << lane;
  }
  return absent;
}

void Core::observe_absent(const WarpOp& op, uint32_t mask) const {
  AbsentShuffle shuffle{
      context_.block->linear, context_.warp->index, context_.pc, mask, context_.warp->live, 0, {}};
  shuffle.lanes = absent_sources(op, mask, shuffle.sources);
  if (shuffle.lanes != 0) context_.observer->absent_shuffle(shuffle);
}

// All lanes participate, usually with the same distance and segments: the source lanes are then the
// same as the last time.
void Core::shuffle_whole_warp(const WarpOp& op) {
  const uint32_t *b = context_.row<uint32_t>(op.b), *c = context_.row<uint32_t>(op.c);
  if (!is_everywhere(b, b[0]) || !is_everywhere(c, c[0])) return shuffle(op, kAllLanes);
  const uint32_t key =
      static_cast<uint32_t>(op.mode) << 24 | (c[0] & 0x1f1f) << 8 | (b[0] & 31) | 1u << 31;
  ShuffleSources& known =
      shuffle_sources_[(b[0] ^ b[0] >> 3 ^ static_cast<uint32_t>(op.mode) * 5) & 15];
  if (known.key != key) {
    known.key = key;
    known.inside = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const ShuffleSource source = shuffle_source(op.mode, lane, b[0], c[0]);
      known.inside |= static_cast<uint32_t>(source.inside) << lane;
      known.lanes[static_cast<size_t>(lane)] = static_cast<uint32_t>(source.lane);
    }
  }
  const uint32_t* values = context_.row<uint32_t>(op.source);
  uint32_t results[kLanes];
  for (size_t lane = 0; lane < kLanes; ++lane)
    results[lane] = values[known.lanes[lane]];
  std::memcpy(context_.row<uint32_t>(op.result), results, sizeof results);
  if (op.predicate != kNoRow) *context_.row<uint32_t>(op.predicate) = known.inside;
}

// An absent lane has no value: the reader keeps its own.
void Core::shuffle(const WarpOp& op, uint32_t mask) const {
  uint32_t values[kLanes];
  std::memcpy(values, context_.row<uint32_t>(op.source), sizeof values);
  const uint32_t *b = context_.row<uint32_t>(op.b), *c = context_.row<uint32_t>(op.c);
  uint32_t* result = context_.row<uint32_t>(op.result);
  uint32_t inside = 0, results[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const ShuffleSource source = shuffle_source(op.mode, lane, b[lane], c[lane]);
    inside |= static_cast<uint32_t>(source.inside) << lane;
    results[lane] = values[mask >> source.lane & 1 ? source.lane : lane];
  }
  if (mask == kAllLanes)
    std::memcpy(result, results, sizeof results);
  else
    for_lanes(mask, [&](int lane) { result[lane] = results[lane]; });
  if (op.predicate != kNoRow) set_predicate(*context_.row<uint32_t>(op.predicate), inside, mask);
}

void Core::vote(const WarpOp& op, uint32_t mask) const {
  const uint32_t said =
      op.source_negated ? ~*context_.row<uint32_t>(op.source) : *context_.row<uint32_t>(op.source);
  std::array<uint32_t, kLanes> groups{};
  for_lanes(mask, [&](int lane) { groups[static_cast<size_t>(lane)] = group_of(op, lane, mask); });
  write_vote(op, said, groups, mask, context_.row<uint32_t>(op.result));
}

// The results of the lanes of `mask`: `said` has a bit for each lane, `groups` whose votes a lane gets.
void Core::write_vote(const WarpOp& op, uint32_t said, const std::array<uint32_t, kLanes>& groups,
                      uint32_t mask, uint32_t* result_row) {
  uint32_t predicate = 0;
  for_lanes(mask, [&](int lane) {
    const uint32_t group = groups[static_cast<size_t>(lane)], yes = said & group;
    bool result = false;
    switch (op.mode) {
      case WarpOpMode::all:
        result = yes == group;
        break;
      case WarpOpMode::any:
        result = yes != 0;
        break;
      case WarpOpMode::uniform:
        result = yes == group || yes == 0;
        break;
      default:
        result_row[lane] = yes;
    }
    predicate |= static_cast<uint32_t>(result) << lane;
  });
  if (op.mode != WarpOpMode::ballot) set_predicate(*result_row, predicate, mask);
}

void Core::match(const WarpOp& op, uint32_t mask) const {
  uint64_t values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    values[lane] =
        op.wide ? context_.row<uint64_t>(op.source)[lane] : context_.row<uint32_t>(op.source)[lane];
  uint32_t predicate = 0, results[kLanes] = {};
  for_lanes(mask, [&](int lane) {
    const uint32_t group = group_of(op, lane, mask);
    uint32_t equal = 0;
    for_lanes(group, [&](int other) {
      equal |= static_cast<uint32_t>(values[other] == values[lane]) << other;
    });
    const bool all = equal == group;
    predicate |= static_cast<uint32_t>(all) << lane;
    results[lane] = op.mode == WarpOpMode::match_any || all ? equal : 0;
  });
  for_lanes(mask, [&](int lane) { context_.row<uint32_t>(op.result)[lane] = results[lane]; });
  if (op.predicate != kNoRow) set_predicate(*context_.row<uint32_t>(op.predicate), predicate, mask);
}

void Core::redux(const WarpOp& op, uint32_t mask) const {
  uint32_t values[kLanes];
  std::memcpy(values, context_.row<uint32_t>(op.source), sizeof values);
  uint32_t* result = context_.row<uint32_t>(op.result);
  uint32_t known_group = 0, known = 0;
  for_lanes(mask, [&](int lane) {
    const uint32_t group = group_of(op, lane, mask);
    if (group != known_group) {
      known_group = group;
      known = op.is_float ? std::bit_cast<uint32_t>(reduce_floats(op, values, group))
                          : reduce_integers(op, values, group);
    }
    result[lane] = known;
  });
}

void Core::elect(const WarpOp& op, uint32_t mask) const {
  uint32_t elected = 0;
  for_lanes(mask, [&](int lane) {
    const int leader = std::countr_zero(group_of(op, lane, mask));
    context_.row<uint32_t>(op.result)[lane] = static_cast<uint32_t>(leader);
    elected |= static_cast<uint32_t>(leader == lane) << lane;
  });
  set_predicate(*context_.row<uint32_t>(op.predicate), elected, mask);
}

}  // namespace ridge::machine
