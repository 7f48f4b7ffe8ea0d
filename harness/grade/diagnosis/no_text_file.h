// Recognises files that are not source text, before a compiler prints their bytes.
#pragma once

#include <optional>
#include <string_view>

#include "harness/grade/findings/outcome.h"

namespace ridge::grade {

// COMPILE ERROR for a file in UTF-16, or with bytes of value 0; nullopt for text, UTF-8 included.
std::optional<Outcome> no_text_file(std::string_view source);

}  // namespace ridge::grade
