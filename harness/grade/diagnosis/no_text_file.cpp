#include "harness/grade/diagnosis/no_text_file.h"

#include <algorithm>

namespace ridge::grade {

std::optional<Outcome> no_text_file(std::string_view source) {
  const size_t zero = source.find('\0');
  if (zero == std::string_view::npos) return std::nullopt;
  if (source.starts_with("\xff\xfe") || source.starts_with("\xfe\xff"))
    return outcome_with({"compile_error.utf16", {}});
  return outcome_with({"compile_error.no_text",
                       {{"byte", zero + 1}, {"line", 1 + std::count(source.begin(), source.begin() + zero, '\n')}}});
}

}  // namespace ridge::grade
