#include "virtual_gpu/machine/lanes/lane_table.h"

#include <algorithm>
#include <stdexcept>

namespace ridge::machine {
namespace {

constexpr size_t kExpectedOperations = 8192;
constexpr size_t kExpectedTextBytes = kExpectedOperations * 20;

// FNV-1a: opcodes are short, and this runs only while decoding.
uint32_t hash_of(std::string_view text) {
  uint32_t hash = 2166136261u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash ^ (hash >> 15);
}

// b32, f16x2, e4m3x2, tf32, pred: a letter or two, then digits; "pred" is the only other type.
bool is_type(std::string_view part) {
  if (part == "pred") return true;
  const size_t digit = part.find_first_of("0123456789");
  if (digit == std::string_view::npos || digit == 0 || digit > 2) return false;
  return std::string_view("bsufet").find(part[0]) != std::string_view::npos;
}

// "lg2.approx.f32.ftz" and "lg2.ftz.approx.f32": "lg2.approx.ftz.f32".
std::string sorted_modifiers(std::string_view opcode) {
  std::vector<std::string_view> modifiers, types;
  size_t dot = std::min(opcode.find('.'), opcode.size());
  std::string key(opcode.substr(0, dot));
  while (dot < opcode.size()) {
    const size_t begin = dot + 1;
    dot = std::min(opcode.find('.', begin), opcode.size());
    const std::string_view part = opcode.substr(begin, dot - begin);
    (is_type(part) ? types : modifiers).push_back(part);
  }
  std::sort(modifiers.begin(), modifiers.end());
  modifiers.insert(modifiers.end(), types.begin(), types.end());
  for (const std::string_view part : modifiers)
    key.append(".").append(part);
  return key;
}

}  // namespace

LaneTable::LaneTable() {
  operations_.reserve(kExpectedOperations);
  text_begin_.reserve(kExpectedOperations + 1);
  text_begin_.push_back(0);
  text_.reserve(kExpectedTextBytes);
  slots_.resize(2 * kExpectedOperations);
}

std::string_view LaneTable::text(uint32_t index) const {
  return std::string_view(text_).substr(text_begin_[index], text_begin_[index + 1] - text_begin_[index]);
}

uint32_t LaneTable::slot_of(std::string_view opcode, uint32_t hash) const {
  const auto last = static_cast<uint32_t>(slots_.size() - 1);
  uint32_t slot = hash & last;
  while (slots_[slot].index_plus_one != 0 &&
         (slots_[slot].hash != hash || text(slots_[slot].index_plus_one - 1) != opcode))
    slot = (slot + 1) & last;
  return slot;
}

void LaneTable::grow() {
  const std::vector<Slot> old(std::move(slots_));
  slots_.assign(old.size() * 2, Slot{});
  for (const Slot& entry : old)
    if (entry.index_plus_one != 0) slots_[slot_of(text(entry.index_plus_one - 1), entry.hash)] = entry;
}

void LaneTable::add(std::initializer_list<const char*> opcode, LaneFunction full, LaneFunction masked,
                    Shape shape) {
  for (const char* piece : opcode)
    text_ += piece;
  text_begin_.push_back(static_cast<uint32_t>(text_.size()));
  const auto index = static_cast<uint32_t>(operations_.size());
  operations_.push_back({{}, full, masked, shape.dst, shape.dst2, shape.a, shape.b, shape.c, shape.d});

  if (2 * operations_.size() > slots_.size()) grow();
  const std::string_view name = text(index);
  const uint32_t hash = hash_of(name);
  Slot& slot = slots_[slot_of(name, hash)];
  if (slot.index_plus_one != 0)
    throw std::logic_error("the lane operation " + std::string(name) +
                           " is in the table twice; remove one of its rows");
  slot = {hash, index + 1};
}

void LaneTable::seal() {
  for (uint32_t index = 0; index < operations_.size(); ++index)
    operations_[index].opcode = text(index);
}

const LaneOp* LaneTable::find(std::string_view opcode) const {
  const Slot& slot = slots_[slot_of(opcode, hash_of(opcode))];
  return slot.index_plus_one == 0 ? find_in_any_order(opcode) : &operations_[slot.index_plus_one - 1];
}

const LaneOp* LaneTable::find_in_any_order(std::string_view opcode) const {
  std::call_once(ordered_once_, [&] {
    for (uint32_t index = 0; index < operations_.size(); ++index)
      ordered_.emplace(sorted_modifiers(text(index)), index);
  });
  const auto found = ordered_.find(sorted_modifiers(opcode));
  return found == ordered_.end() ? nullptr : &operations_[found->second];
}

}  // namespace ridge::machine
