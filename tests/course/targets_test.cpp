// Targets of lab.toml against every committed run of a reference, on each device: it is gold there, and the
// solution of the rung before does not pass.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "harness/course/lab.h"
#include "harness/report/worklog/ladder.h"
#include "tests/catch.h"

namespace {

namespace fs = std::filesystem;
namespace course = ridge::course;

const fs::path kCloneRoot = RIDGE_SOURCE_DIR;

struct CommittedRun {
  std::string file, device;  // "nvidia-h100/repeats/01-kernel-basics.json", "NVIDIA H200"
  double percent = 0;
  std::string name() const { return fmt::format("{} {:.1f}", file, percent); }
};

using CommittedRuns = std::map<std::string, std::vector<CommittedRun>>;  // by "LAB/RUNG"

// All measured results of solutions in the folders of devices; cheats.json and others have none.
CommittedRuns committed_runs() {
  CommittedRuns runs;
  const fs::path measured = kCloneRoot / "course/measured";
  for (const auto& entry : fs::recursive_directory_iterator(measured)) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    const auto document = nlohmann::json::parse(file);
    if (!document.is_object() || !document.contains("results")) continue;
    for (const auto& result : document["results"]) {
      if (!result.is_object() || result.value("source", "") != "solution") continue;
      if (const auto times = result.find("measured"); times != result.end() && times->is_object())
        runs[result["rung"]].push_back({entry.path().lexically_relative(measured).string(),
                                        result["device"], times->at("percent")});
    }
  }
  return runs;
}

CommittedRuns all_but(CommittedRuns runs, const std::set<std::string>& names) {
  for (auto& [rung, of_rung] : runs)
    std::erase_if(of_rung, [&, path = rung](const CommittedRun& run) {
      return names.contains(ridge::report::result_name(path, run.file, run.percent));
    });
  return runs;
}

// Rungs that the solution of the rung before passes on a GPU, because it is as fast or faster: only the
// counts of the virtual GPU tell the two apart.
const std::map<std::string, const char*> kToldByCounts = {
    {"05-gemm-float32/8-double-buffer", "68.6% before, 67.7% after: the idea costs registers"},
    {"06-gemm-tensor-cores/2-mma-sync", "wmma and mma.sync take the same time"},
    {"06-gemm-tensor-cores/8-persistent", "89.0% before, 89.3% in the worst run after"},
    {"06-gemm-tensor-cores/9-cluster-multicast",
     "93.0% before in the best run on an H200, 91.0% after in the worst"},
    {"10-flash-attention/2-online-softmax",
     "without the tables of scores, and slower than products of tiles"},
};

const CommittedRun* fastest(const CommittedRuns& runs, const std::string& rung,
                            const std::string& device) {
  const CommittedRun* best = nullptr;
  if (const auto found = runs.find(rung); found != runs.end())
    for (const CommittedRun& run : found->second)
      if (run.device == device && (!best || run.percent > best->percent)) best = &run;
  return best;
}

// What is wrong with the targets of a lab.
std::vector<std::string> complaints_about(const course::Lab& lab, const CommittedRuns& runs) {
  std::vector<std::string> found;
  const course::Rung* before = nullptr;
  for (const course::Rung& rung : lab.rungs) {
    if (!rung.is_timed()) continue;
    std::map<std::string, double> worst;  // by device
    if (const auto of_rung = runs.find(rung.path()); of_rung != runs.end())
      for (const CommittedRun& run : of_rung->second) {
        const auto [at, is_new] = worst.try_emplace(run.device, run.percent);
        at->second = std::min(at->second, run.percent);
        if (const course::Target& target = rung.target.on(run.device); run.percent < target.gold)
          found.push_back(
              fmt::format("{} is at {}, and gold at {:g}", rung.path(), run.name(), target.gold));
      }
    for (const course::Target& own : rung.target.of_devices)
      if (const double most = 0.98 * worst[own.device]; own.gold > most || own.gold < most - 0.101)
        found.push_back(fmt::format("{}: gold on {} is {:g}, and 0.98 x the worst run is {:.2f}",
                                    rung.path(), own.device, own.gold, most));
    if (!worst.empty() && !worst.contains(rung.target.device))
      found.push_back(
          fmt::format("{} has no run on {}, its \"measured_on\"", rung.path(), rung.target.device));
    if (before && before->problem == rung.problem && before->baseline == rung.baseline)
      for (const auto& [device, percent] : worst)
        if (const CommittedRun* run = fastest(runs, before->path(), device);
            run && run->percent >= rung.target.on(device).pass &&
            !kToldByCounts.contains(rung.path()))
          found.push_back(
              fmt::format("{}: the solution of {} is at {} and reaches its target, {:g}",
                          rung.path(), before->name, run->name(), rung.target.on(device).pass));
    before = &rung;
  }
  return found;
}

}  // namespace

