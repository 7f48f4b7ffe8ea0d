// What the virtual GPU's findings mean to a learner, by check and cause.
#include "harness/grade/findings/check_finding.h"

#include <algorithm>

#include "tests/catch.h"

using namespace ridge;
using grade::LearnerSource;
using grade::Outcome;
using grade::outcome_of;

namespace {

trace::Finding finding_of(const char* check, const char* cause, std::vector<trace::NamedValue> values = {}) {
  trace::Finding finding;
  finding.check = check;
  finding.cause = cause;
  finding.message = "Thread 3 did it.\n  at student.cu:4 in add, executing `st`\n  try: do it otherwise.";
  finding.advice = "do it otherwise";
  finding.file = "/somewhere/student.cu";
  finding.line = 4;
  finding.values = std::move(values);
  return finding;
}

const char* const kKernel =
    "__global__ void add(const float* a, float* b, int n) {\n"
    "  const int i = threadIdx.x;\n"
    "  for (int k = i; k < 2 * n; k += blockDim.x)\n"
    "    b[k + 1] = a[k];\n"
    "  init(&shared.full[i], 1);\n"
    "  init(&shared.empty[i], 1);\n"
    "  arrive(&shared.empty[i - 1]);\n"
    "  if (i < 7) {\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (i > n) return;\n"
    "  __syncthreads();\n"
    "}\n";

// Every value that some row of the table asks for.
std::vector<trace::NamedValue> all_values() {
  std::vector<trace::NamedValue> values;
  for (const char* name : {"verb", "array", "rank", "blocks", "copy", "wait", "parity", "owner", "other_block", "block",
                           "expected", "seconds", "done", "bytes", "limit", "depth", "missing", "threads", "index",
                           "extent", "unit", "announced"})
    values.push_back({name, "3"});
  return values;
}

}  // namespace

