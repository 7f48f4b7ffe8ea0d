// Tokens in the database. A secret is looked up by its hash, so no comparison depends on the secret
// itself.
#include "leaderboard/access/tokens.h"

#include "leaderboard/access/secrets.h"

namespace ridge::leaderboard {

namespace {

const char* name_of_kind(TokenKind kind) {
  switch (kind) {
    case TokenKind::person:
      return "person";
    case TokenKind::worker:
      return "worker";
    case TokenKind::job:
      return "job";
    case TokenKind::board:
      return "board";
    case TokenKind::session:
      return "session";
    case TokenKind::sign_in:
      return "sign_in";
    case TokenKind::join:
      return "join";
  }
  return "";
}

constexpr const char* kValid =
    "t.expires_ms > ? AND t.revoked_ms IS NULL AND (t.uses_left IS NULL OR t.uses_left > 0)";

Role role_of(const std::string& kind, const std::string& person_role,
             const std::string& parent_kind) {
  if (kind == "worker" || kind == "job") return Role::worker;
  if (kind == "board" || parent_kind == "board") return Role::board;
  if (person_role == "instructor") return Role::instructor;
  if (person_role == "student") return Role::student;
  return Role::nobody;
}

Identity identify_kinds(Database& database, const std::string& secret, int64_t now_ms,
                        const std::string& kinds) {
  if (secret.empty() || secret.size() > 200) return {};
  const Rows rows = database.run(
      "SELECT t.id, t.kind, t.class_id, t.person_id, t.csrf, p.role, parent.kind FROM tokens t "
      "LEFT JOIN people p ON p.id = t.person_id LEFT JOIN tokens parent ON parent.id = t.parent_id "
      "WHERE t.hash = ? AND t.kind IN (" +
          kinds + ") AND " + kValid +
          " AND (t.person_id IS NULL OR p.deleted_ms IS NULL) AND parent.revoked_ms IS NULL "
          "AND (parent.id IS NULL OR parent.expires_ms > ?)",
      {hash_of_secret(secret), now_ms, now_ms});
  if (rows.empty()) return {};
  const Row& row = rows[0];
  return {role_of(row.text(1), row.text(5), row.text(6)),
          row.number(2),
          row.number(3),
          row.number(0),
          false,
          row.text(1) == "job",
          row.text(4)};
}

}  // namespace

const char* name_of(Role role) {
  switch (role) {
    case Role::nobody:
      return "nobody";
    case Role::student:
      return "student";
    case Role::instructor:
      return "instructor";
    case Role::worker:
      return "worker";
    case Role::board:
      return "board";
  }
  return "";
}

IssuedToken issue_token(Database& database, const NewToken& token) {
  const bool typed = token.kind == TokenKind::join || token.kind == TokenKind::sign_in;
  IssuedToken issued;
  issued.secret = typed ? new_code() : new_secret();
  if (token.kind == TokenKind::session) issued.csrf = new_secret();
  issued.id =
      database
          .run(
              "INSERT INTO tokens (hash, kind, class_id, person_id, parent_id, csrf, created_ms, expires_ms, "
              "uses_left) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
              {hash_of_secret(issued.secret), std::string(name_of_kind(token.kind)),
               value_of(token.class_id), value_of(token.person_id), value_of(token.parent_id),
               issued.csrf, token.now_ms, token.now_ms + token.lives_ms, value_of(token.uses)})[0]
          .number(0);
  return issued;
}

Identity identify(Database& database, const std::string& secret, int64_t now_ms) {
  return identify_kinds(database, secret, now_ms, "'person', 'worker', 'job', 'board'");
}

Identity identify_session(Database& database, const std::string& secret, int64_t now_ms) {
  Identity who = identify_kinds(database, secret, now_ms, "'session'");
  who.by_cookie = true;
  return who;
}

std::optional<CodeUse> use_code(Database& database, TokenKind kind, const std::string& code,
                                int64_t now_ms) {
  const Rows rows = database.run(
      "UPDATE tokens AS t SET uses_left = t.uses_left - 1 WHERE t.hash = ? AND t.kind = ? AND " +
          std::string(kValid) + " RETURNING id, class_id, person_id, parent_id",
      {hash_of_secret(code), std::string(name_of_kind(kind)), now_ms});
  if (rows.empty()) return std::nullopt;
  return CodeUse{rows[0].number(0), rows[0].number(1), rows[0].number_if_any(2),
                 rows[0].number_if_any(3)};
}

void revoke_tokens_of(Database& database, int64_t person_id, int64_t now_ms) {
  database.run("UPDATE tokens SET revoked_ms = ? WHERE person_id = ? AND revoked_ms IS NULL",
               {now_ms, person_id});
}

void revoke_token(Database& database, int64_t token_id, int64_t now_ms) {
  database.run(
      "UPDATE tokens SET revoked_ms = ? WHERE (id = ? OR parent_id = ?) AND revoked_ms IS NULL",
      {now_ms, token_id, token_id});
}

}  // namespace ridge::leaderboard
