#include "virtual_gpu/ptx/constant.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <limits>

namespace ridge::ptx {
namespace {

constexpr int kDeepestExpression = 64;
constexpr int64_t kWarpSize = 32;

uint64_t parse_digits(const TokenCursor& cursor, std::string_view digits, int base) {
  uint64_t value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range)
    cursor.fail(fmt::format("the integer {} does not fit in 64 bits", digits));
  if (error != std::errc() || stop != digits.data() + digits.size()) {
    cursor.fail(fmt::format("'{}' is not a number in base {}", digits, base));
  }
  return value;
}

Constant floating_bits(const TokenCursor& cursor, std::string_view text) {
  const bool is_f32 = text[1] == 'f' || text[1] == 'F';
  const size_t digits = is_f32 ? 8 : 16;
  if (text.size() != 2 + digits) {
    cursor.fail(fmt::format("the floating literal '{}' has {} hexadecimal digits; {} takes {}", text,
                            text.size() - 2, text.substr(0, 2), digits));
  }
  Constant value;
  value.is_floating = true;
  value.is_f32_bits = is_f32;
  value.bits = parse_digits(cursor, text.substr(2), 16);
  value.floating = is_f32 ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value.bits)))
                          : std::bit_cast<double>(value.bits);
  return value;
}

Constant decimal_floating(const TokenCursor& cursor, std::string_view text) {
  Constant value;
  value.is_floating = true;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value.floating);
  if (error != std::errc() || stop != text.data() + text.size()) {
    cursor.fail(fmt::format("'{}' is not a floating number that fits in 64 bits", text));
  }
  value.bits = std::bit_cast<uint64_t>(value.floating);
  return value;
}

Constant integer(uint64_t bits, bool is_unsigned) {
  Constant value;
  value.bits = bits;
  value.is_unsigned = is_unsigned;
  return value;
}

