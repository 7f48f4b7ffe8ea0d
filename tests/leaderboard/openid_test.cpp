// What is believed of an OpenID provider's answers.
#include "leaderboard/access/openid.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "leaderboard/access/openid_attempts.h"
#include "leaderboard/access/secrets.h"
#include "tests/catch.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

constexpr int64_t kNowMs = 1'800'000'000'000;
const OpenIdProvider kProvider{"https://login.example.org", "ridge", "secret", "Login"};

std::string token_of(const json& claims) {
  std::string payload = base64_of(claims.dump());
  for (char& letter : payload)
    letter = letter == '+' ? '-' : letter == '/' ? '_' : letter;
  return "e30." + payload.substr(0, payload.find('=')) + ".c2ln";
}

json good_claims(const OpenIdAttempt& attempt) {
  return {{"iss", kProvider.issuer},    {"aud", "ridge"},
          {"nonce", attempt.nonce},     {"exp", kNowMs / 1000 + 300},
          {"email", "Ada@Example.org"}, {"email_verified", true}};
}

}  // namespace

TEST_CASE("an ID token gives its verified address in lower case") {
  const OpenIdAttempt attempt = new_attempt(kNowMs);
  CHECK(email_in(token_of(good_claims(attempt)), kProvider, attempt, kNowMs) == "ada@example.org");
  json claims = good_claims(attempt);
  claims["aud"] = {"other", "ridge"};
  CHECK(email_in(token_of(claims), kProvider, attempt, kNowMs) == "ada@example.org");
}

TEST_CASE(
    "an ID token of another provider, site, sign-in or time, or without a verified address, is refused") {
  const OpenIdAttempt attempt = new_attempt(kNowMs);
  const std::pair<const char*, json> changes[] = {{"iss", "https://evil.example.org"},
                                                  {"iss", nullptr},
                                                  {"aud", "other"},
                                                  {"aud", json::array()},
                                                  {"aud", nullptr},
                                                  {"nonce", "another"},
                                                  {"nonce", nullptr},
                                                  {"nonce", 5},
                                                  {"exp", kNowMs / 1000 - 120},
                                                  {"exp", "soon"},
                                                  {"exp", nullptr},
                                                  {"email", nullptr},
                                                  {"email", 7},
                                                  {"email_verified", false},
                                                  {"email_verified", nullptr}};
  for (const auto& [key, value] : changes) {
    json claims = good_claims(attempt);
    claims[key] = value;
    INFO(claims.dump());
    CHECK_THROWS_AS(email_in(token_of(claims), kProvider, attempt, kNowMs), OpenIdError);
  }
  for (const char* token : {"", "a", "a.b", "a.b.c", "..", "e30.bm8ganNvbg.x"})
    CHECK_THROWS_AS(email_in(token, kProvider, attempt, kNowMs), OpenIdError);
}

TEST_CASE("a sign-in that began works once and for ten minutes") {
  OpenIdAttempts attempts;
  const OpenIdAttempt first = new_attempt(kNowMs), second = new_attempt(kNowMs);
  attempts.add(first, kNowMs);
  attempts.add(second, kNowMs);
  CHECK(attempts.take(first.state, kNowMs).value().verifier == first.verifier);
  CHECK_FALSE(attempts.take(first.state, kNowMs).has_value());
  CHECK_FALSE(attempts.take(second.state, kNowMs + 10 * 60'000).has_value());
  CHECK_FALSE(attempts.take("", kNowMs).has_value());
}

TEST_CASE("a provider needs TLS, but on this machine") {
  CHECK(complaint_about_provider(kProvider).empty());
  CHECK(complaint_about_provider({"http://127.0.0.1:9", "c", "s"}).empty());
  for (const char* issuer :
       {"", "http://login.example.org", "http://127.0.0.1.example.org", "ftp://x"})
    CHECK_FALSE(complaint_about_provider({issuer, "c", "s"}).empty());
  CHECK_FALSE(complaint_about_provider({"https://x", "", "s"}).empty());
}

TEST_CASE("PKCE's challenge is that of RFC 7636, appendix B") {
  CHECK(sha256_for_url("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") ==
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

}  // namespace ridge::leaderboard
