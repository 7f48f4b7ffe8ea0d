// Secrets, using libsodium.
#include "leaderboard/access/secrets.h"

#include <sodium.h>

#include <array>
#include <stdexcept>

namespace ridge::leaderboard {

namespace {

void start_sodium() {
  static const int started = sodium_init();
  if (started < 0)
    throw std::runtime_error("libsodium could not start: the system gives no random bytes");
}

std::string hex_of(const unsigned char* bytes, size_t count) {
  std::string text(2 * count + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes, count);
  text.pop_back();
  return text;
}

}  // namespace

std::string new_secret() {
  start_sodium();
  std::array<unsigned char, 32> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  std::string text(
      sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(),
                    sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  text.resize(text.find('\0') == text.npos ? text.size() : text.find('\0'));
  return text;
}

std::string sha256_for_url(std::string_view text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  std::string result(sodium_base64_ENCODED_LEN(hash.size(), kVariant), '\0');
  sodium_bin2base64(result.data(), result.size(), hash.data(), hash.size(), kVariant);
  result.pop_back();  // the final zero byte
  return result;
}

std::string base64_of(std::string_view bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  text.pop_back();  // the final zero byte
  return text;
}

std::optional<std::string> from_base64(std::string_view text, bool for_urls) {
  const int variant =
      for_urls ? sodium_base64_VARIANT_URLSAFE_NO_PADDING : sodium_base64_VARIANT_ORIGINAL;
  std::string bytes(text.size(), '\0');
  size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, nullptr, variant) != 0)
    return std::nullopt;
  bytes.resize(size);
  return bytes;
}

std::string new_code() {
  start_sodium();
  constexpr std::string_view kLetters =
      "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";  // no letters that look alike
  std::string code;
  for (int i = 0; i < 20; ++i) {
    if (i > 0 && i % 5 == 0) code += '-';
    code += kLetters[randombytes_uniform(static_cast<uint32_t>(kLetters.size()))];
  }
  return code;
}

std::string hash_of_secret(std::string_view secret) {
  start_sodium();
  std::array<unsigned char, 32> hash;
  crypto_generichash(hash.data(), hash.size(),
                     reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), nullptr,
                     0);
  return hex_of(hash.data(), hash.size());
}

bool same_secret(std::string_view a, std::string_view b) {
  start_sodium();
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_seed() {
  start_sodium();
  std::array<unsigned char, 8> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  return hex_of(bytes.data(), bytes.size());
}

}  // namespace ridge::leaderboard
