// A PTX opcode split at its dots: "ld.global.nc.v4.f32" -> base "ld", then "global", "nc", "v4",
// "f32".
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace ridge::machine {

class OpcodeParts {
 public:
  explicit OpcodeParts(std::string_view opcode) : whole_(opcode) {
    size_t begin = 0;
    while (begin <= opcode.size()) {
      const size_t dot = std::min(opcode.find('.', begin), opcode.size());
      parts_.push_back(opcode.substr(begin, dot - begin));
      begin = dot + 1;
    }
  }

  std::string_view whole() const { return whole_; }
  std::string_view base() const { return parts_.front(); }
  std::string_view last() const { return parts_.back(); }
  size_t size() const { return parts_.size(); }
  std::string_view operator[](size_t index) const {
    return index < parts_.size() ? parts_[index] : std::string_view();
  }

  bool has(std::string_view part) const {
    return std::find(parts_.begin() + 1, parts_.end(), part) != parts_.end();
  }
  bool has_prefix(std::string_view prefix) const {
    return std::any_of(parts_.begin() + 1, parts_.end(),
                       [&](std::string_view p) { return p.starts_with(prefix); });
  }

 private:
  std::string_view whole_;
  std::vector<std::string_view> parts_;
};

// Bits of a PTX type name: "f32" -> 32, "b8" -> 8, "f16x2" -> 32, "pred" -> 1; 0 when it is not a
// type.
inline int type_bits(std::string_view type) {
  if (type == "pred") return 1;
  if (type == "f16x2" || type == "bf16x2") return 32;
  if (type == "bf16") return 16;
  if (type == "tf32") return 32;
  if (type.size() < 2 || std::string_view("bsuf").find(type[0]) == std::string_view::npos) return 0;
  int bits = 0;
  for (const char c : type.substr(1)) {
    if (c < '0' || c > '9') return 0;
    bits = bits * 10 + (c - '0');
  }
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 ? bits : 0;
}

}  // namespace ridge::machine
