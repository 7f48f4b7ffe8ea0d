// Signs people in through an OpenID Connect provider: the authorization code flow with PKCE (OpenID
// Connect Core 1.0, section 3.1; RFC 7636).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace ridge::leaderboard {

struct OpenIdProvider {
  std::string issuer;  // "https://login.example.org"; http only on this machine, for tests
  std::string client_id, client_secret;
  std::string name = "OpenID";  // on the button
};

// The provider cannot be reached, or what it says is not to be trusted.
struct OpenIdError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// "" when a provider may be used; else why not.
std::string complaint_about_provider(const OpenIdProvider& provider);

// One sign-in under way: what the browser's cookie and the provider's answer must match.
struct OpenIdAttempt {
  std::string state, nonce, verifier;
  int64_t expires_ms = 0;
};
OpenIdAttempt new_attempt(int64_t now_ms);

struct OpenIdEndpoints {
  std::string authorization, token;
};
// Asks the provider. Throws OpenIdError.
OpenIdEndpoints discover(const OpenIdProvider& provider);

// Where the browser is sent.
std::string authorization_url(const OpenIdProvider& provider, const OpenIdEndpoints& endpoints,
                              const OpenIdAttempt& attempt, const std::string& redirect_uri);

// Asks the provider for the ID token that a code stands for. Throws OpenIdError.
std::string id_token_for(const OpenIdProvider& provider, const OpenIdEndpoints& endpoints,
                         const OpenIdAttempt& attempt, const std::string& code,
                         const std::string& redirect_uri);

// The verified e-mail address of an ID token, in lower case. The token came from the provider
// itself over TLS, which stands in for its signature (Core, section 3.1.3.7, item 6); issuer,
// audience, nonce and time are checked here. Throws OpenIdError.
std::string email_in(const std::string& id_token, const OpenIdProvider& provider,
                     const OpenIdAttempt& attempt, int64_t now_ms);

// Of a query or a form.
std::string url_encoded(const std::string& text);

}  // namespace ridge::leaderboard