// Precedence climbing over C's binary operators.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenCursor& cursor) : cursor_(cursor) {}

  Constant conditional() {
    const Nesting nesting(*this);
    const Constant condition = binary(1);
    if (!cursor_.at('?')) return condition;
    require_integer(condition);
    cursor_.take();
    const Constant yes = conditional();
    cursor_.expect(':', "between the two results of '?'");
    const Constant no = conditional();
    return condition.bits != 0 ? yes : no;
  }

  Constant binary(int lowest) {
    Constant left = unary();
    while (true) {
      const Operator op = peek_operator();
      if (op.precedence < lowest || op.precedence == 0) return left;
      require_integer(left);
      for (size_t i = 0; i < op.text.size(); ++i)
        cursor_.take();
      const Constant right = binary(op.precedence + 1);
      require_integer(right);
      left = apply(op.text, left, right);
    }
  }

 private:
  struct Operator {
    std::string_view text;
    int precedence = 0;
  };

  struct Nesting {
    explicit Nesting(ExpressionParser& p) : parser(p) {
      if (++parser.depth_ > 2 * kDeepestExpression) {
        parser.cursor_.fail(
            fmt::format("a constant expression is nested deeper than {} levels", kDeepestExpression));
      }
    }
    ~Nesting() { --parser.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ExpressionParser& parser;
  };

  Operator peek_operator() const {
    static constexpr Operator kOperators[] = {
        {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"|", 3},
        {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
    for (const Operator& op : kOperators) {
      if (!cursor_.at(op.text[0])) continue;
      if (op.text.size() == 1) return op;
      if (cursor_.at(op.text[1], 1) && cursor_.peek().touches(cursor_.peek(1))) return op;
    }
    return {};
  }

  Constant apply(std::string_view op, const Constant& left, const Constant& right) const {
    const bool is_unsigned = left.is_unsigned || right.is_unsigned;
    const uint64_t a = left.bits, b = right.bits;
    const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    const auto truth = [](bool value) { return integer(value, false); };
    const auto number = [&](uint64_t bits) { return integer(bits, is_unsigned); };
    if (op == "||") return truth(a || b);
    if (op == "&&") return truth(a && b);
    if (op == "==") return truth(a == b);
    if (op == "!=") return truth(a != b);
    if (op == "<") return truth(is_unsigned ? a < b : sa < sb);
    if (op == ">") return truth(is_unsigned ? a > b : sa > sb);
    if (op == "<=") return truth(is_unsigned ? a <= b : sa <= sb);
    if (op == ">=") return truth(is_unsigned ? a >= b : sa >= sb);
    if (op == "|") return number(a | b);
    if (op == "^") return number(a ^ b);
    if (op == "&") return number(a & b);
    if (op == "+") return number(a + b);
    if (op == "-") return number(a - b);
    if (op == "*") return number(a * b);
    if (op == "<<") return integer(b < 64 ? a << b : 0, left.is_unsigned);
    if (op == ">>") {
      const uint64_t by = b < 64 ? b : 63;
      if (left.is_unsigned) return integer(b < 64 ? a >> b : 0, true);
      return integer(static_cast<uint64_t>(sa >> by), false);
    }
    if (b == 0) cursor_.fail("a constant expression divides by zero");
    if (is_unsigned) return number(op == "/" ? a / b : a % b);
    if (sb == -1) return number(op == "/" ? uint64_t{0} - a : 0);  // the smallest integer / -1 overflows
    return number(static_cast<uint64_t>(op == "/" ? sa / sb : sa % sb));
  }

  void require_integer(const Constant& value) const {
    if (value.is_floating)
      cursor_.fail("a constant expression computes with a floating number; write its bits instead");
  }

  static Constant negate(Constant value) {
    if (!value.is_floating) return integer(uint64_t{0} - value.bits, value.is_unsigned);
    value.bits ^= uint64_t{1} << (value.is_f32_bits ? 31 : 63);
    value.floating = -value.floating;
    return value;
  }

  Constant unary() {
    const Nesting nesting(*this);
    if (cursor_.accept('-')) return negate(unary());
    if (cursor_.accept('+')) return unary();
    if (cursor_.accept('~')) {
      const Constant value = unary();
      require_integer(value);
      return integer(~value.bits, value.is_unsigned);
    }
    if (cursor_.accept('!')) {
      const Constant value = unary();
      require_integer(value);
      return integer(value.bits == 0, false);
    }
    if (cursor_.accept('(')) {
      if (cursor_.at_word(".s64") || cursor_.at_word(".u64")) {
        const bool is_unsigned = cursor_.take().text == ".u64";
        cursor_.expect(')', "after the type of a cast");
        const Constant value = unary();
        require_integer(value);
        return integer(value.bits, is_unsigned);
      }
      const Constant value = conditional();
      cursor_.expect(')', "after a constant expression");
      return value;
    }
    if (cursor_.accept_word("WARP_SZ")) return integer(kWarpSize, false);
    return parse_literal(cursor_);
  }

  TokenCursor& cursor_;
  int depth_ = 0;
};

}  // namespace

bool at_constant(const TokenCursor& cursor) {
  return cursor.at_number() || cursor.at('-') || cursor.at('+') || cursor.at('~') || cursor.at('!') ||
         cursor.at('(') || cursor.at_word("WARP_SZ");
}

Constant parse_literal(TokenCursor& cursor) {
  if (!cursor.at_number()) cursor.fail_expected("a constant");
  std::string_view text = cursor.peek().text;
  const char kind = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  Constant value;
  if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') {
    value = floating_bits(cursor, text);
  } else if (kind != 'x' && kind != 'X' && kind != 'b' && kind != 'B' &&
             text.find_first_of(".eE") != std::string_view::npos) {
    value = decimal_floating(cursor, text);
  } else {
    const bool has_suffix = text.back() == 'U';
    if (has_suffix) text.remove_suffix(1);
    if (kind == 'x' || kind == 'X') {
      value.bits = parse_digits(cursor, text.substr(2), 16);
    } else if (kind == 'b' || kind == 'B') {
      value.bits = parse_digits(cursor, text.substr(2), 2);
    } else {
      value.bits = parse_digits(cursor, text, text.size() > 1 && text[0] == '0' ? 8 : 10);
    }
    value.is_unsigned = has_suffix || value.bits > uint64_t{std::numeric_limits<int64_t>::max()};
  }
  cursor.take();
  return value;
}

Constant parse_constant(TokenCursor& cursor) {
  // Most constants are one literal.
  if (cursor.at_number() && (cursor.at(',', 1) || cursor.at(';', 1) || cursor.at(']', 1)))
    return parse_literal(cursor);
  return ExpressionParser(cursor).conditional();
}

int64_t parse_offset(TokenCursor& cursor) {
  constexpr int kTighterThanPlus = 10;
  uint64_t sum = 0;
  while (cursor.at('+') || cursor.at('-')) {
    const bool subtract = cursor.take().text == "-";
    const Constant term = ExpressionParser(cursor).binary(kTighterThanPlus);
    if (term.is_floating)
      cursor.fail("an address offset is a floating number; it should be an integer of bytes");
    sum = subtract ? sum - term.bits : sum + term.bits;
  }
  return static_cast<int64_t>(sum);
}

}  // namespace ridge::ptx