TEST_CASE("each check and cause has its finding") {
  const char* rows[][3] = {
      {"out_of_bounds", "index", "out_of_bounds.index"},
      {"out_of_bounds", "negative_index", "out_of_bounds.negative_index"},
      {"out_of_bounds", "shared_index", "out_of_bounds.shared_index"},
      {"out_of_bounds", "cluster_rank", "out_of_bounds.cluster_rank"},
      {"out_of_bounds", "cluster_block_ended", "out_of_bounds.cluster_block_ended"},
      {"out_of_bounds", "product_descriptor", "out_of_bounds.mma_descriptor"},
      {"out_of_bounds", "null_pointer", "out_of_bounds.access"},
      {"misaligned", "misaligned", "out_of_bounds.misaligned"},
      {"barrier", "mbarrier_arrivals", "deadlock.mbarrier_arrivals"},
      {"barrier", "mbarrier_uninitialised", "deadlock.mbarrier_uninitialised"},
      {"barrier", "mbarrier_count", "deadlock.mbarrier_use"},
      {"barrier", "barrier_missed", "deadlock.block_barrier"},
      {"barrier", "two_barriers", "deadlock.two_barriers"},
      {"barrier", "named_barrier_count", "deadlock.named_barrier"},
      {"barrier", "cluster_unpaired", "deadlock.cluster_barrier"},
      {"barrier", "warp_lanes_missed", "deadlock.warp_lanes"},
      {"barrier", "matrix_lanes_missed", "deadlock.matrix_lanes"},
      {"barrier", "warpgroup_partial", "deadlock.warpgroup"},
      {"barrier", "warpgroup_descriptors", "deadlock.warpgroup_descriptors"},
      {"barrier", "", "deadlock.barrier"},
      {"deadlock", "mbarrier_phase", "deadlock.mbarrier_phase"},
      {"deadlock", "announced_too_few", "deadlock.announced_too_few"},
      {"deadlock", "first_phases", "deadlock.first_phases"},
      {"deadlock", "no_progress", "deadlock.waits"},
      {"race", "wait_passed_at_once", "race.wait_passed_at_once"},
      {"race", "mbarrier_overrun", "race.mbarrier_overrun"},
      {"race", "announced_too_few", "race.announced_too_few"},
      {"race", "waited_by_none", "race.waited_by_none"},
      {"race", "waited_by_some", "race.waited_by_some"},
      {"deadlock", "wait_passed_at_once", "deadlock.wait_passed_at_once"},
      {"deadlock", "mbarrier_overrun", "deadlock.mbarrier_overrun"},
      {"race", "copy_not_waited", "race.copy_not_waited"},
      {"race", "copy_waited_by_others", "race.copy_waited_by_others"},
      {"race", "group_not_waited", "race.group_not_waited"},
      {"race", "group_not_committed", "race.group_not_committed"},
      {"race", "wait_lets_group_through", "race.wait_lets_group_through"},
      {"race", "store_not_waited", "race.store_not_waited"},
      {"race", "copy_at_exit", "race.copy_at_exit"},
      {"race", "copy_too_early", "race.copy_too_early"},
      {"race", "copy_over_landed", "race.two_copies"},
      {"race", "product_not_waited", "race.mma_not_waited"},
      {"race", "product_not_released", "race.mma_not_released"},
      {"race", "warpgroup_fence", "race.mma_fence"},
      {"race", "registers_in_flight", "race.mma_registers"},
      {"race", "proxy_fence", "race.proxy_fence"},
      {"race", "shared_read_too_early", "race.shared_read_too_early"},
      {"race", "shared_written_too_early", "race.shared_written_too_early"},
      {"race", "shared_two_writes", "race.shared_two_writes"},
      {"race", "shared_one_instruction", "race.shared_one_instruction"},
      {"race", "global_one_block", "race.global_one_block"},
      {"race", "blocks_write", "race.blocks_write"},
      {"race", "blocks_update", "race.blocks_update"},
      {"race", "blocks_read", "race.blocks_read"},
      {"race", "flag_order", "race.flag_order"},
      {"race", "cluster_not_started", "race.cluster_not_started"},
      {"race", "cluster_copy", "race.cluster_copy"},
      {"race", "cluster_access", "race.cluster_access"},
      {"race", "cluster_early_end", "race.cluster_early_end"},
      {"race", "mbarrier_init_block", "race.mbarrier_init"},
      {"race", "", "race.unordered"},
      {"uninitialised", "atomic_on_unwritten", "uninitialised.atomic"},
      {"uninitialised", "absent_lane", "uninitialised.absent_lane"},
      {"uninitialised", "shared_unwritten", "uninitialised.shared"},
      {"uninitialised", "local_unwritten", "uninitialised.local"},
      {"uninitialised", "variable_unset", "uninitialised.variable"},
      {"uninitialised", "global_unwritten", "uninitialised.read"},
      {"time_limit", "endless", "timeout.endless_loop"},
      {"time_limit", "too_much_work", "timeout.too_much_work"},
      {"time_limit", "stopped", "timeout.kernel"},
      {"trap", "local_memory", "launch_error.local_memory"},
      {"trap", "stack_overflow", "launch_error.stack_overflow"},
      {"trap", "", "launch_error.trap"},
      {"assertion", "", "launch_error.assertion"},
      {"unknown_instruction", "", "launch_error.unknown_instruction"},
      {"something_new", "", "launch_error.stopped"},
  };
  for (const auto& [check, cause, found] : rows) {
    const Outcome outcome = outcome_of(finding_of(check, cause, all_values()), "for n = 33");
    INFO(check << " " << cause << ": " << outcome.summary);
    CHECK(outcome.finding == found);
    CHECK(outcome.verdict == grade::Finding{found}.verdict());
    CHECK(outcome.summary.find("student.cu line 4") != std::string::npos);
    CHECK(outcome.summary.find("for n = 33.") != std::string::npos);
    CHECK(outcome.summary.find("/somewhere") == std::string::npos);
    CHECK_FALSE(outcome.next.empty());
  }
}

TEST_CASE("the next step contains the message's advice once") {
  const Outcome outcome = outcome_of(finding_of("race", "shared_read_too_early"), "");
  CHECK(outcome.next == "Do it otherwise.");
  CHECK(outcome.detail == "Thread 3 did it.\n  at student.cu:4 in add, executing `st`");
  trace::Finding deadlock = finding_of("deadlock", "no_progress");
  deadlock.message += "\n  who waits where:";
  CHECK(outcome_of(deadlock, "").detail ==
        "Thread 3 did it.\n  at student.cu:4 in add, executing `st`\n  who waits where:");
}

TEST_CASE("an index outside an array is reported with the student's names") {
  const LearnerSource source("student.cu", kKernel);
  trace::Finding finding = finding_of(
      "out_of_bounds", "index",
      {{"verb", "writes"}, {"array", "the array passed as parameter 2"}, {"index", "7"}, {"extent", "7"}, {"unit", "4"},
       {"parameter", "2"}});
  finding.message = "Thread 3 writes index 7 of the array passed as parameter 2";
  Outcome outcome = outcome_of(finding, "", source, "add(float const*, float*, int)");
  CHECK(outcome.finding == "out_of_bounds.guarded_index");  // there is a condition, and it does not help
  CHECK(outcome.summary.find("`b[7]` (the index is `k + 1`), and `b` has 7 elements") != std::string::npos);
  CHECK(outcome.summary.find("`k + 1`") != std::string::npos);
  CHECK(outcome.next.find("k < 2 * n") != std::string::npos);
  CHECK(outcome.detail == "Thread 3 writes index 7 of `b`");
  finding.line = 2;  // before any condition
  CHECK(outcome_of(finding, "", source, "add(float const*, float*, int)").finding == "out_of_bounds.index");
  CHECK(outcome_of(finding, "").finding == "out_of_bounds.index");
}

