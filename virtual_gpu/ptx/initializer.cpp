#include "virtual_gpu/ptx/initializer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "virtual_gpu/ptx/constant.h"
#include "virtual_gpu/ptx/types.h"

namespace ridge::ptx {
namespace {

// A text that fills more would itself be larger.
constexpr uint64_t kLargestInitial = uint64_t{256} << 20;

class InitializerParser {
 public:
  InitializerParser(TokenCursor& cursor, std::span<const uint64_t> extents, Variable& variable)
      : cursor_(cursor), variable_(variable), element_bytes_(type_bytes(variable.type)) {
    // level_bytes_[i]: size of a list element at brace depth i; the innermost level holds scalars.
    std::vector<uint64_t> widths(extents.begin(), extents.end());
    if (variable.vector_width > 1) widths.push_back(variable.vector_width);
    is_unsized_ = !extents.empty() && extents.front() == 0;
    level_bytes_.assign(std::max<size_t>(widths.size(), 1), element_bytes_);
    for (size_t i = level_bytes_.size() - 1; i-- > 0;)
      level_bytes_[i] = level_bytes_[i + 1] * widths[i + 1];
    total_bytes_ =
        is_unsized_ ? kLargestInitial : element_bytes_ * variable.element_count * variable.vector_width;
  }

  void parse() {
    if (cursor_.at('{')) {
      list(0, 0, total_bytes_);
    } else if (cursor_.peek().kind == Token::Kind::string) {
      string();
    } else {
      scalar(0);
    }
    if (is_unsized_) {
      const uint64_t each = std::max<uint64_t>(element_bytes_ * variable_.vector_width, 1);
      const uint64_t inner = std::max<uint64_t>(level_bytes_[0] / each, 1);
      const uint64_t filled = (variable_.initial.size() + each - 1) / each;
      variable_.element_count = (filled + inner - 1) / inner * inner;
    }
  }

 private:
  // One brace: fills from byte `from` to at most byte `to`. As in C, a scalar goes to the next free
  // element whatever the dimensions are, and an inner brace starts at the next whole sub-array.
  void list(size_t level, uint64_t from, uint64_t to) {
    cursor_.expect('{', "before an initialiser list");
    uint64_t at = from;
    while (!cursor_.at('}')) {
      if (cursor_.at('{')) {
        if (level + 1 >= level_bytes_.size()) {
          cursor_.fail(fmt::format("the initialiser of '{}' has more braces than the array has dimensions",
                                   variable_.name));
        }
        const uint64_t step = std::max<uint64_t>(level_bytes_[level], 1);
        at = from + (at - from + step - 1) / step * step;
        require_room(at, step, to);
        list(level + 1, at, at + step);
        at += step;
      } else {
        require_room(at, element_bytes_, to);
        scalar(at);
        at += element_bytes_;
      }
      if (!cursor_.accept(',')) break;
    }
    cursor_.expect('}', "after an initialiser list");
  }

  void require_room(uint64_t at, uint64_t bytes, uint64_t to) const {
    if (at + bytes <= to) return;
    cursor_.fail(
        fmt::format("the initialiser of '{}' has more values than fit in its {} bytes", variable_.name, to));
  }

  void put(uint64_t at, uint64_t low_bits, uint64_t bytes, uint8_t beyond = 0) {
    if (at + bytes > kLargestInitial) {
      cursor_.fail(
          fmt::format("the initialiser of '{}' fills more than {} bytes", variable_.name, kLargestInitial));
    }
    if (variable_.initial.size() < at + bytes) variable_.initial.resize(at + bytes);
    for (uint64_t i = 0; i < bytes; ++i) {
      variable_.initial[at + i] = i < 8 ? static_cast<uint8_t>(low_bits >> (8 * i)) : beyond;
    }
  }

  void string() {
    const std::string_view text = cursor_.expect_string("a string");
    require_room(0, text.size(), total_bytes_);
    for (size_t i = 0; i < text.size(); ++i)
      put(i, static_cast<uint8_t>(text[i]), 1);
    if (is_unsized_) put(text.size(), 0, 1);
  }

