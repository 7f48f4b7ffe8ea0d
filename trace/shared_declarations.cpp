#include "trace/shared_declarations.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <regex>

namespace ridge::trace {
namespace {

struct ElementType {
  std::string name;
  uint32_t bytes = 0;
};

const ElementType* element_type(const std::string& words) {
  static const std::map<std::string, ElementType> kTypes{
      {"float", {"float32", 4}},         {"double", {"float64", 8}},  {"int", {"int32", 4}},
      {"int32_t", {"int32", 4}},         {"unsigned", {"uint32", 4}}, {"unsigned int", {"uint32", 4}},
      {"uint32_t", {"uint32", 4}},       {"char", {"int8", 1}},       {"int8_t", {"int8", 1}},
      {"unsigned char", {"uint8", 1}},   {"uint8_t", {"uint8", 1}},   {"bool", {"bool", 1}},
      {"short", {"int16", 2}},           {"int16_t", {"int16", 2}},   {"uint16_t", {"uint16", 2}},
      {"unsigned short", {"uint16", 2}}, {"long long", {"int64", 8}}, {"int64_t", {"int64", 8}},
      {"uint64_t", {"uint64", 8}},       {"half", {"float16", 2}},    {"__half", {"float16", 2}},
      {"half2", {"half2", 4}},           {"__half2", {"half2", 4}},   {"__nv_bfloat16", {"bfloat16", 2}},
      {"nv_bfloat16", {"bfloat16", 2}},  {"bf16", {"bfloat16", 2}},   {"__nv_bfloat162", {"bfloat162", 4}},
      {"float2", {"float2", 8}},         {"float4", {"float4", 16}},  {"int4", {"int4", 16}},
      {"uint4", {"uint4", 16}},          {"std::byte", {"uint8", 1}}, {"__nv_fp8_e4m3", {"float8", 1}},
  };
  const auto found = kTypes.find(words);
  return found == kTypes.end() ? nullptr : &found->second;
}

// Evaluates expressions of numbers and named constants: kTile * 2 + 1.
class Expression {
 public:
  Expression(std::string_view text, const std::string& source) : text_(text), source_(source) {}
  std::optional<uint64_t> value(int depth = 0) {
    depth_ = depth;
    const std::optional<uint64_t> found = sum();
    skip();
    return text_.empty() ? found : std::nullopt;
  }

 private:
  void skip() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front())))
      text_.remove_prefix(1);
  }
  bool take(char wanted) {
    skip();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::optional<uint64_t> sum() {
    std::optional<uint64_t> left = product();
    while (left) {
      const bool plus = take('+');
      if (!plus && !take('-')) return left;
      const std::optional<uint64_t> right = product();
      if (!right || (!plus && *right > *left)) return std::nullopt;
      left = plus ? *left + *right : *left - *right;
    }
    return left;
  }
  std::optional<uint64_t> product() {
    std::optional<uint64_t> left = one();
    while (left) {
      const bool times = take('*');
      if (!times && !take('/')) return left;
      const std::optional<uint64_t> right = one();
      if (!right || (!times && *right == 0)) return std::nullopt;
      left = times ? *left * *right : *left / *right;
    }
    return left;
  }
  std::optional<uint64_t> one() {
    if (take('(')) {
      const std::optional<uint64_t> inside = sum();
      return take(')') ? inside : std::nullopt;
    }
    size_t length = 0;
    while (length < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[length])) || text_[length] == '_'))
      ++length;
    const std::string word(text_.substr(0, length));
    text_.remove_prefix(length);
    if (word.empty()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(word.front()))) {
      uint64_t number = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      return error == std::errc() && (*end == '\0' || *end == 'u' || *end == 'U') ? std::optional(number)
                                                                                  : std::nullopt;
    }
    return constant(word);
  }
  // Finds `constexpr int kTile = 32;` or `#define TILE 32`.
  std::optional<uint64_t> constant(const std::string& name) const {
    constexpr int kDeepest = 8;
    if (depth_ == kDeepest) return std::nullopt;
    std::smatch found;
    const std::regex assigned("\\b(?:constexpr|const)\\b[^;{}()]*\\b" + name + "\\s*=\\s*([^;,]+)[;,]");
    if (std::regex_search(source_, found, assigned)) {
      const std::string text = found[1];
      return Expression(text, source_).value(depth_ + 1);
    }
    const std::regex defined("#[ \\t]*define[ \\t]+" + name + "[ \\t]+([^\\n/]+)");
    if (!std::regex_search(source_, found, defined)) return std::nullopt;
    const std::string text = found[1];
    return Expression(text, source_).value(depth_ + 1);
  }

  std::string_view text_;
  const std::string& source_;
  int depth_ = 0;
};

