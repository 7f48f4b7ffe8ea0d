// The requests to the provider, and the checks of its answers.
#include "leaderboard/access/openid.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "leaderboard/access/secrets.h"
#include "leaderboard/client/http_client.h"

namespace ridge::leaderboard {

namespace {

using nlohmann::json;

constexpr int64_t kAttemptLivesMs = 10 * 60'000, kClockSkewMs = 60'000;
constexpr double kLimitSeconds = 10;

bool is_secure(const std::string& url) {
  return url.starts_with("https://") || url.starts_with("http://127.0.0.1:") ||
         url.starts_with("http://localhost:");
}

json answer_to(const HttpQuestion& question) {
  try {
    const HttpAnswer answer = ask(question);
    json body = json::parse(answer.body, nullptr, false);
    if (answer.status == 200 && body.is_object()) return body;
    throw OpenIdError(fmt::format("the sign-in provider answers {}", answer.status));
  } catch (const HttpError& error) {
    throw OpenIdError(fmt::format("the sign-in provider does not answer: {}", error.what()));
  }
}

std::string text_in(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    throw OpenIdError(fmt::format("the sign-in provider's answer lacks \"{}\"", key));
  return found->get<std::string>();
}

bool is_for(const json& audience, const std::string& client) {
  if (audience.is_string()) return audience == client;
  return audience.is_array() &&
         std::find(audience.begin(), audience.end(), client) != audience.end();
}

}  // namespace

std::string url_encoded(const std::string& text) {
  std::string result;
  for (const unsigned char letter : text) {
    const bool plain =
        (letter < 128 && std::isalnum(letter)) ||
        std::string_view("-._~").find(static_cast<char>(letter)) != std::string_view::npos;
    result += plain ? std::string(1, static_cast<char>(letter)) : fmt::format("%{:02X}", letter);
  }
  return result;
}

std::string complaint_about_provider(const OpenIdProvider& provider) {
  if (provider.issuer.empty() || provider.client_id.empty() || provider.client_secret.empty())
    return "\"issuer\", \"client_id\" and \"client_secret\" are needed";
  if (!is_secure(provider.issuer)) return "\"issuer\" must begin with https://";
  return "";
}

OpenIdAttempt new_attempt(int64_t now_ms) {
  return {new_secret(), new_secret(), new_secret(), now_ms + kAttemptLivesMs};
}

OpenIdEndpoints discover(const OpenIdProvider& provider) {
  std::string issuer = provider.issuer;
  while (issuer.ends_with('/'))
    issuer.pop_back();
  const json found =
      answer_to({"GET", issuer + "/.well-known/openid-configuration", "", "", kLimitSeconds});
  if (text_in(found, "issuer") != provider.issuer)
    throw OpenIdError("the sign-in provider reports another address than \"issuer\"");
  OpenIdEndpoints endpoints{text_in(found, "authorization_endpoint"),
                            text_in(found, "token_endpoint")};
  if (!is_secure(endpoints.authorization) || !is_secure(endpoints.token))
    throw OpenIdError("the sign-in provider's addresses are not https");
  return endpoints;
}

std::string authorization_url(const OpenIdProvider& provider, const OpenIdEndpoints& endpoints,
                              const OpenIdAttempt& attempt, const std::string& redirect_uri) {
  const char joint = endpoints.authorization.find('?') == std::string::npos ? '?' : '&';
  return fmt::format(
      "{}{}response_type=code&scope={}&client_id={}&redirect_uri={}&state={}&nonce={}&code_challenge={}&code_challenge_"
      "method=S256",
      endpoints.authorization, joint, url_encoded("openid email"), url_encoded(provider.client_id),
      url_encoded(redirect_uri), attempt.state, attempt.nonce, sha256_for_url(attempt.verifier));
}

std::string id_token_for(const OpenIdProvider& provider, const OpenIdEndpoints& endpoints,
                         const OpenIdAttempt& attempt, const std::string& code,
                         const std::string& redirect_uri) {
  const std::string form = fmt::format(
      "grant_type=authorization_code&code={}&redirect_uri={}&client_id={}&client_secret={}&code_verifier={}",
      url_encoded(code), url_encoded(redirect_uri), url_encoded(provider.client_id),
      url_encoded(provider.client_secret), attempt.verifier);
  return text_in(answer_to({"POST", endpoints.token, "", form, kLimitSeconds,
                            "application/x-www-form-urlencoded"}),
                 "id_token");
}

std::string email_in(const std::string& id_token, const OpenIdProvider& provider,
                     const OpenIdAttempt& attempt, int64_t now_ms) {
  const size_t first = id_token.find('.');
  const size_t second = first == id_token.npos ? first : id_token.find('.', first + 1);
  const auto payload = second == id_token.npos
                           ? std::nullopt
                           : from_base64(id_token.substr(first + 1, second - first - 1), true);
  const json claims = payload ? json::parse(*payload, nullptr, false) : json();
  if (!claims.is_object()) throw OpenIdError("the sign-in provider's token cannot be read");
  if (text_in(claims, "iss") != provider.issuer)
    throw OpenIdError("the token is from another provider");
  if (!is_for(claims.value("aud", json()), provider.client_id))
    throw OpenIdError("the token is for another site");
  if (!same_secret(claims.value("nonce", json("")).is_string() ? text_in(claims, "nonce") : "",
                   attempt.nonce))
    throw OpenIdError("the token belongs to another sign-in");
  const json expires = claims.value("exp", json());
  if (!expires.is_number() ||
      expires.get<double>() * 1000 + kClockSkewMs < static_cast<double>(now_ms))
    throw OpenIdError("the token is too old");
  const json verified = claims.value("email_verified", json(false));
  if (verified != true && verified != "true")
    throw OpenIdError("the sign-in provider has not verified the e-mail address");
  std::string email = text_in(claims, "email");
  std::transform(email.begin(), email.end(), email.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return email;
}

}  // namespace ridge::leaderboard
