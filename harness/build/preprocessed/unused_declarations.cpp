#include "harness/build/preprocessed/unused_declarations.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "harness/build/preprocessed/declarations.h"

namespace ridge::build {
namespace {

// What the language and what nvcc adds look up without the file naming it. The comparison categories are
// missing: they name half of <algorithm>, and a file with a <=> of its own is compiled with all headers.
constexpr std::string_view kImplied =
    "initializer_list type_info bad_alloc align_val_t nothrow_t size_t ptrdiff_t nullptr_t source_location "
    "bad_typeid bad_cast dim3 uint3 cudaStream_t cudaError_t cudaConfigureCall cudaLaunchKernel "
    "__cudaPushCallConfiguration cudaGetParameterBuffer cudaGetParameterBufferV2 cudaLaunchDevice "
    "cudaLaunchDeviceV2 vprintf __assert_fail malloc free memcpy memset memmove memcmp abort exit";

// "# 12 "file" 1 3" gives "file".
std::string_view file_of(std::string_view marker) {
  const size_t open = marker.find('"'), close = marker.rfind('"');
  return open < close ? marker.substr(open + 1, close - open - 1) : std::string_view();
}

// "# 12 "file" 1 3 4": the 3 says that it is the system's.
bool is_of_system(std::string_view marker) {
  return marker.find(" 3", marker.rfind('"')) != std::string_view::npos;
}

bool is_marker(std::string_view directive) {
  return directive.size() > 2 && directive[1] == ' ' && directive[2] >= '0' && directive[2] <= '9';
}

class Sieve {
 public:
  Sieve(const Tokens& tokens, std::vector<Declaration> declarations)
      : tokens_(tokens),
        declarations_(std::move(declarations)),
        used_(tokens.names.size()),
        kept_(declarations_.size()),
        by_name_(tokens.names.size()) {}

  // `in_header`: by token. What is outside of declarations there only opens and closes namespaces.
  void keep_outside(const std::vector<bool>& in_header) {
    size_t next = 0;
    for (size_t i = 0; i < declarations_.size(); ++i) {
      const Declaration& one = declarations_[i];
      for (; next < one.first; ++next)
        if (!in_header[next]) use(next);
      next = one.end;
      if (one.always || !in_header[one.first] || !in_header[one.end - 1])
        keep(i);
      else
        for (const uint32_t name : one.names)
          by_name_[name].push_back(static_cast<uint32_t>(i));
    }
    for (; next < tokens_.all.size(); ++next)
      if (!in_header[next]) use(next);
  }

  void use_words(std::string_view text) {
    for (const std::string_view name : tokens_of(text).names)
      if (const auto found = tokens_.numbers.find(name); found != tokens_.numbers.end()) use_name(found->second);
  }

  void spread() {
    while (!waiting_.empty()) {
      const uint32_t name = waiting_.back();
      waiting_.pop_back();
      for (const uint32_t declaration : by_name_[name])
        keep(declaration);
    }
  }

  std::string text() const {
    std::string left(tokens_.text);
    for (size_t i = 0; i < declarations_.size(); ++i)
      if (!kept_[i]) blank(left, declarations_[i]);
    return left;
  }

 private:
  void use_name(uint32_t name) {
    if (used_[name]) return;
    used_[name] = true;
    waiting_.push_back(name);
  }
  void use(size_t token) {
    if (tokens_.is_name(token)) use_name(tokens_.all[token].name);
  }
  void keep(size_t declaration) {
    if (kept_[declaration]) return;
    kept_[declaration] = true;
    for (uint32_t i = declarations_[declaration].first; i < declarations_[declaration].end; ++i)
      use(i);
  }

  // Line ends and line markers stay.
  void blank(std::string& text, const Declaration& declaration) const {
    for (uint32_t i = declaration.first; i < declaration.end; ++i) {
      const Token& token = tokens_.all[i];
      if (token.kind == TokenKind::directive && is_marker(tokens_.of(i))) continue;
      for (size_t at = token.at; at < token.at + token.size; ++at)
        if (text[at] != '\n') text[at] = ' ';
    }
  }

  const Tokens& tokens_;
  std::vector<Declaration> declarations_;
  std::vector<bool> used_, kept_;
  std::vector<std::vector<uint32_t>> by_name_;
  std::vector<uint32_t> waiting_;
};

// Lines of blanks only take time to read.
std::string without_trailing_blanks(const std::string& text) {
  std::string shorter;
  shorter.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    size_t last = end;
    while (last > at && text[last - 1] == ' ')
      --last;
    shorter.append(text, at, last - at);
    if (end < text.size()) shorter += '\n';
    at = end + 1;
  }
  return shorter;
}

}  // namespace

std::string toolkit_headers_of(std::string_view preprocessed) {
  constexpr std::string_view kHeader = "/cuda_runtime.h\"";
  const size_t end = preprocessed.find(kHeader);
  if (end == std::string_view::npos) return "";
  const size_t quote = preprocessed.rfind('"', end - 1);
  return std::string(preprocessed.substr(quote + 1, end - quote));
}

std::string without_unused_declarations(std::string_view preprocessed,
                                        std::string_view toolkit_headers,
                                        std::string_view also_used) {
  const Tokens tokens = tokens_of(preprocessed);
  std::optional<std::vector<Declaration>> declarations = declarations_of(tokens);
  if (!declarations) return std::string(preprocessed);
  std::vector<bool> in_header(tokens.all.size());
  bool inside = false;
  for (size_t i = 0; i < tokens.all.size(); ++i) {
    if (tokens.all[i].kind == TokenKind::directive && is_marker(tokens.of(i)))
      inside = is_of_system(tokens.of(i)) ||
               (!toolkit_headers.empty() && file_of(tokens.of(i)).starts_with(toolkit_headers));
    in_header[i] = inside;
  }
  Sieve sieve(tokens, std::move(*declarations));
  sieve.keep_outside(in_header);
  sieve.use_words(kImplied);
  sieve.use_words(also_used);
  sieve.spread();
  return without_trailing_blanks(sieve.text());
}

}  // namespace ridge::build
