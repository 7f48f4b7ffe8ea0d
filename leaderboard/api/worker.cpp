// The routes of workers: leasing a job and sending its result. Every result must contain the secret
// of its attempt's lease.
#include <fmt/format.h>

#include <cmath>

#include "leaderboard/access/secrets.h"
#include "leaderboard/api/handlers.h"
#include "leaderboard/jobs/remote_workers.h"

namespace ridge::leaderboard::handlers {

namespace {

using nlohmann::json;

int64_t number(const Call& call, const char* key) {
  const auto found = call.body.find(key);
  if (found == call.body.end() || !found->is_number_integer())
    throw ApiError{400, fmt::format("\"{}\" must be a whole number", key)};
  return *found;
}

Response accepted_response(Accepted accepted) {
  switch (accepted) {
    case Accepted::yes:
      return json_response({{"accepted", true}});
    case Accepted::already:
      throw ApiError{409, "this attempt has its result already"};
    case Accepted::not_yours:
      break;
  }
  throw ApiError{409, "this attempt is not leased to you: its lease ran out, or never was yours"};
}

// The figure on the board: measured on a GPU; on the virtual GPU the counted fraction of L1 bytes
// that the problem needs.
std::optional<double> figure_of(const json& result) {
  const auto measured = result.find("measured");
  if (measured != result.end() && measured->is_object() && measured->contains("percent") &&
      (*measured)["percent"].is_number())
    return (*measured)["percent"].get<double>();
  const auto traffic = result.find("traffic");
  if (traffic == result.end() || !traffic->is_object()) return std::nullopt;
  const json useful = traffic->value("useful_bytes", json()),
             moved = traffic->value("l1_bytes", json());
  if (!useful.is_number() || !moved.is_number() || moved <= 0) return std::nullopt;
  const double percent = 100 * useful.get<double>() / moved.get<double>();
  return std::isfinite(percent) ? std::optional(percent) : std::nullopt;
}

// PostgreSQL's texts cannot contain zero bytes.
std::string without_zero_bytes(std::string text) {
  std::erase(text, '\0');
  return text;
}

Grader grader_in(const Call& call) {
  Grader grader{call.needed_text("worker", 80),
                {},
                call.text("device"),
                call.text("device_id"),
                call.who.class_id};
  for (const json& engine : call.body.value("engines", json::array()))
    if (engine.is_string()) grader.engines.push_back(engine);
  return grader;
}

}  // namespace

// {"worker", "engines": ["virtual", "gpu"], "device", "device_id"}: a job, or 204 when there is
// none; 410 for a batch job whose job no longer waits.
Response lease(Call& call) {
  call.durability = Durability::may_be_lost;  // losing a lease costs one attempt
  Grader grader = grader_in(call);
  std::optional<Job> job;
  if (call.who.for_one_job) {
    job = claim(call.database, call.who.token_id, grader, call.now_ms, call.changes);
    if (!job) throw ApiError{410, "this job is done, was taken back, or needs another device"};
  } else if (greet_worker(call.database, call.who.token_id, grader, call.now_ms)) {
    job = lease_next(call.database, grader, call.now_ms, call.changes);
  }
  if (!job) return {204, ""};
  return json_response({{"submission", job->submission_id},
                        {"attempt", job->attempt},
                        {"rung", job->rung},
                        {"engine", engine_of(job->target)},
                        {"seed", job->seed},
                        {"lease", job->lease},
                        {"lease_seconds", kLeaseMs / 1000},
                        {"trace", call.app.options().traces},
                        {"files", json::parse(job->files, nullptr, false)}});
}

Response progress(Call& call) {
  call.durability = Durability::may_be_lost;
  return accepted_response(note_progress(
      call.database, number(call, "submission"), static_cast<int>(number(call, "attempt")),
      call.needed_text("lease"), call.text("progress", 500), call.now_ms, call.changes));
}

// {"submission", "attempt", "lease", "result"}: result in the format of `ridge grade --json`.
Response result(Call& call) {
  const auto found = call.body.find("result");
  if (found == call.body.end() || !found->is_object())
    throw ApiError{400, "\"result\" must be an object"};
  const auto field = [&](const char* key) {
    const auto value = found->find(key);
    if (value == found->end() || !value->is_string())
      throw ApiError{400, fmt::format("the result lacks \"{}\"", key)};
    return without_zero_bytes(value->get<std::string>());
  };
  GradeRecord grade;
  grade.verdict = field("verdict");
  grade.engine = field("engine");
  grade.device = field("device");
  grade.summary = field("summary");
  grade.next = field("next");
  grade.seed = field("seed");
  const json seconds = found->value("seconds", json(0.0));
  grade.seconds = seconds.is_number() ? seconds.get<double>() : 0.0;
  grade.figure = figure_of(*found);
  grade.result = dumped(*found);
  return accepted_response(accept_result(
      call.database, number(call, "submission"), static_cast<int>(number(call, "attempt")),
      call.needed_text("lease"), grade, call.now_ms, call.changes));
}

// {"submission", "attempt", "lease", "trace"}: for an attempt with a result; the file in base64.
Response take_trace(Call& call) {
  const std::string bytes = call.needed_text("trace", kMostTraceText);
  if (!from_base64(bytes)) throw ApiError{400, "\"trace\" is not base64"};
  return accepted_response(accept_trace(call.database, number(call, "submission"),
                                        static_cast<int>(number(call, "attempt")),
                                        call.needed_text("lease"), bytes, call.changes));
}

// {"submission", "attempt", "lease", "why"}: this worker cannot grade it.
Response returned(Call& call) {
  return accepted_response(give_back(
      call.database, number(call, "submission"), static_cast<int>(number(call, "attempt")),
      call.needed_text("lease"), call.text("why", 2000), call.now_ms, call.changes));
}

// Sends the programs to a node that has no packed folder.
Response send_programs(Call& call) {
  if (call.app.options().programs.empty())
    throw ApiError{404, "this server has no programs to send",
                   "Name a packed folder that the nodes see: \"folder\" in [slurm]."};
  Response response{200, "", "application/x-tar"};
  response.file = call.app.options().programs;
  return response;
}

}  // namespace ridge::leaderboard::handlers
