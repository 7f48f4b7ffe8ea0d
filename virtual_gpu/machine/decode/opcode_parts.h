// A PTX opcode split at its dots: "ld.global.nc.v4.f32" -> base "ld", then "global", "nc", "v4",
// "f32". Every pass over a function splits its opcodes, so nothing is stored or allocated here.
#pragma once

#include <algorithm>
#include <string_view>

namespace ridge::machine {

class OpcodeParts {
 public:
  explicit OpcodeParts(std::string_view opcode)
      : whole_(opcode), base_(opcode.substr(0, dot_from(opcode, 0))) {}

  std::string_view whole() const { return whole_; }
  std::string_view base() const { return base_; }
  std::string_view last() const {
    const size_t dot = whole_.rfind('.');
    return dot == std::string_view::npos ? whole_ : whole_.substr(dot + 1);
  }
  size_t size() const {
    return 1 + static_cast<size_t>(std::count(whole_.begin(), whole_.end(), '.'));
  }
  std::string_view operator[](size_t index) const {
    if (index == 0) return base_;
    std::string_view found;
    any_modifier([&](std::string_view part) {
      found = part;
      return --index == 0;
    });
    return index == 0 ? found : std::string_view();
  }

  bool has(std::string_view part) const {
    return any_modifier([&](std::string_view one) { return one == part; });
  }
  bool has_prefix(std::string_view prefix) const {
    return any_modifier([&](std::string_view one) { return one.starts_with(prefix); });
  }

 private:
  // The next dot, or the end. The parts are so short that a call of memchr takes longer.
  static size_t dot_from(std::string_view text, size_t at) {
    while (at < text.size() && text[at] != '.')
      ++at;
    return at;
  }

  // Visits the parts after the base until a visit returns true.
  template <class Visit>
  bool any_modifier(const Visit& visit) const {
    for (size_t dot = base_.size(); dot < whole_.size();) {
      const size_t begin = dot + 1;
      dot = dot_from(whole_, begin);
      if (visit(whole_.substr(begin, dot - begin))) return true;
    }
    return false;
  }

  std::string_view whole_, base_;
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
