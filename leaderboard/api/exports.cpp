// Downloads of the gradebook.
#include "leaderboard/classes/exports.h"

#include <fmt/format.h>

#include "leaderboard/api/handlers.h"
#include "leaderboard/api/quiz_results.h"

namespace ridge::leaderboard::handlers {

Response export_class(Call& call) {
  struct Kind {
    const char* name;
    const char* type;
    std::string (*make)(Database&, const ClassRecord&);
  };
  static const Kind kinds[] = {{"canvas.csv", "text/csv; charset=utf-8", canvas_csv},
                               {"moodle.csv", "text/csv; charset=utf-8", moodle_csv},
                               {"plain.csv", "text/csv; charset=utf-8", plain_csv},
                               {"quizzes.csv", "text/csv; charset=utf-8", quizzes_csv},
                               {"gradescope.json", "application/json", gradescope_json},
                               {"archive.tar", "application/x-tar", archive_tar}};
  const std::string& name = call.path.at("file");
  for (const Kind& kind : kinds)
    if (name == kind.name) {
      Response response{200, kind.make(call.database, *call.owner), kind.type};
      response.headers.emplace_back(
          "Content-Disposition",
          fmt::format("attachment; filename=\"{}-{}\"", call.owner->name, kind.name));
      return response;
    }
  throw ApiError{404, "there is no such export",
                 "canvas.csv, moodle.csv, plain.csv, quizzes.csv, gradescope.json or archive.tar"};
}

}  // namespace ridge::leaderboard::handlers
