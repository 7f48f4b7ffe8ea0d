// The handlers of the routes, by topic. Each is called after authorization and with the objects in
// the path.
#pragma once

#include "leaderboard/api/app.h"

namespace ridge::leaderboard::handlers {

// Defined in session.cpp.
Response sign_in(Call& call);
Response who_am_i(Call& call);
Response sign_out(Call& call);
Response make_sign_in_code(Call& call);
Response join(Call& call);

// Defined in openid.cpp.
Response begin_openid(Call& call);
Response finish_openid(Call& call);

// Defined in class_view.cpp.
Response show_class(Call& call);
Response show_board(Call& call);
Response stream_events(Call& call);
Response change_me(Call& call);
Response show_history(Call& call);

// Defined in submissions.cpp.
Response submit(Call& call);
Response show_submission(Call& call);
Response show_diff(Call& call);
Response show_trace(Call& call);
Response choose_submission(Call& call);
Response list_submissions(Call& call);
Response invalidate(Call& call);

// Defined in roster.cpp.
Response show_students(Call& call);
Response import_students(Call& call);
Response invite_student(Call& call);
Response revoke_student(Call& call);
Response export_student(Call& call);
Response delete_student(Call& call);
Response make_join_code(Call& call);
Response make_board_link(Call& call);
Response revoke_board_links(Call& call);

// Defined in assignments.cpp.
Response change_assignment(Call& call);
Response create_assignment(Call& call);
Response freeze_board(Call& call);
Response extend_deadline(Call& call);
Response show_stuck(Call& call);
Response show_similarity(Call& call);
Response show_log(Call& call);

// Defined in quizzes.cpp.
Response hand_in_quiz(Call& call);

// Defined in regrades.cpp.
Response begin_regrade(Call& call);
Response show_regrade(Call& call);
Response list_regrades(Call& call);
Response apply(Call& call);

// Defined in exports.cpp.
Response export_class(Call& call);

// remote_workers.cpp
Response list_workers(Call& call);
Response make_worker(Call& call);
Response change_worker(Call& call);

// Defined in worker.cpp.
Response lease(Call& call);
Response progress(Call& call);
Response result(Call& call);
Response take_trace(Call& call);
Response returned(Call& call);
Response send_programs(Call& call);

// Defined in health.cpp.
Response health(Call& call);
Response metrics(Call& call);
Response openapi(Call& call);

}  // namespace ridge::leaderboard::handlers
