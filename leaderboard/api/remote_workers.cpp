// The instructor's remote workers: tokens, draining, banning.
#include "leaderboard/jobs/remote_workers.h"

#include <fmt/format.h>

#include "leaderboard/api/handlers.h"

namespace ridge::leaderboard::handlers {

namespace {

using nlohmann::json;

constexpr size_t kMostWorkers = 200;

}  // namespace

Response list_workers(Call& call) {
  return json_response({{"workers", workers_json(call.database, call.owner->id)}});
}

// {"name"}
Response make_worker(Call& call) {
  const std::string name = call.needed_text("name", 40);
  if (!is_plain_name(name))
    throw ApiError{422, "a worker's name has letters, digits, - and _, at most 40"};
  if (workers_json(call.database, call.owner->id).size() >= kMostWorkers)
    throw ApiError{409, fmt::format("this class has {} workers", kMostWorkers)};
  const NewWorker made = add_worker(call.database, call.owner->id, name, call.now_ms);
  call.log("worker.made", fmt::format("worker {}: {}", made.id, name));
  return json_response({{"id", made.id},
                        {"token", made.token},
                        {"command", fmt::format("./ridge class workers {} --token-file FILE",
                                                call.app.options().public_url)}},
                       201);
}

// {"state": "active", "draining" or "banned"}
Response change_worker(Call& call) {
  const std::string& text = call.path.at("worker");
  const auto worker = find_worker(call.database, call.owner->id,
                                  text.size() > 15 ? 0 : std::strtoll(text.c_str(), nullptr, 10));
  if (!worker) throw ApiError{404, "there is no such worker"};
  const std::string state = call.needed_text("state");
  if (state != kActive && state != kDraining && state != kBanned)
    throw ApiError{400, "\"state\" must be active, draining or banned"};
  if (worker->state == kBanned)
    throw ApiError{409, "this worker is banned: its token is revoked",
                   "Make a new worker to let the machine in again."};
  set_worker_state(call.database, *worker, state, call.now_ms, call.changes);
  call.log("worker.changed", fmt::format("worker {}: {}", worker->id, state));
  return json_response({{"id", worker->id}, {"state", state}});
}

}  // namespace ridge::leaderboard::handlers