  void scalar(uint64_t at) {
    if (cursor_.at_word() && !cursor_.at_word("WARP_SZ")) {
      address(at, element_bytes_, 0);
      return;
    }
    if (cursor_.at_number() && cursor_.at('(', 1)) {
      byte_of_address(at);
      return;
    }
    const Constant value = parse_constant(cursor_);
    const auto number = [&] {
      if (value.is_floating) return value.floating;
      return value.is_unsigned ? static_cast<double>(value.bits)
                               : static_cast<double>(static_cast<int64_t>(value.bits));
    };
    if (variable_.type == "f32") {
      const bool keep = value.is_f32_bits;  // a conversion would lose the payload of a NaN
      put(at, keep ? value.bits : std::bit_cast<uint32_t>(to_float(number())), 4);
    } else if (variable_.type == "f64") {
      const bool keep = value.is_floating && !value.is_f32_bits;
      put(at, keep ? value.bits : std::bit_cast<uint64_t>(number()), 8);
    } else {
      const bool is_negative = !value.is_floating && !value.is_unsigned && (value.bits >> 63) != 0;
      put(at, value.bits, element_bytes_, is_negative ? 0xFF : 0);
    }
  }

  // Out of float's range a cast is undefined; IEEE rounding gives infinity there.
  static float to_float(double value) {
    // The largest double that rounds to a finite float.
    constexpr double kLargest = 0x1.fffffefffffffp127;
    if (value > kLargest) return std::bit_cast<float>(0x7F800000u);
    if (value < -kLargest) return std::bit_cast<float>(0xFF800000u);
    return static_cast<float>(value);
  }

  // `name`, `name+8`, `generic(name)`, `generic(name)+8`: stores `bytes` bytes of that address,
  // from bit `shift_bits` on.
  void address(uint64_t at, uint64_t bytes, uint32_t shift_bits) {
    Variable::Relocation relocation;
    relocation.offset = at;
    relocation.bytes = static_cast<uint32_t>(bytes);
    relocation.shift_bits = shift_bits;
    std::string_view name = cursor_.expect_name("a value or the name of a variable or function");
    relocation.generic = name == "generic" && cursor_.accept('(');
    uint64_t addend = 0;
    if (relocation.generic) {
      name = cursor_.expect_name("the symbol of generic()");
      addend += static_cast<uint64_t>(parse_offset(cursor_));
      cursor_.expect(')', "after the symbol of generic()");
    }
    addend += static_cast<uint64_t>(parse_offset(cursor_));
    relocation.addend = static_cast<int64_t>(addend);
    relocation.symbol = name;
    put(at, 0, bytes);
    add(std::move(relocation));
  }

  // `0xFF00(name)`: one byte of an address. nvcc writes a pointer in a struct as eight of them.
  void byte_of_address(uint64_t at) {
    const Constant mask = parse_literal(cursor_);
    const int shift = std::countr_zero(mask.bits);
    if (mask.is_floating || mask.bits == 0 || shift % 8 != 0 || mask.bits >> shift != 0xFF) {
      cursor_.fail("a mask before '(' should select one byte, as in 0xFF00(name)");
    }
    cursor_.expect('(', "after a mask");
    address(at, 1, static_cast<uint32_t>(shift));
    cursor_.expect(')', "after the symbol of a mask");
    if (element_bytes_ > 1) put(at, 0, element_bytes_);
  }

  // Consecutive bytes of one address are merged into one relocation.
  void add(Variable::Relocation relocation) {
    if (!variable_.relocations.empty() && relocation.bytes == 1 && relocation.shift_bits != 0) {
      Variable::Relocation& last = variable_.relocations.back();
      if (last.symbol == relocation.symbol && last.addend == relocation.addend &&
          last.generic == relocation.generic && last.offset + last.bytes == relocation.offset &&
          last.shift_bits + 8 * last.bytes == relocation.shift_bits) {
        ++last.bytes;
        return;
      }
    }
    variable_.relocations.push_back(std::move(relocation));
  }

  TokenCursor& cursor_;
  Variable& variable_;
  uint64_t element_bytes_;
  uint64_t total_bytes_ = 0;
  bool is_unsized_ = false;
  std::vector<uint64_t> level_bytes_;
};

}  // namespace

void parse_initializer(TokenCursor& cursor, std::span<const uint64_t> extents, Variable& variable) {
  InitializerParser(cursor, extents, variable).parse();
}

}  // namespace ridge::ptx
