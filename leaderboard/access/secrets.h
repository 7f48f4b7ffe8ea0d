// Secrets: 256 random bits, told once and stored as a hash.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ridge::leaderboard {

// 43 characters of base64url. Throws std::runtime_error when the system gives no random bytes.
std::string new_secret();
// For a person to type: 20 characters in groups of five, 100 bits; told with a limit of uses and a
// time limit.
std::string new_code();
// BLAKE2b, 64 hexadecimal digits: what the database holds.
std::string hash_of_secret(std::string_view secret);
bool same_secret(std::string_view a,
                 std::string_view b);               // takes the same time wherever they differ
std::string random_seed();                          // 16 hexadecimal digits
std::string sha256_for_url(std::string_view text);  // in base64url, as PKCE has it
std::string base64_of(std::string_view bytes);
// None for what is no base64. `for_urls`: with - and _ and no padding, as in a JSON Web Token.
std::optional<std::string> from_base64(std::string_view text, bool for_urls = false);

}  // namespace ridge::leaderboard