TEST_CASE("a barrier that threads miss is reported with the statements around it") {
  const LearnerSource source("student.cu", kKernel);
  const auto found = [&](const char* line) {
    return outcome_of(finding_of("barrier", "barrier_missed",
                                 {{"barrier_file", "/x/student.cu"}, {"barrier_line", line}, {"missing", "5"}, {"threads", "64"}}),
                      "", source)
        .finding;
  };
  CHECK(found("9") == "deadlock.barrier_in_branch");
  CHECK(found("4") == "deadlock.barrier_in_loop");
  CHECK(found("12") == "deadlock.return_before_barrier");
  CHECK(found("2") == "deadlock.block_barrier");
}

TEST_CASE("an mbarrier is reported by name, also when an index leads into another one") {
  const LearnerSource source("student.cu", kKernel);
  trace::Finding finding = finding_of("barrier", "mbarrier_arrivals",
                                      {{"mbarrier", "the mbarrier at offset 24"},
                                       {"mbarrier_init", "student.cu:5"},
                                       {"mbarrier_index", "2"},
                                       {"expected", "1"}});
  finding.message = "Thread 3 arrives at the mbarrier at offset 24";
  Outcome outcome = outcome_of(finding, "", source);
  CHECK(outcome.finding == "deadlock.mbarrier_arrivals");
  CHECK(outcome.summary.find("`full[2]`") != std::string::npos);
  CHECK(outcome.detail == "Thread 3 arrives at the mbarrier `full[2]`");
  finding.line = 7;
  outcome = outcome_of(finding, "", source);
  CHECK(outcome.finding == "deadlock.mbarrier_index");
  CHECK(outcome.summary.find("`empty`") != std::string::npos);
}

TEST_CASE("blocks that write one element in a loop are reported with the loop's step") {
  const LearnerSource source("student.cu", kKernel);
  const Outcome outcome =
      outcome_of(finding_of("race", "blocks_write",
                            {{"place", "element 5"}, {"parameter", "2"}, {"index", "5"}, {"blocks", "4"},
                             {"threads", "32"}, {"block", "block (1,0,0)"}, {"other_block", "block (0,0,0)"}}),
                 "", source, "add(float const*, float*, int)");
  CHECK(outcome.finding == "race.loop_step");
  for (const char* words : {"`b[5]`", "`k`", "`blockDim.x`"})
    CHECK(outcome.summary.find(words) != std::string::npos);
  CHECK(outcome.next.find("128") != std::string::npos);
}

TEST_CASE("a place in shared memory is given by the source's name, also beyond the end of its array") {
  const LearnerSource source("student.cu", "__global__ void f() {\n  __shared__ float tile[4][8];\n}\n");
  const std::string place = "element 9 of the __shared__ array `tile` (128 bytes, elements of 4 counted)";
  trace::Finding race = finding_of("race", "shared_two_writes",
                                   {{"place", place},
                                    {"shared_place", place},
                                    {"shared_array", "tile"},
                                    {"shared_begin", "16"},
                                    {"shared_offset", "52"}});
  race.message = "Race: thread 3 writes " + place + ", which";
  CHECK(outcome_of(race, "", source).detail == "Race: thread 3 writes `tile[1][1]` in shared memory, which");
  CHECK(outcome_of(race, "").detail == race.message);
  trace::Finding beyond =
      finding_of("out_of_bounds", "shared_index",
                 {{"verb", "writes"}, {"array", "tile"}, {"index", "33"}, {"extent", "32"}, {"unit", "4"}});
  beyond.message = "writes 4 bytes at index 33 of the __shared__ array `tile`, which holds 32 elements";
  const Outcome outcome = outcome_of(beyond, "", source);
  CHECK(outcome.finding == "out_of_bounds.shared_index");
  CHECK(outcome.summary.find("`tile[4][1]`") != std::string::npos);
  CHECK(outcome.summary.find("4 x 8 elements") != std::string::npos);
}

TEST_CASE("a finding without values gives the general text and no error") {
  for (const char* check : {"out_of_bounds", "barrier", "deadlock", "race", "uninitialised", "time_limit", "trap"})
    for (const char* cause : {"index", "shared_index", "mbarrier_arrivals", "copy_not_waited", "cluster_rank", "endless",
                              "local_memory", "no_such_cause"}) {
      INFO(check << " " << cause);
      const Outcome outcome = outcome_of(finding_of(check, cause), "");
      CHECK_FALSE(outcome.next.empty());
      CHECK(outcome.summary.find('{') == std::string::npos);
    }
}
