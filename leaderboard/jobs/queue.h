// The queue of submissions: who is graded next, on which attempt, and which result is accepted.
//
// A job is one attempt at one submission. It waits, is leased to a worker for a limited time, and
// ends done or lost; a lost one is followed by a further attempt. A result is accepted once per
// (submission, attempt), from whoever holds its lease. Every function runs in the caller's
// transaction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leaderboard/jobs/targets.h"
#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

inline constexpr int64_t kLeaseMs = 60'000;  // a worker renews it with every word of progress
inline constexpr int kMostAttempts = 5;

struct Job {
  int64_t submission_id = 0;
  int attempt = 0;
  std::string rung, target, seed, files;  // files: JSON, as it was handed in
  std::string lease;                      // the secret that its result must carry
};

// What changed for a submission, for whoever follows it.
struct Change {
  int64_t class_id = 0, submission_id = 0, person_id = 0, assignment_id = 0;
  bool board = false;  // a grade that counts came, went or changed
};

// A job per target, all with the same seed. The grade of the first counts; those of the others are
// for their boards.
void enqueue(Database& database, int64_t submission_id, const std::vector<std::string>& targets,
             int64_t now_ms);

// Of those that the worker can grade: first grades before those of further targets and before
// regrades, then the longest wait; one running job per student and target, and one per GPU.
std::optional<Job> lease_next(Database& database, const Grader& grader, int64_t now_ms,
                              std::vector<Change>& changes);

// A job that waits and is to be given to a batch system, by the same order; and its claim by the
// batch job that it became, which has the token and takes it once.
struct WaitingJob {
  int64_t submission_id = 0, class_id = 0;
  int attempt = 0;
  std::string target;
};
std::optional<WaitingJob> next_waiting(Database& database,
                                       const std::function<bool(const std::string& target)>& can,
                                       int64_t class_id = 0);  // 0: of all classes
void place(Database& database, const WaitingJob& job, const std::string& name, int64_t token_id,
           int64_t now_ms);
// It waits again; its batch job can claim it no more.
void take_back(Database& database, const std::string& name, int64_t now_ms);
// The batch job ended without a result: the attempt is lost.
void lose_placed(Database& database, const std::string& name, const std::string& why,
                 int64_t now_ms, std::vector<Change>& changes);
std::optional<Job> claim(Database& database, int64_t token_id, const Grader& grader, int64_t now_ms,
                         std::vector<Change>& changes);

enum class Accepted { yes, already, not_yours };

// Renews the lease.
Accepted note_progress(Database& database, int64_t submission_id, int attempt,
                       const std::string& lease, const std::string& text, int64_t now_ms,
                       std::vector<Change>& changes);

struct GradeRecord {
  std::string verdict, engine, device, summary, next, result, seed;
  std::optional<double> figure;  // percent: measured on a GPU, counted on the virtual one
  double seconds = 0;
};

Accepted accept_result(Database& database, int64_t submission_id, int attempt,
                       const std::string& lease, const GradeRecord& grade, int64_t now_ms,
                       std::vector<Change>& changes);

// A trace of an attempt that has its result, in base64. The student's older ones of the rung go.
inline constexpr size_t kMostTraceText = 900 * 1024;  // with the rest of its request under 1 MB
Accepted accept_trace(Database& database, int64_t submission_id, int attempt,
                      const std::string& lease, const std::string& base64,
                      std::vector<Change>& changes);

// A worker that could not grade (a full disk, no compiler) gives its job back.
Accepted give_back(Database& database, int64_t submission_id, int attempt, const std::string& lease,
                   const std::string& why, int64_t now_ms, std::vector<Change>& changes);

// Leases that ran out, and those of workers that are known to be gone ("" for none; a prefix).
void recover(Database& database, const std::string& gone_worker, int64_t now_ms,
             std::vector<Change>& changes);

// How many of the queue come before it; 0 when it is next or runs.
int64_t queue_position(Database& database, int64_t submission_id);

}  // namespace ridge::leaderboard
