// The queue of submissions: which is graded next, on which attempt, and which result is accepted.
//
// A job is one attempt at one submission. It waits, is leased to a worker for a limited time, and
// ends done or lost; a lost one is followed by another attempt. A result is accepted once per
// (submission, attempt), from the holder of its lease. Every function runs in the caller's
// transaction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leaderboard/jobs/targets.h"
#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

inline constexpr int64_t kLeaseMs = 60'000;  // every progress report renews it
inline constexpr int kMostAttempts = 5;

struct Job {
  int64_t submission_id = 0;
  int attempt = 0;
  std::string rung, target, seed, files;  // files: JSON, as submitted
  std::string lease;                      // the secret that its result must contain
};

// A change of a submission, for its subscribers.
struct Change {
  int64_t class_id = 0, submission_id = 0, person_id = 0, assignment_id = 0;
  // The class board and the assignment's board must be made anew (every board of the class if
  // assignment_id is 0): this person's row in them (every row if person_id is 0).
  bool board = false;
};

// Adds a job per target, all with the same seed. The grade of the first target counts; those of the
// others are for their boards.
void enqueue(Database& database, int64_t submission_id, const std::vector<std::string>& targets,
             int64_t now_ms);

// Chooses among the jobs that the worker can grade: first grades before those of further targets
// and before regrades, then the longest wait. At most one job runs per student and target, and one
// per GPU.
std::optional<Job> lease_next(Database& database, const Grader& grader, int64_t now_ms,
                              std::vector<Change>& changes);

// A waiting job that will be given to a batch system, chosen in the same order. The batch job
// claims it once, with the token.
struct WaitingJob {
  int64_t submission_id = 0, class_id = 0;
  int attempt = 0;
  std::string target;
};
std::optional<WaitingJob> next_waiting(Database& database,
                                       const std::function<bool(const std::string& target)>& can,
                                       int64_t class_id = 0);  // 0: all classes
void place(Database& database, const WaitingJob& job, const std::string& name, int64_t token_id,
           int64_t now_ms);
// Makes the job wait again; its batch job can no longer claim it.
void take_back(Database& database, const std::string& name, int64_t now_ms);
// Called when the batch job ended without a result: the attempt is lost.
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

// Stores the trace of an attempt with a result, in base64. The student's older traces of the rung
// are deleted.
inline constexpr size_t kMostTraceText = 900 * 1024;  // with the rest of its request under 1 MB
Accepted accept_trace(Database& database, int64_t submission_id, int attempt,
                      const std::string& lease, const std::string& base64,
                      std::vector<Change>& changes);

// A worker that could not grade (a full disk, no compiler) returns its job.
Accepted give_back(Database& database, int64_t submission_id, int attempt, const std::string& lease,
                   const std::string& why, int64_t now_ms, std::vector<Change>& changes);

// Ends expired leases, and those of workers that are known to be gone (a prefix of names; "":
// none).
void recover(Database& database, const std::string& gone_worker, int64_t now_ms,
             std::vector<Change>& changes);

// Number of jobs before it in the queue; 0 when it is next or running.
int64_t queue_position(Database& database, int64_t submission_id);

}  // namespace ridge::leaderboard
