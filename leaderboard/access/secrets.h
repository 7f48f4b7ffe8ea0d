// Secrets: 256 random bits, shown once and stored as a hash.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ridge::leaderboard {

// 43 characters of base64url. Throws std::runtime_error when the system provides no random bytes.
std::string new_secret();
// For typing: 20 characters in groups of five, 100 bits; issued with a limit of uses and a time
// limit.
std::string new_code();
// BLAKE2b, 64 hexadecimal digits: the form stored in the database.
std::string hash_of_secret(std::string_view secret);
bool same_secret(std::string_view a,
                 std::string_view b);               // in constant time
std::string random_seed();                          // 16 hexadecimal digits
std::string sha256_for_url(std::string_view text);  // in base64url, as PKCE requires
std::string base64_of(std::string_view bytes);
// No value for invalid base64. `for_urls`: with - and _ and without padding, as in a JSON Web
// Token.
std::optional<std::string> from_base64(std::string_view text, bool for_urls = false);

}  // namespace ridge::leaderboard
