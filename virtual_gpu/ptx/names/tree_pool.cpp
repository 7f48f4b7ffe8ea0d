#include "virtual_gpu/ptx/names/tree_pool.h"

#include <algorithm>

#include "virtual_gpu/ptx/module.h"

namespace ridge::ptx {
namespace {

constexpr size_t kFirstChunk = 64, kLargestChunk = 4096;  // operands

}  // namespace

TreePool::TreePool() = default;
TreePool::~TreePool() = default;

OperandList TreePool::operands(std::span<const Operand> list) {
  if (list.empty()) return {};
  if (list.size() > left_) {
    const size_t grown =
        std::min(kFirstChunk << std::min<size_t>(chunks_.size(), 6), kLargestChunk);
    left_ = std::max(grown, list.size());
    chunks_.push_back(std::make_unique_for_overwrite<Operand[]>(left_));
    next_ = chunks_.back().get();
  }
  Operand* const first = next_;
  std::copy(list.begin(), list.end(), first);
  next_ += list.size();
  left_ -= list.size();
  return {first, static_cast<uint32_t>(list.size())};
}

}  // namespace ridge::ptx
