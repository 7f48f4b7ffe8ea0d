// Identifies the caller of a request: tokens, sessions and codes in the database.
#pragma once

#include <optional>
#include <string>

#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

enum class Role { nobody, student, instructor, worker, board };
const char* name_of(Role role);

struct Identity {
  Role role = Role::nobody;
  int64_t class_id = 0, person_id = 0, token_id = 0;
  bool by_cookie = false;
  bool for_one_job = false;  // a worker that runs as one job of a batch system
  std::string csrf;          // for a session
};

// Kinds of tokens. A session and a one-time sign-in code act for their person (or board link); a
// join code creates a student.
enum class TokenKind { person, worker, job, board, session, sign_in, join };

struct NewToken {
  TokenKind kind = TokenKind::person;
  std::optional<int64_t> class_id = {}, person_id = {}, parent_id = {};
  int64_t now_ms = 0, lives_ms = 0;
  std::optional<int64_t> uses = {};  // none: no limit
};

struct IssuedToken {
  int64_t id = 0;
  std::string secret, csrf;
};

inline constexpr int64_t kMinuteMs = 60'000, kHourMs = 60 * kMinuteMs, kDayMs = 24 * kHourMs;
inline constexpr int64_t kPersonTokenLivesMs = 300 * kDayMs, kSessionLivesMs = 14 * kDayMs,
                         kSignInCodeLivesMs = 10 * kMinuteMs;

IssuedToken issue_token(Database& database, const NewToken& token);

// Nobody for a secret that is unknown, expired, revoked or used up, or whose parent is revoked.
Identity identify(Database& database, const std::string& secret, int64_t now_ms);
Identity identify_session(Database& database, const std::string& secret, int64_t now_ms);

struct CodeUse {
  int64_t token_id = 0, class_id = 0;
  std::optional<int64_t> person_id, parent_id;
};
// Takes one use of a join or sign-in code; no value when there is none left.
std::optional<CodeUse> use_code(Database& database, TokenKind kind, const std::string& code,
                                int64_t now_ms);

void revoke_tokens_of(Database& database, int64_t person_id, int64_t now_ms);
void revoke_token(Database& database, int64_t token_id, int64_t now_ms);

}  // namespace ridge::leaderboard
