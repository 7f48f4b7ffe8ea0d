// Signing in through the class's OpenID provider: two addresses that the browser visits. Both end
// in a redirect.
#include "leaderboard/access/openid.h"

#include <fmt/format.h>

#include "leaderboard/access/secrets.h"
#include "leaderboard/access/tokens.h"
#include "leaderboard/api/handlers.h"
#include "leaderboard/store/events.h"

namespace ridge::leaderboard::handlers {

namespace {

constexpr const char* kCookie = "ridge_openid";

Response redirect(const std::string& address) {
  Response response{302, ""};
  response.headers.emplace_back("Location", address);
  return response;
}

// The sign-in page shows a text for the reason.
Response refused(const App& app, const std::string& reason) {
  return redirect(fmt::format("{}/#/sign-in-failed/{}", app.options().public_url, reason));
}

// SameSite=Lax, because the provider sends the browser back from another site.
std::string cookie(const App& app, const std::string& state, int64_t lives_s) {
  return fmt::format("{}={}; Path=/api/v1/openid; Max-Age={}; HttpOnly; SameSite=Lax{}", kCookie,
                     state, lives_s, app.options().secure_cookies ? "; Secure" : "");
}

std::string redirect_uri(const App& app) {
  return app.options().public_url + "/api/v1/openid/callback";
}

const OpenIdProvider& provider_of(const App& app) {
  if (!app.options().openid)
    throw ApiError{404, "this server has no OpenID provider",
                   "Sign in with a code: `ridge class sign-in`."};
  return *app.options().openid;
}

std::string query(const Call& call, const char* name) {
  const auto found = call.request.query.find(name);
  return found == call.request.query.end() ? "" : found->second;
}

// A new session's secret for the person with this e-mail address (in several classes: an instructor
// before a student, then the newest); "" when there is none.
std::string session_for(App& app, Database& database, const std::string& email) {
  const int64_t now_ms = app.now_ms();
  const Rows rows = database.run(
      "SELECT id, class_id FROM people WHERE lower(email) = ? AND email <> '' AND deleted_ms IS NULL ORDER BY role = "
      "'instructor' DESC, id DESC LIMIT 1",
      {email});
  if (rows.empty()) return "";
  const int64_t person = rows[0].number(0), class_id = rows[0].number(1);
  std::string secret;
  app.change([&](std::vector<Change>&) {
    secret = issue_token(database,
                         {TokenKind::session, class_id, person, {}, now_ms, kSessionLivesMs, {}})
                 .secret;
    database.run("UPDATE people SET joined_ms = coalesce(joined_ms, ?) WHERE id = ?",
                 {now_ms, person});
    log_event(database, {now_ms, class_id, "signed_in.openid", "server", 0, person, ""});
  });
  return secret;
}

}  // namespace

Response begin_openid(Call& call) {
  App& app = call.app;
  const OpenIdProvider provider = provider_of(app);
  // Every request queries the provider, so limit them: nobody may use this server to flood it.
  if (const int seconds = app.openid_limit().take(call.request.peer, call.now_ms))
    throw ApiError{429, "too many sign-ins from this address",
                   fmt::format("Try again in {} s.", seconds), seconds};
  const auto attempt = std::make_shared<OpenIdAttempt>(new_attempt(call.now_ms));
  const auto endpoints = std::make_shared<OpenIdEndpoints>();
  const auto trouble = std::make_shared<std::string>();
  Response response;
  response.background = {
      [=](Database&) {
        try {
          *endpoints = discover(provider);
        } catch (const OpenIdError& error) {
          *trouble = error.what();
        }
      },
      [=, &app] {
        if (!trouble->empty()) {
          app.report_trouble(*trouble);
          return refused(app, "provider");
        }
        app.openid_attempts().add(*attempt, app.now_ms());
        Response sent =
            redirect(authorization_url(provider, *endpoints, *attempt, redirect_uri(app)));
        sent.headers.emplace_back("Set-Cookie", cookie(app, attempt->state, 600));
        return sent;
      },
      Background::Kind::questions};
  return response;
}

Response finish_openid(Call& call) {
  App& app = call.app;
  const OpenIdProvider provider = provider_of(app);
  const std::string state = query(call, "state"), code = query(call, "code");
  const bool same_browser =
      !state.empty() && same_secret(cookie_in(call.request.header("cookie"), kCookie), state);
  const auto attempt = same_browser ? app.openid_attempts().take(state, call.now_ms) : std::nullopt;
  if (!attempt) return refused(app, "expired");
  if (code.empty()) return refused(app, "declined");
  const auto email = std::make_shared<std::string>();
  const auto trouble = std::make_shared<std::string>();
  Response response;
  response.background = {[=, now_ms = call.now_ms, uri = redirect_uri(app)](Database&) {
                           try {
                             const std::string token =
                                 id_token_for(provider, discover(provider), *attempt, code, uri);
                             *email = email_in(token, provider, *attempt, now_ms);
                           } catch (const OpenIdError& error) {
                             *trouble = error.what();
                           }
                         },
                         [=, &app, &database = call.database] {
                           if (!trouble->empty()) {
                             app.report_trouble(*trouble);
                             return refused(app, "provider");
                           }
                           const std::string session = session_for(app, database, *email);
                           if (session.empty()) return refused(app, "unknown");
                           Response sent = redirect(app.options().public_url + "/");
                           sent.headers.emplace_back(
                               "Set-Cookie", session_cookie(app, session, kSessionLivesMs / 1000));
                           sent.headers.emplace_back("Set-Cookie", cookie(app, "", 0));
                           return sent;
                         },
                         Background::Kind::questions};
  return response;
}

}  // namespace ridge::leaderboard::handlers