TEST_CASE(
    "every committed run of a solution is gold on its device, and that of the rung before does not pass") {
  const CommittedRuns runs = all_but(committed_runs(), ridge::report::superseded_results(kCloneRoot));
  std::map<std::string, int> rungs;  // by device
  for (const auto& [rung, of_rung] : runs) {
    std::set<std::string> devices;
    for (const CommittedRun& run : of_rung)
      devices.insert(run.device);
    for (const std::string& device : devices)
      ++rungs[device];
  }
  CHECK(rungs["NVIDIA H100 80GB HBM3"] >= 85);
  CHECK(rungs["NVIDIA H200"] >= 60);
  for (const course::Lab& lab : course::load(kCloneRoot).labs)
    for (const std::string& complaint : complaints_about(lab, runs)) {
      INFO(complaint);
      CHECK(false);
    }
}

TEST_CASE("every result that superseded.toml names is committed") {
  std::set<std::string> committed;
  for (const auto& [rung, of_rung] : committed_runs())
    for (const CommittedRun& run : of_rung)
      committed.insert(ridge::report::result_name(rung, run.file, run.percent));
  for (const std::string& name : ridge::report::superseded_results(kCloneRoot)) {
    INFO(name);
    CHECK(committed.contains(name));
  }
}

TEST_CASE("a target that a solution misses, or that the rung before reaches, is reported") {
  course::Lab lab;
  for (const char* name : {"1-plain", "2-tiled"}) {
    course::Rung rung;
    rung.lab = "20-made-up";
    rung.name = name;
    rung.problem = rung.baseline = "copy";
    rung.target.device = "A";
    lab.rungs.push_back(rung);
  }
  course::Targets &plain = lab.rungs[0].target, &tiled = lab.rungs[1].target;
  plain.pass = 30, plain.gold = 39.2, tiled.pass = 60, tiled.gold = 68.6;
  const std::string first = "20-made-up/1-plain", second = "20-made-up/2-tiled";
  CommittedRuns runs = {{first, {{"a", "A", 40}}}, {second, {{"a", "A", 70}}}};
  CHECK(complaints_about(lab, runs).empty());
  runs[second].push_back({"b", "B", 50});
  CHECK(complaints_about(lab, runs) ==
        std::vector<std::string>{second + " is at b 50.0, and gold at 68.6"});
  tiled.of_devices = {{45, 49, "B"}};
  CHECK(complaints_about(lab, runs).empty());
  tiled.of_devices[0].gold = 48.8;
  CHECK(
      complaints_about(lab, runs) ==
      std::vector<std::string>{second + ": gold on B is 48.8, and 0.98 x the worst run is 49.00"});
  tiled.of_devices[0].gold = 49;
  runs[first].push_back({"b", "B", 45});
  CHECK(complaints_about(lab, runs) ==
        std::vector<std::string>{
            second + ": the solution of 1-plain is at b 45.0 and reaches its target, 45"});
  runs[first].pop_back();
  plain.device = "C";
  CHECK(complaints_about(lab, runs) ==
        std::vector<std::string>{first + " has no run on C, its \"measured_on\""});
}
