#include "virtual_gpu/observe/caches/access_stream.h"

#include <algorithm>
#include <bit>

#include "warp_model/async_copy.h"

namespace ridge::observe {
namespace {

using warp_model::kLineBytes;
using warp_model::kSectorBytes;
using warp_model::SectorMask;

// Bits 0 to 7: kind; bits 8 to 31: number of lines; above: instruction.
uint64_t pack(const AccessStream::Head& head) {
  return static_cast<uint64_t>(head.kind) | uint64_t{head.lines} << 8 | uint64_t{head.instruction} << 32;
}

SectorMask sectors_between(uint64_t begin, uint64_t last) {
  const uint64_t first = begin / kSectorBytes % 4, end = last / kSectorBytes % 4;
  return static_cast<SectorMask>((0xfu << first) & (0xfu >> (3 - end)));
}

// The lines that an access has added so far, by a hash: a line that is not found is new.
class AddedLines {
 public:
  bool may_have(uint64_t line) const { return word(line) >> bit(line) & 1; }
  void add(uint64_t line) { words_[hash(line) / 64] |= uint64_t{1} << bit(line); }

 private:
  static constexpr uint32_t kBits = 9;
  static uint64_t hash(uint64_t line) { return line * 0x9e3779b97f4a7c15u >> (64 - kBits); }
  static uint64_t bit(uint64_t line) { return hash(line) % 64; }
  uint64_t word(uint64_t line) const { return words_[hash(line) / 64]; }
  uint64_t words_[(1 << kBits) / 64]{};
};

// Words that the access of a warp may need: a head, and two lines per lane.
constexpr size_t kUsualWords = 1 + 2 * 32;

bool is_contiguous(uint32_t mask) {
  const uint32_t low = mask >> std::countr_zero(mask);
  return (low & (low + 1)) == 0;
}

}  // namespace

AccessStream::Head AccessStream::head(size_t at) const {
  const uint64_t word = words_[at];
  return {static_cast<uint32_t>(word >> 32), static_cast<StreamKind>(word & 0xff),
          static_cast<uint32_t>(word >> 8 & 0xffffff)};
}

void AccessStream::add_barrier() {
  words_.push_back(pack({0, StreamKind::barrier, 0}));
}

void AccessStream::add_bytes(uint64_t begin, uint64_t end) {
  for (uint64_t line = begin / kLineBytes; line * kLineBytes < end; ++line) {
    const uint64_t from = std::max(begin, line * kLineBytes),
                   last = std::min(end, (line + 1) * kLineBytes) - 1;
    words_.push_back(line << 4 | sectors_between(from, last));
  }
}

void AccessStream::add_sectors(size_t first, uint64_t line, SectorMask sectors) {
  for (size_t k = words_.size(); k-- > first;) {
    if (line_of(words_[k]) != line) continue;
    words_[k] |= sectors;
    return;
  }
  words_.push_back(line << 4 | sectors);
}

void AccessStream::add_run(uint32_t instruction, StreamKind kind, uint64_t begin, uint64_t bytes) {
  const size_t head = words_.size();
  words_.push_back(0);
  add_bytes(begin, begin + bytes);
  words_[head] = pack({instruction, kind, static_cast<uint32_t>(words_.size() - head - 1)});
}

uint64_t AccessStream::local_line(uint64_t warp, uint64_t word) {
  constexpr uint64_t kLocalLines = uint64_t{1} << 50;  // above all global memory
  // 512 KB per thread, plus a few lines so that the same words of different warps map to different
  // cache sets: on a GPU the stacks of the warps are adjacent.
  constexpr uint64_t kLinesOfWarp = (1 << 17) + 37;
  return kLocalLines + warp * kLinesOfWarp + word;
}

void AccessStream::add_local(const machine::Access& access, StreamKind kind, uint64_t warp) {
  const size_t head = words_.size();
  words_.push_back(0);
  uint64_t offsets[32];
  machine::fill_addresses(access, offsets);
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    for (uint64_t word = offsets[lane] / 4; word * 4 < offsets[lane] + access.bytes; ++word)
      add_sectors(head + 1, local_line(warp, word), static_cast<SectorMask>(1u << lane / 8));
  }
  words_[head] = pack({access.instruction, kind, static_cast<uint32_t>(words_.size() - head - 1)});
}

void AccessStream::add_copy(const machine::Access& access, StreamKind kind) {
  const warp_model::Wavefronts wavefronts =
      warp_model::async_copy_wavefronts(access.lands_at, access.mask, access.bytes);
  machine::Access part = access;
  for (uint32_t k = 0; k < wavefronts.count; ++k) {
    part.mask = wavefronts.lanes[k];
    add(part, kind);
  }
}

// Lanes at arbitrary addresses; the lines of the access begin at word `first`, behind a head.
void AccessStream::add_lanes(const machine::Access& access, size_t first) {
  if (words_.capacity() < first - 1 + kUsualWords)
    words_.reserve(std::max(2 * words_.capacity(), first - 1 + kUsualWords));
  words_.push_back(0);
  uint64_t addresses[32];
  machine::fill_addresses(access, addresses);
  AddedLines added;
  for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const uint64_t begin = addresses[std::countr_zero(rest)], last = begin + access.bytes - 1;
    for (uint64_t line = begin / kLineBytes; line <= last / kLineBytes; ++line) {
      const uint64_t from = std::max(begin, line * kLineBytes),
                     to = std::min(last, line * kLineBytes + kLineBytes - 1);
      if (added.may_have(line)) {
        add_sectors(first, line, sectors_between(from, to));
        continue;
      }
      added.add(line);
      words_.push_back(line << 4 | sectors_between(from, to));
    }
  }
}

void AccessStream::add(const machine::Access& access, StreamKind kind) {
  const size_t head = words_.size();
  const bool is_dense = access.shape == machine::AccessShape::uniform ||
                        (access.shape == machine::AccessShape::strided && is_contiguous(access.mask) &&
                         access.stride >= 0 && access.stride <= static_cast<int64_t>(access.bytes));
  if (is_dense) {
    const auto stride =
        access.shape == machine::AccessShape::uniform ? 0 : static_cast<uint64_t>(access.stride);
    const auto first = static_cast<uint64_t>(std::countr_zero(access.mask));
    const auto last = static_cast<uint64_t>(31 - std::countl_zero(access.mask));
    const uint64_t begin = access.base + stride * first, end = access.base + stride * last + access.bytes;
    if (begin / kLineBytes == (end - 1) / kLineBytes) {  // the usual case
      words_.push_back(pack({access.instruction, kind, 1}));
      words_.push_back(begin / kLineBytes << 4 | sectors_between(begin, end - 1));
      return;
    }
    words_.push_back(0);
    add_bytes(begin, end);
  } else {
    add_lanes(access, head + 1);
  }
  words_[head] = pack({access.instruction, kind, static_cast<uint32_t>(words_.size() - head - 1)});
}

}  // namespace ridge::observe
