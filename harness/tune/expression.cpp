// Evaluates the integer expressions of `tune:` comments with a precedence-climbing parser.
#include <charconv>

#include "harness/tune/constants.h"

namespace ridge::tune {

namespace {

struct Operator {
  std::string_view text;
  int precedence;  // higher binds tighter
};
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                                   {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                                   {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

using Value = std::optional<int64_t>;

Value apply(std::string_view op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (op == "+") return __builtin_add_overflow(a, b, &result) ? Value() : result;
  if (op == "-") return __builtin_sub_overflow(a, b, &result) ? Value() : result;
  if (op == "*") return __builtin_mul_overflow(a, b, &result) ? Value() : result;
  if (op == "/" || op == "%") {
    if (b == 0 || (b == -1 && a == INT64_MIN)) return {};
    return op == "/" ? a / b : a % b;
  }
  if (op == "<<" || op == ">>") {
    if (b < 0 || b > 62 || a < 0) return {};
    return op == ">>" ? a >> b : (a > (INT64_MAX >> b) ? Value() : a << b);
  }
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "&") return a & b;
  if (op == "^") return a ^ b;
  return a | b;
}

struct NotUnderstood {};

// Precedence climbing. An unknown operand makes the result unknown, and parsing continues.
class Reader {
 public:
  Reader(std::string_view text, const Known& known) : text_(text), known_(known) {}

  Value whole() {
    const Value value = conditional();
    skip_space();
    if (at_ != text_.size()) throw NotUnderstood();
    return value;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool take(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Value conditional() {
    const Value condition = binary(1);
    if (!take("?")) return condition;
    const Value yes = conditional();
    if (!take(":")) throw NotUnderstood();
    const Value no = conditional();
    if (!condition) return {};
    return *condition ? yes : no;
  }

  const Operator* next_operator() {
    skip_space();
    for (const Operator& one : kOperators)
      if (text_.substr(at_).starts_with(one.text)) return &one;
    return nullptr;
  }

  Value binary(int least) {
    Value left = unary();
    for (const Operator* op; (op = next_operator()) && op->precedence >= least;) {
      at_ += op->text.size();
      const Value right = binary(op->precedence + 1);
      if (op->text == "&&" || op->text == "||") {
        const int64_t decides = op->text == "||";
        const auto is = [](const Value& value, bool wanted) { return value && (*value != 0) == wanted; };
        if (is(left, decides != 0) || is(right, decides != 0))
          left = decides;
        else
          left = left && right ? Value(1 - decides) : Value();
      } else {
        left = left && right ? apply(op->text, *left, *right) : Value();
      }
    }
    return left;
  }

  Value unary() {
    if (take("!")) {
      const Value value = unary();
      return value ? Value(*value == 0) : Value();
    }
    if (take("~")) {
      const Value value = unary();
      return value ? Value(~*value) : Value();
    }
    if (take("-")) {
      const Value value = unary();
      return value && *value != INT64_MIN ? Value(-*value) : Value();
    }
    if (take("+")) return unary();
    if (take("(")) {
      const Value value = conditional();
      if (!take(")")) throw NotUnderstood();
      return value;
    }
    return word();
  }

  Value word() {
    skip_space();
    size_t end = at_;
    const auto part_of_word = [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '\'';
    };
    while (end < text_.size() && part_of_word(text_[end]))
      ++end;
    if (end == at_) throw NotUnderstood();
    std::string word(text_.substr(at_, end - at_));
    at_ = end;
    if (std::isdigit(static_cast<unsigned char>(word[0]))) return number(word);
    if (word == "true" || word == "false") return word == "true";
    skip_space();
    // A call, a template, a member, or a name in a namespace.
    if (at_ < text_.size() && (text_[at_] == '(' || text_[at_] == '.' || text_[at_] == '['))
      throw NotUnderstood();
    if (text_.substr(at_).starts_with("::")) throw NotUnderstood();
    const auto found = known_.find(word);
    return found == known_.end() ? Value() : Value(found->second);
  }

  static Value number(std::string word) {
    std::erase(word, '\'');
    while (!word.empty() && std::string_view("uUlLzZ").find(word.back()) != std::string_view::npos)
      word.pop_back();
    const int base = word.starts_with("0x") || word.starts_with("0X")   ? 16
                     : word.starts_with("0b") || word.starts_with("0B") ? 2
                     : word.size() > 1 && word[0] == '0'                ? 8
                                                                        : 10;
    const char* begin = word.data() + (base == 16 || base == 2 ? 2 : 0);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(begin, word.data() + word.size(), value, base);
    if (error != std::errc() || end != word.data() + word.size()) throw NotUnderstood();
    return value;
  }

  std::string_view text_;
  const Known& known_;
  size_t at_ = 0;
};

}  // namespace

std::optional<int64_t> evaluate(const std::string& expression, const Known& known) {
  try {
    return Reader(expression, known).whole();
  } catch (const NotUnderstood&) {
    return {};
  }
}

}  // namespace ridge::tune
