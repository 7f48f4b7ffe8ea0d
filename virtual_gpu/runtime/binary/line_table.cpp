#include "virtual_gpu/runtime/binary/line_table.h"

#include <algorithm>
#include <cstring>

namespace ridge::runtime {
namespace {

// Reads sequentially. Past the end all values are 0 and `damaged` is set.
class Cursor {
 public:
  Cursor(std::string_view bytes, uint64_t at, uint64_t end)
      : bytes_(bytes), at_(at), end_(std::min<uint64_t>(end, bytes.size())) {}

  bool done() const { return at_ >= end_; }
  bool damaged() const { return damaged_; }
  uint64_t at() const { return at_; }
  void skip(uint64_t count) {
    if (count > end_ - std::min(at_, end_)) damaged_ = true;
    at_ = damaged_ ? end_ : at_ + count;
  }

  template <typename T>
  T take() {
    T value{};
    if (at_ > end_ || end_ - at_ < sizeof(T)) {
      damaged_ = true;
      at_ = end_;
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  uint64_t take_unsigned() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0 || damaged_) return value;
    }
  }
  int64_t take_signed() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if ((byte & 0x80) != 0 && !damaged_) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }

 private:
  std::string_view bytes_;
  uint64_t at_, end_;
  bool damaged_ = false;
};

enum StandardOpcode : uint8_t {
  kExtended = 0,
  kCopy = 1,
  kAdvanceAddress = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kSetColumn = 5,
  kAddSpecial255 = 8,
  kFixedAdvance = 9,
};
constexpr uint8_t kEndSequence = 1, kSetAddress = 2;

struct Header {
  uint8_t unit_bytes = 1, line_range = 1, opcode_base = 1;
  int8_t line_base = 0;
  std::vector<uint8_t> operand_counts;
};

class Program {
 public:
  Program(Cursor cursor, const Header& header, const std::map<uint64_t, uint32_t>& function_at,
          std::unordered_map<uint32_t, std::vector<LineRow>>& rows)
      : cursor_(cursor), header_(header), function_at_(function_at), rows_(rows) {}

  void run() {
    while (!cursor_.done() && !cursor_.damaged()) {
      const auto opcode = cursor_.take<uint8_t>();
      if (opcode >= header_.opcode_base)
        special(opcode - header_.opcode_base);
      else if (opcode == kExtended)
        extended();
      else
        standard(opcode);
    }
  }

 private:
  void special(uint32_t adjusted) {
    address_ += uint64_t{adjusted / header_.line_range} * header_.unit_bytes;
    line_ += header_.line_base + static_cast<int>(adjusted % header_.line_range);
    add_row();
  }

  void standard(uint8_t opcode) {
    switch (opcode) {
      case kCopy:
        return add_row();
      case kAdvanceAddress:
        address_ += cursor_.take_unsigned() * header_.unit_bytes;
        return;
      case kAdvanceLine:
        line_ += cursor_.take_signed();
        return;
      case kAddSpecial255:
        address_ += uint64_t{(255u - header_.opcode_base) / header_.line_range} * header_.unit_bytes;
        return;
      case kFixedAdvance:
        address_ += cursor_.take<uint16_t>();
        return;
      default:
        for (uint8_t k = 0; k < header_.operand_counts[opcode]; ++k)
          cursor_.take_unsigned();
    }
  }

  void extended() {
    const uint64_t length = cursor_.take_unsigned();
    const uint64_t end = cursor_.at() + length;
    if (length == 0 || cursor_.damaged()) return;
    const auto opcode = cursor_.take<uint8_t>();
    if (opcode == kSetAddress) {
      const auto function = function_at_.find(cursor_.at());
      function_ = function == function_at_.end() ? nullptr : &rows_[function->second];
      address_ = cursor_.take<uint64_t>();
    } else if (opcode == kEndSequence) {
      address_ = 0;
      line_ = 1;
      function_ = nullptr;
    }
    if (end > cursor_.at()) cursor_.skip(end - cursor_.at());
  }

  void add_row() {
    if (function_ == nullptr || address_ > UINT32_MAX || line_ < 0) return;
    function_->push_back({static_cast<uint32_t>(address_), static_cast<uint32_t>(line_)});
  }

  Cursor cursor_;
  const Header& header_;
  const std::map<uint64_t, uint32_t>& function_at_;
  std::unordered_map<uint32_t, std::vector<LineRow>>& rows_;
  std::vector<LineRow>* function_ = nullptr;
  uint64_t address_ = 0;
  int64_t line_ = 1;
};

}  // namespace

std::unordered_map<uint32_t, std::vector<LineRow>> read_line_table(
    std::string_view section, const std::map<uint64_t, uint32_t>& function_at) {
  std::unordered_map<uint32_t, std::vector<LineRow>> rows;
  for (uint64_t at = 0; at + 4 < section.size();) {
    Cursor cursor(section, at, section.size());
    const auto unit_length = cursor.take<uint32_t>();
    const uint64_t unit_end = std::min<uint64_t>(cursor.at() + unit_length, section.size());
    cursor.take<uint16_t>();  // version
    const auto header_length = cursor.take<uint32_t>();
    const uint64_t program = cursor.at() + header_length;
    Header header;
    header.unit_bytes = cursor.take<uint8_t>();
    cursor.take<uint8_t>();  // flag: rows are statements
    header.line_base = cursor.take<int8_t>();
    header.line_range = std::max<uint8_t>(1, cursor.take<uint8_t>());
    header.opcode_base = std::max<uint8_t>(1, cursor.take<uint8_t>());
    header.operand_counts.push_back(0);
    for (uint8_t k = 1; k < header.opcode_base; ++k)
      header.operand_counts.push_back(cursor.take<uint8_t>());
    if (cursor.damaged() || program > unit_end) break;
    Program(Cursor(section, program, unit_end), header, function_at, rows).run();
    at = unit_end;
  }
  for (auto& [function, list] : rows) {
    std::stable_sort(list.begin(), list.end(),
                     [](const LineRow& a, const LineRow& b) { return a.address < b.address; });
  }
  return rows;
}

}  // namespace ridge::runtime
