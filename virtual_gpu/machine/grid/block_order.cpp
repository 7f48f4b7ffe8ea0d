#include "virtual_gpu/machine/grid/block_order.h"

#include <algorithm>

namespace ridge::machine {
namespace {

// Finds strongly connected components with Tarjan's algorithm, using an explicit stack (a generated
// kernel can have tens of thousands of basic blocks), and orders each component again without the
// edges into its head.
class BlockOrder {
 public:
  explicit BlockOrder(std::span<const std::vector<uint32_t>> successors)
      : successors_(successors),
        level_(successors.size(), 0),
        number_(successors.size(), 0),
        low_(successors.size(), 0) {}

  std::vector<uint32_t> run() {
    std::vector<uint32_t> ranks(successors_.size(), kUnranked);
    std::vector<Task> tasks{{0, 0}};
    uint32_t next_rank = 0;
    // A task ranks a head and then its whole component. Components are found in reverse order, so
    // tasks are a stack.
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      ranks[task.head] = next_rank++;
      std::vector<Task> found;
      number_[task.head] = kDone;
      for (const uint32_t next : ordered_successors(task.head)) {
        if (level_[next] == task.level && number_[next] == 0) components_from(next, task.level, found);
      }
      // `found` has the components in post-order; the last one runs first.
      tasks.insert(tasks.end(), found.begin(), found.end());
    }
    for (uint32_t& rank : ranks) {
      if (rank == kUnranked) rank = next_rank++;  // unreachable
    }
    return ranks;
  }

 private:
  static constexpr uint32_t kUnranked = 0xffffffffu, kDone = 0xffffffffu;
  struct Task {
    uint32_t head, level;
  };
  struct Visit {
    uint32_t block;
    size_t next;
  };

  // The fall-through successor is pushed first, so it finishes last and therefore runs first.
  const std::vector<uint32_t>& ordered_successors(uint32_t block) const { return successors_[block]; }

  void components_from(uint32_t root, uint32_t level, std::vector<Task>& found) {
    std::vector<Visit> visits{{root, 0}};
    open(root);
    while (!visits.empty()) {
      Visit& visit = visits.back();
      const auto& next = ordered_successors(visit.block);
      if (visit.next < next.size()) {
        const uint32_t target = next[visit.next++];
        if (level_[target] != level || number_[target] == kDone) continue;
        if (number_[target] == 0) {
          open(target);
          visits.push_back({target, 0});
        } else {
          low_[visit.block] = std::min(low_[visit.block], number_[target]);
        }
        continue;
      }
      const uint32_t block = visit.block;
      visits.pop_back();
      if (!visits.empty()) low_[visits.back().block] = std::min(low_[visits.back().block], low_[block]);
      if (low_[block] == number_[block]) close(block, found);
    }
  }

  void open(uint32_t block) {
    number_[block] = low_[block] = ++last_number_;
    stack_.push_back(block);
  }

  // `head` and everything above it on the stack are one component. Its members get a level of their
  // own and are ordered when the head is processed.
  void close(uint32_t head, std::vector<Task>& found) {
    const uint32_t level = ++last_level_;
    for (;;) {
      const uint32_t member = stack_.back();
      stack_.pop_back();
      level_[member] = level;
      number_[member] = 0;
      if (member == head) break;
    }
    found.push_back({head, level});
  }

  std::span<const std::vector<uint32_t>> successors_;
  std::vector<uint32_t> level_, number_, low_, stack_;
  uint32_t last_number_ = 0, last_level_ = 0;
};

}  // namespace

std::vector<uint32_t> order_blocks(std::span<const std::vector<uint32_t>> successors) {
  if (successors.empty()) return {};
  return BlockOrder(successors).run();
}

}  // namespace ridge::machine
