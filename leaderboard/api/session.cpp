// Signing in to and out of the pages, and joining a class.
#include <fmt/format.h>

#include "leaderboard/api/handlers.h"
#include "leaderboard/boards/board.h"

namespace ridge::leaderboard::handlers {

namespace {

using nlohmann::json;

void take_sign_in_try(Call& call) {
  if (const int seconds = call.app.sign_in_limit().take(call.request.peer, call.now_ms))
    throw ApiError{429, "too many tries to sign in from this address",
                   fmt::format("Try again in {} s.", seconds), seconds};
}

// Only failures count, because a whole class may join from one address.
void was_no_failure(Call& call) {
  call.app.sign_in_limit().give_back(call.request.peer);
}

std::string one_line(std::string text, const char* what) {
  if (text.find_first_of("\r\n\t") != text.npos)
    throw ApiError{400, fmt::format("{} must be one line", what)};
  return text;
}

json described(Call& call, const Identity& who) {
  json answer = {{"role", name_of(who.role)},
                 {"csrf", who.csrf},
                 {"unsafe", call.app.options().unsafe_note},
                 {"demo", call.app.options().demo}};
  if (call.app.options().openid) answer["openid"] = call.app.options().openid->name;
  if (const auto owner = who.class_id ? find_class(call.database, who.class_id) : std::nullopt)
    answer["class"] = owner->name;
  if (const auto person = who.person_id ? find_person(call.database, who.person_id) : std::nullopt)
    answer["person"] = {{"id", person->id},
                        {"name", person->name},
                        {"nickname", person->nickname},
                        {"anonymous", person->anonymous},
                        {"board_key", board_key(call.app.board_salt(), person->id)}};
  if (who.role == Role::nobody) {  // boards that anyone may see
    answer["public_classes"] = json::array();
    for (const Row& row :
         call.database.run("SELECT name FROM classes WHERE public_board = 1 ORDER BY name"))
      answer["public_classes"].push_back(row.text(0));
  }
  return answer;
}

}  // namespace

// {"code"}: a one-time code; or {"token"}: the token of a person or a board link.
Response sign_in(Call& call) {
  take_sign_in_try(call);
  NewToken session{TokenKind::session, {}, {}, {}, call.now_ms, kSessionLivesMs, {}};
  if (const std::string code = call.text("code"); !code.empty()) {
    const auto used = use_code(call.database, TokenKind::sign_in, code, call.now_ms);
    if (!used)
      throw ApiError{
          401, "this sign-in code is unknown, used or too old",
          "A new one: `ridge class sign-in` (students), or `ridge class link CLASS.toml` on the server."};
    session.class_id = used->class_id;
    session.person_id = used->person_id;
    session.parent_id = used->parent_id;
  } else {
    const Identity who = identify(call.database, call.needed_text("token"), call.now_ms);
    if (who.role == Role::nobody || who.role == Role::worker)
      throw ApiError{401, "this token is unknown, revoked or too old",
                     "Ask your instructor for a new invitation."};
    session.class_id = who.class_id;
    if (who.person_id) session.person_id = who.person_id;
    session.parent_id = who.token_id;
  }
  was_no_failure(call);
  const IssuedToken issued = issue_token(call.database, session);
  Response response =
      json_response(described(call, identify_session(call.database, issued.secret, call.now_ms)));
  response.headers.emplace_back("Set-Cookie",
                                session_cookie(call.app, issued.secret, kSessionLivesMs / 1000));
  return response;
}

Response who_am_i(Call& call) {
  return json_response(described(call, call.who));
}

Response sign_out(Call& call) {
  if (call.who.by_cookie && call.who.token_id)
    revoke_token(call.database, call.who.token_id, call.now_ms);
  Response response{204, ""};
  response.headers.emplace_back("Set-Cookie", session_cookie(call.app, "", 0));
  return response;
}

// For a browser; requires a token or a session.
Response make_sign_in_code(Call& call) {
  const IssuedToken issued =
      issue_token(call.database, {TokenKind::sign_in, call.who.class_id, call.who.person_id,
                                  call.who.token_id, call.now_ms, kSignInCodeLivesMs, 1});
  return json_response(
      {{"code", issued.secret},
       {"url", fmt::format("{}/#/sign-in/{}", call.app.options().public_url, issued.secret)},
       {"minutes", kSignInCodeLivesMs / kMinuteMs}},
      201);
}

// {"code", "name", "email"}: with a class's code, or with the personal code of an invitation.
Response join(Call& call) {
  take_sign_in_try(call);
  const std::string code = call.needed_text("code");
  const auto used = use_code(call.database, TokenKind::join, code, call.now_ms);
  if (!used)
    throw ApiError{403, "this join code is unknown, used up or too old",
                   "Ask your instructor for a new one."};
  was_no_failure(call);
  call.owner = find_class(call.database, used->class_id);
  int64_t person_id = used->person_id.value_or(0);
  if (person_id) {
    if (!find_person(call.database, person_id))
      throw ApiError{403, "this invitation was withdrawn"};
    call.database.run("UPDATE people SET joined_ms = ? WHERE id = ?", {call.now_ms, person_id});
  } else {
    const std::string name = one_line(call.needed_text("name"), "a name");
    const std::string email = one_line(call.text("email"), "an e-mail address");
    if (!email.empty() &&
        number_from(call.database,
                    "SELECT id FROM people WHERE class_id = ? AND email = ? AND deleted_ms IS NULL",
                    {used->class_id, email}))
      throw ApiError{409, fmt::format("{} is in this class already", email),
                     "Use the personal code of your invitation, or ask your instructor for one."};
    person_id =
        call.database
            .run(
                "INSERT INTO people (class_id, role, name, email, created_ms, joined_ms) VALUES (?, 'student', "
                "?, ?, ?, ?) RETURNING id",
                {used->class_id, name, email, call.now_ms, call.now_ms})[0]
            .number(0);
  }
  const IssuedToken token = issue_token(
      call.database,
      {TokenKind::person, used->class_id, person_id, {}, call.now_ms, kPersonTokenLivesMs, {}});
  const Person person = *find_person(call.database, person_id);
  call.log("student.joined", "", 0, person_id);
  call.changes.push_back({used->class_id, 0, person_id, 0, true});
  return json_response({{"token", token.secret},
                        {"student", {{"id", person.id}, {"name", person.name}}},
                        {"class", {{"name", call.owner->name}, {"title", call.owner->title}}}},
                       201);
}

}  // namespace ridge::leaderboard::handlers
