#include "virtual_gpu/machine/copy_engine/bulk_bytes.h"

#include <atomic>
#include <cstring>

#include "virtual_gpu/machine/memory/atomic_combine.h"
#include "virtual_gpu/machine/copy_engine/swizzle.h"

namespace ridge::machine {
namespace {

constexpr uint32_t kChunkBytes = 16, kLineBytes = 128;
constexpr uint32_t kMaxRowBytes = 256 * 8;

void put_row(std::byte* window, uint32_t address, const std::byte* row, uint32_t row_bytes, uint32_t span) {
  if (span == kChunkBytes) {
    std::memcpy(window + address, row, row_bytes);
    return;
  }
  // All chunks of a line have the same xor.
  if (row_bytes == kLineBytes && address % kLineBytes == 0) {
    const uint32_t moved = swizzled(address, span) - address;
    for (uint32_t at = 0; at < kLineBytes; at += kChunkBytes)
      std::memcpy(window + address + (at ^ moved), row + at, kChunkBytes);
    return;
  }
  for (uint32_t at = 0; at < row_bytes; at += kChunkBytes)
    std::memcpy(window + swizzled(address + at, span), row + at, kChunkBytes);
}

void add_run(Runs& runs, uint64_t begin, uint64_t bytes) {
  if (!runs.empty() && runs.back().begin + runs.back().bytes == begin)
    runs.back().bytes += bytes;
  else
    runs.push_back({begin, bytes});
}

template <class Word>
void reduce_words(const AtomicOp& op, std::byte* destination, const std::byte* source, uint64_t bytes,
                  bool is_global) {
  const Combine<Word> combine = combine_for<Word>(op);
  for (uint64_t at = 0; at + sizeof(Word) <= bytes; at += sizeof(Word)) {
    Word value;
    std::memcpy(&value, source + at, sizeof value);
    auto* const word = reinterpret_cast<Word*>(destination + at);
    if (!is_global) {
      *word = combine(*word, value, 0);
      continue;
    }
    std::atomic_ref<Word> place(*word);
    Word old = place.load(std::memory_order_relaxed);
    while (!place.compare_exchange_weak(old, combine(old, value, 0), std::memory_order_relaxed)) {
    }
  }
}

uint32_t word_bytes(AtomicType type) {
  switch (type) {
    case AtomicType::u64:
    case AtomicType::s64:
    case AtomicType::b64:
    case AtomicType::f64:
      return 8;
    case AtomicType::f16:
    case AtomicType::bf16:
    case AtomicType::b16:
      return 2;
    default:
      return 4;
  }
}

}  // namespace

void load_box(const TensorBox& box, std::byte* window, uint32_t base) {
  const TensorLayout& t = box.layout;
  const uint32_t row_bytes = t.row_bytes(), span = t.swizzle_span();
  const bool changes = converts(t);
  std::byte made[kMaxRowBytes], outside[kMaxRowBytes];
  bool is_filled = false;
  for_each_row(box, [&](const TensorRow& row) {
    const auto* from = reinterpret_cast<const std::byte*>(row.global);
    if (row.inside != row_bytes && !is_filled) {
      fill_outside(t, outside, row_bytes);
      is_filled = true;
    }
    if (row.inside == 0) {
      put_row(window, base + row.plain, outside, row_bytes, span);
      return;
    }
    if (row.inside != row_bytes || changes) {
      if (row.inside != row_bytes) std::memcpy(made, outside, row_bytes);
      std::memcpy(made + row.before, from, row.inside);
      if (changes) convert(t, made + row.before, row.inside);
      from = made;
    }
    put_row(window, base + row.plain, from, row_bytes, span);
  });
}

void unswizzle_box(const TensorBox& box, const std::byte* window, uint32_t base, std::byte* plain) {
  const uint32_t span = box.layout.swizzle_span();
  const auto total = static_cast<uint32_t>(box.layout.shared_bytes());
  if (span == kChunkBytes) {
    std::memcpy(plain, window + base, total);
    return;
  }
  uint32_t at = 0;
  for (; base % kLineBytes == 0 && at + kLineBytes <= total; at += kLineBytes) {
    const std::byte* const line = window + base + at;
    const uint32_t moved = swizzled(base + at, span) - (base + at);
    for (uint32_t chunk = 0; chunk < kLineBytes; chunk += kChunkBytes)
      std::memcpy(plain + at + chunk, line + (chunk ^ moved), kChunkBytes);
  }
  for (; at < total; at += kChunkBytes)
    std::memcpy(plain + at, window + swizzled(base + at, span), kChunkBytes);
}

void store_box(const TensorBox& box, const std::byte* plain) {
  for_each_row(box, [&](const TensorRow& row) {
    if (row.inside != 0)
      std::memcpy(reinterpret_cast<std::byte*>(row.global), plain + row.plain + row.before, row.inside);
  });
}

bool is_reduction(const Reduction& reduction) {
  using O = AtomicOperation;
  const bool is_bits = reduction.operation == O::bit_and || reduction.operation == O::bit_or ||
                       reduction.operation == O::bit_xor;
  const bool is_order = reduction.operation == O::minimum || reduction.operation == O::maximum;
  const bool counts = reduction.operation == O::increment || reduction.operation == O::decrement;
  switch (reduction.type) {
    case AtomicType::u32:
      return reduction.operation != O::exchange && reduction.operation != O::compare_swap;
    case AtomicType::s32:
    case AtomicType::u64:
    case AtomicType::s64:
      return is_bits || is_order || (!counts && reduction.operation == O::add);
    case AtomicType::b32:
    case AtomicType::b64:
      return is_bits;
    case AtomicType::f16:
    case AtomicType::bf16:
      return is_order || reduction.operation == O::add;
    case AtomicType::f32:
    case AtomicType::f64:
      return reduction.operation == O::add;
    default:
      return false;
  }
}

void reduce_bytes(const Reduction& reduction, std::byte* destination, const std::byte* source, uint64_t bytes,
                  bool is_global) {
  AtomicOp op;
  op.operation = reduction.operation;
  op.type = reduction.type;
  switch (word_bytes(reduction.type)) {
    case 2:
      return reduce_words<uint16_t>(op, destination, source, bytes, is_global);
    case 4:
      return reduce_words<uint32_t>(op, destination, source, bytes, is_global);
    default:
      return reduce_words<uint64_t>(op, destination, source, bytes, is_global);
  }
}

void reduce_box(const Reduction& reduction, const TensorBox& box, const std::byte* plain) {
  for_each_row(box, [&](const TensorRow& row) {
    if (row.inside != 0) {
      reduce_bytes(reduction, reinterpret_cast<std::byte*>(row.global), plain + row.plain + row.before,
                   row.inside, true);
    }
  });
}

void add_global_runs(const TensorBox& box, Runs& runs) {
  for_each_row(box, [&](const TensorRow& row) {
    if (row.inside != 0) add_run(runs, row.global, row.inside);
  });
}

void add_shared_runs(const TensorBox& box, uint32_t base, Runs& runs) {
  const uint32_t span = box.layout.swizzle_span();
  const auto total = static_cast<uint32_t>(box.layout.shared_bytes());
  // The swizzle only permutes bytes within a span.
  if (span == kChunkBytes ||
      (base % span == 0 && total % 128 == 0 && box.layout.row_bytes() == box.layout.row_pitch())) {
    add_run(runs, base, total);
    return;
  }
  const uint32_t row_bytes = box.layout.row_bytes(), pitch = box.layout.row_pitch();
  for (uint32_t row = 0; row < total; row += pitch) {
    for (uint32_t at = row; at < row + row_bytes; at += kChunkBytes)
      add_run(runs, swizzled(base + at, span), kChunkBytes);
  }
}

}  // namespace ridge::machine
