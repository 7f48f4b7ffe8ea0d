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
  std::string name = "OpenID";  // shown on the button
};

// The provider cannot be reached, or its answer is not trustworthy.
struct OpenIdError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// "" when the provider can be used; otherwise why not.
std::string complaint_about_provider(const OpenIdProvider& provider);

// A sign-in in progress: the values that the browser's cookie and the provider's answer must match.
struct OpenIdAttempt {
  std::string state, nonce, verifier;
  int64_t expires_ms = 0;
};
OpenIdAttempt new_attempt(int64_t now_ms);

struct OpenIdEndpoints {
  std::string authorization, token;
};
// Queries the provider. Throws OpenIdError.
OpenIdEndpoints discover(const OpenIdProvider& provider);

// The address to which the browser is redirected.
std::string authorization_url(const OpenIdProvider& provider, const OpenIdEndpoints& endpoints,
                              const OpenIdAttempt& attempt, const std::string& redirect_uri);

// Requests the ID token for a code from the provider. Throws OpenIdError.
std::string id_token_for(const OpenIdProvider& provider, const OpenIdEndpoints& endpoints,
                         const OpenIdAttempt& attempt, const std::string& code,
                         const std::string& redirect_uri);

// The verified e-mail address in an ID token, in lower case. The token came directly from the
// provider over TLS, which replaces checking its signature (Core, section 3.1.3.7, item 6); issuer,
// audience, nonce and time are checked here. Throws OpenIdError.
std::string email_in(const std::string& id_token, const OpenIdProvider& provider,
                     const OpenIdAttempt& attempt, int64_t now_ms);

// Encodes a value for a query or a form.
std::string url_encoded(const std::string& text);

}  // namespace ridge::leaderboard