std::string plain_type(std::string words) {
  static const std::regex kQualifier(
      "\\b(?:alignas|__align__)\\s*\\([^)]*\\)|\\b(?:static|extern|volatile|const|constexpr|inline)\\b");
  static const std::regex kSpaces("\\s+");
  words = std::regex_replace(std::regex_replace(words, kQualifier, " "), kSpaces, " ");
  words.erase(0, words.find_first_not_of(' '));
  words.erase(words.find_last_not_of(' ') + 1);
  return words;
}

// Parses "[kTile][kTile + 1]" and compares it with the array's size; empty when they disagree.
std::vector<uint64_t> extent_of(const std::string& brackets, uint64_t elements, const std::string& source) {
  std::vector<uint64_t> extent;
  uint64_t product = 1;
  size_t unknown = 0, unknown_at = 0;
  for (size_t open = brackets.find('['); open != std::string::npos; open = brackets.find('[', open + 1)) {
    const size_t close = brackets.find(']', open);
    const auto length =
        Expression(std::string_view(brackets).substr(open + 1, close - open - 1), source).value();
    if (!length || *length == 0) {
      ++unknown;
      unknown_at = extent.size();
    } else if (*length > elements / product) {
      return {};
    }
    extent.push_back(length.value_or(0));
    if (length && *length != 0) product *= *length;
  }
  if (unknown > 1 || extent.empty() || elements % product != 0) return {};
  if (unknown == 1) {
    extent[unknown_at] = elements / product;
    product = elements;
  }
  return product == elements ? extent : std::vector<uint64_t>{};
}

// Parses `__shared__ TYPE a[..], b[..];`: the words before the first name, and the brackets of each
// name.
bool declared(const std::string& source, const std::string& name, std::string& type, std::string& brackets) {
  static const std::regex kDeclaration("__shared__([^;{}]*);");
  static const std::regex kDeclarator("([A-Za-z_]\\w*)\\s*((?:\\[[^\\]]*\\]\\s*)*)\\s*(?:,|$)");
  for (std::sregex_iterator at(source.begin(), source.end(), kDeclaration), end; at != end; ++at) {
    const std::string words = (*at)[1];
    std::sregex_iterator declarator(words.begin(), words.end(), kDeclarator), none;
    if (declarator == none) continue;
    type = plain_type(words.substr(0, static_cast<size_t>(declarator->position())));
    for (; declarator != none; ++declarator) {
      if ((*declarator)[1] != name) continue;
      brackets = (*declarator)[2];
      return true;
    }
  }
  return false;
}

// Sets the shape from the declaration of `name` in one source; false when it is not declared there.
bool shape(TraceArray& array, const std::string& source, const std::string& constants) {
  std::string type, brackets;
  if (!declared(source, array.name, type, brackets)) return false;
  const ElementType* const element = element_type(type);
  if (element == nullptr || array.bytes % element->bytes != 0) return true;
  array.type = element->name;
  array.element_bytes = element->bytes;
  const uint64_t elements = array.bytes / element->bytes;
  array.extent =
      brackets.empty() ? std::vector<uint64_t>{elements} : extent_of(brackets, elements, constants);
  return true;
}

}  // namespace

void shape_shared_arrays(std::vector<TraceArray>& arrays, const std::vector<TraceSource>& sources) {
  // Constants may be defined in a header of the same lab; those of the toolkit are too long to
  // search.
  constexpr size_t kLongestHeader = 1 << 16;
  std::string headers;
  for (const TraceSource& source : sources)
    if (source.text.size() <= kLongestHeader) headers += source.text;
  for (TraceArray& array : arrays) {
    if (array.space != RecordSpace::shared || array.element_bytes != 0) continue;
    for (const TraceSource& source : sources)
      if (shape(array, source.text, source.text + "\n" + headers)) break;
  }
}

}  // namespace ridge::trace
