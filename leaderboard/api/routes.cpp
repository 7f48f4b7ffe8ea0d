// Every address of the server, with its access level. leaderboard/api/openapi.json describes the
// same.
#include "leaderboard/api/handlers.h"

namespace ridge::leaderboard {

const std::vector<Route>& routes() {
  using namespace handlers;
  using enum Access;
  using enum Background::Kind;
  static const std::vector<Route> all = {
      {"GET", "/healthz", anyone, health},
      {"GET", "/metrics", anyone, handlers::metrics},
      {"GET", "/api/v1/openapi.json", anyone, openapi},
      {"POST", "/api/v1/session", anyone, sign_in},
      {"GET", "/api/v1/session", anyone, who_am_i},
      {"DELETE", "/api/v1/session", anyone, sign_out},
      {"POST", "/api/v1/sign-in-codes", signed_in, make_sign_in_code},
      {"POST", "/api/v1/join", anyone, join},
      {"GET", "/api/v1/openid/start", anyone, begin_openid},
      {"GET", "/api/v1/openid/callback", anyone, finish_openid},
      {"GET", "/api/v1/classes/{class}", board, show_class},
      {"GET", "/api/v1/classes/{class}/assignments/{assignment}/board", board, show_board},
      {"GET", "/api/v1/classes/{class}/events", board, stream_events},
      {"PUT", "/api/v1/classes/{class}/me", student, change_me},
      {"POST", "/api/v1/classes/{class}/submissions", student, submit},
      {"POST", "/api/v1/classes/{class}/quizzes", student, hand_in_quiz},
      {"GET", "/api/v1/classes/{class}/submissions", instructor, list_submissions},
      {"GET", "/api/v1/submissions/{submission}", owner, show_submission},
      {"GET", "/api/v1/submissions/{submission}/diff", owner, show_diff},
      {"GET", "/api/v1/submissions/{submission}/trace", owner, show_trace},
      {"POST", "/api/v1/submissions/{submission}/choice", owner, choose_submission},
      {"POST", "/api/v1/submissions/{submission}/validity", instructor, invalidate},
      {"GET", "/api/v1/classes/{class}/students", instructor, show_students, boards},
      {"GET", "/api/v1/classes/{class}/students/{student}/history", owner, show_history},
      {"GET", "/api/v1/classes/{class}/students/{student}/data", owner, export_student, exports},
      {"DELETE", "/api/v1/classes/{class}/students/{student}", instructor, delete_student},
      {"POST", "/api/v1/classes/{class}/students/{student}/invitation", instructor, invite_student},
      {"DELETE", "/api/v1/classes/{class}/students/{student}/tokens", owner, revoke_student},
      {"POST", "/api/v1/classes/{class}/roster", instructor, import_students},
      {"POST", "/api/v1/classes/{class}/join-codes", instructor, make_join_code},
      {"POST", "/api/v1/classes/{class}/board-links", instructor, make_board_link},
      {"DELETE", "/api/v1/classes/{class}/board-links", instructor, revoke_board_links},
      {"POST", "/api/v1/classes/{class}/assignments", instructor, create_assignment},
      {"PUT", "/api/v1/classes/{class}/assignments/{assignment}", instructor, change_assignment},
      {"PUT", "/api/v1/classes/{class}/assignments/{assignment}/freeze", instructor, freeze_board},
      {"PUT", "/api/v1/classes/{class}/assignments/{assignment}/extensions/{student}", instructor,
       extend_deadline},
      {"GET", "/api/v1/classes/{class}/assignments/{assignment}/similarity", instructor,
       show_similarity, exports},
      {"GET", "/api/v1/classes/{class}/stuck", instructor, show_stuck},
      {"GET", "/api/v1/classes/{class}/log", instructor, show_log},
      {"POST", "/api/v1/classes/{class}/regrades", instructor, begin_regrade},
      {"GET", "/api/v1/classes/{class}/regrades", instructor, list_regrades},
      {"GET", "/api/v1/classes/{class}/regrades/{regrade}", instructor, show_regrade},
      {"POST", "/api/v1/classes/{class}/regrades/{regrade}/application", instructor, apply},
      {"GET", "/api/v1/classes/{class}/exports/{file}", instructor, export_class, exports},
      {"GET", "/api/v1/classes/{class}/workers", instructor, list_workers},
      {"POST", "/api/v1/classes/{class}/workers", instructor, make_worker},
      {"PUT", "/api/v1/classes/{class}/workers/{worker}", instructor, change_worker},
      {"POST", "/api/v1/worker/lease", worker, lease},
      {"POST", "/api/v1/worker/progress", worker, progress},
      {"POST", "/api/v1/worker/result", worker, result},
      {"POST", "/api/v1/worker/trace", worker, take_trace},
      {"POST", "/api/v1/worker/return", worker, returned},
      {"GET", "/api/v1/worker/programs.tar", worker, send_programs},
  };
  return all;
}

}  // namespace ridge::leaderboard
