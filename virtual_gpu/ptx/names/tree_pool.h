// Memory of a module's syntax tree: operands, and names that are not in its text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ridge::ptx {

struct Operand;

// Operands in the memory of their module: a view, so a copy is a view of the same operands.
class OperandList {
 public:
  OperandList() = default;
  OperandList(Operand* first, uint32_t count) : first_(first), count_(count) {}

  Operand* begin() const { return first_; }
  Operand* end() const;
  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Operand& operator[](size_t index) const;
  Operand& front() const { return *first_; }
  Operand& back() const;

 private:
  Operand* first_ = nullptr;
  uint32_t count_ = 0;
};

// Nothing is released before the pool ends, and nothing moves: a tree of a large module has a
// million operands and names, and one allocation for each would take longer than parsing them.
class TreePool {
 public:
  TreePool();
  ~TreePool();
  TreePool(const TreePool&) = delete;
  TreePool& operator=(const TreePool&) = delete;

  std::string_view name(std::string spelling) { return *names_.insert(std::move(spelling)).first; }
  OperandList operands(std::span<const Operand> list);

 private:
  std::unordered_set<std::string> names_;
  std::vector<std::unique_ptr<Operand[]>> chunks_;
  Operand* next_ = nullptr;
  size_t left_ = 0;  // from next_ on
};

}  // namespace ridge::ptx
