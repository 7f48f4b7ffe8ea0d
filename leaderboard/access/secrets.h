// Secrets: 256 random bits, told once and stored as a hash.
#pragma once

#include <string>
#include <string_view>

namespace ridge::leaderboard {

// 43 characters of base64url. Throws std::runtime_error when the system gives no random bytes.
std::string new_secret();
// For a person to type: 20 characters in groups of five, 100 bits; told with a limit of uses and a time limit.
std::string new_code();
// BLAKE2b, 64 hexadecimal digits: what the database holds.
std::string hash_of_secret(std::string_view secret);
bool same_secret(std::string_view a,
                 std::string_view b);  // takes the same time wherever they differ
std::string random_seed();             // 16 hexadecimal digits

}  // namespace ridge::leaderboard
