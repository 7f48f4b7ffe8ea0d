#include "harness/cli/course_checks/mutants/mutant_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <mutex>
#include <numeric>
#include <regex>
#include <thread>

#include "harness/build/compile.h"
#include "harness/build/instruction_mix.h"
#include "harness/cli/course_checks/mutants/equivalence.h"
#include "harness/cli/course_checks/mutants/explanations.h"
#include "harness/cli/course_checks/mutants/todo_left.h"
#include "harness/cli/rung_work.h"
#include "harness/grade/diagnosis/not_started.h"
#include "harness/grade/engine_choice.h"
#include "harness/grade/grade.h"
#include "harness/grade/scratch_folder.h"
#include "harness/problems/inputs.h"
#include "text/whole_file.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

// The instructions only: no source locations, file names or comments.
std::string code_of(const fs::path& object) {
  static const std::regex kNoCode(R"(^\s*(\.loc|\.file|//).*)"),
      kFileHash("_[0-9a-f]{8}");  // a hash of the file's path, in the names of unnamed namespaces
  std::string code;
  for (const std::string& ptx : build::ptx_in(object)) {
    size_t begin = 0;
    while (begin < ptx.size()) {
      const size_t end = std::min(ptx.find('\n', begin), ptx.size());
      const std::string line = ptx.substr(begin, end - begin);
      begin = end + 1;
      if (line.find(".section") != std::string::npos) break;  // the line table follows
      if (line.size() > 500)
        code += line + "\n";
      else if (!std::regex_match(line, kNoCode))
        code += std::regex_replace(line, kFileHash, "_") + "\n";
    }
  }
  return code;
}

// True for a line that orders accesses or passes data on. Its mistakes may show on a GPU only, so
// its mutants are never considered equivalent because they gave the same results here.
bool orders_something(const Mutation& mutation) {
  static const std::regex kOrders(
      R"(sync|fence|barrier|wait|arrive|commit|expect|release|publish|parity|phase|volatile|asm|\binit\(|reg_alloc|reg_dealloc)"),
      kOrdersByBeing(R"(atomic|__ldcg)");
  return mutation.kind == kTodoLeft || std::regex_search(mutation.before, kOrders) ||
         (mutation.kind == "statement deleted" && std::regex_search(mutation.before, kOrdersByBeing));
}

class Check {
 public:
  Check(const course::Course& course, const MutantOptions& options)
      : explained_(load_explanations(course.root)), options_(options) {}

  Mutant carry_out(const course::Rung& rung, Mutation mutation, const fs::path& folder) const {
    Mutant mutant{rung.path(), std::move(mutation), Fate::survived, "", ""};
    const fs::path file = folder / (rung.name + ".cu");
    std::ofstream(file, std::ios::binary) << mutant.mutation.source;
    grade::Request request;
    request.rung = &rung;
    request.source = file;
    request.engine = grade::Engine::virtual_gpu;
    request.cache = cache_folder(rung);
    request.seed = options_.seed;
    const grade::Result result = grade::grade(request);
    mutant.verdict = grade::to_string(result.verdict);
    if (result.verdict == grade::Verdict::compile_error)
      mutant.fate = Fate::stillborn;
    else if (!grade::passed(result.verdict))
      mutant.fate = Fate::caught;
    else
      judge_survivor(rung, file, mutant);
    return mutant;
  }

 private:
  void judge_survivor(const course::Rung& rung, const fs::path& file, Mutant& mutant) const {
    if (const Explanation* found = find_explanation(explained_, mutant.rung, mutant.mutation)) {
      mutant.fate = Fate::explained;
      mutant.why = found->why;
      return;
    }
    const std::string architecture =
        grade::choose_engine(grade::Engine::virtual_gpu, runner::find_installation()).architecture;
    const auto compile = [&](const fs::path& source) {
      return build::compile(source, cache_folder(rung), architecture, rung.include_folders());
    };
    const build::Compiled changed = compile(file), original = compile(rung.solution);
    if (!changed.ok || !original.ok) return;
    if (code_of(changed.object) == code_of(original.object)) {
      mutant.fate = Fate::same_code;
    } else if (!orders_something(mutant.mutation)) {
      const Equivalence found = compare_with_solution(rung, original, changed, options_.seed);
      if (found.is_equivalent) mutant.fate = Fate::equivalent;
      mutant.why = found.difference;
    }
  }

  std::vector<Explanation> explained_;
  MutantOptions options_;
};

}  // namespace

std::vector<Mutant> check_mutants(const course::Course& course, const std::vector<const course::Rung*>& rungs,
                                  const MutantOptions& options,
                                  const std::function<void(size_t, size_t)>& done) {
  std::vector<std::pair<const course::Rung*, Mutation>> all;
  std::vector<std::pair<const course::Rung*, Mutation>> todos;
  for (const course::Rung* rung : rungs) {
    const std::string solution = text::read_file(rung->solution);
    std::vector<Mutation> left = todos_left(text::read_file(rung->skeleton), solution);
    for (Mutation& mutation : mutations_of(solution)) {
      const bool is_todo = std::any_of(left.begin(), left.end(), [&](const Mutation& todo) {
        return grade::code_sha256(todo.source) == grade::code_sha256(mutation.source);
      });
      if (!is_todo) all.emplace_back(rung, std::move(mutation));
    }
    for (Mutation& mutation : left)
      (options.all_todos ? todos : all).emplace_back(rung, std::move(mutation));
  }
  std::vector<size_t> chosen(all.size());
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  if (options.count > 0 && options.count < all.size()) {
    problems::Random random(options.seed);
    for (size_t i = 0; i < options.count; ++i)
      std::swap(chosen[i],
                chosen[i + static_cast<size_t>(random.from_one_to(static_cast<int64_t>(all.size() - i))) - 1]);
    chosen.resize(options.count);
    std::sort(chosen.begin(), chosen.end());
  }
  for (auto& todo : todos) {
    chosen.push_back(all.size());
    all.push_back(std::move(todo));
  }
  const Check check(course, options);
  std::vector<Mutant> mutants(chosen.size());
  std::atomic<size_t> next = 0;
  size_t finished = 0;
  std::mutex finishing;
  {
    std::vector<std::jthread> threads;
    for (unsigned worker = 0; worker < std::max(1u, options.workers); ++worker)
      threads.emplace_back([&] {
        for (size_t i = next++; i < chosen.size(); i = next++) {
          auto& [rung, mutation] = all[chosen[i]];
          const grade::ScratchFolder folder(cache_folder(*rung));
          mutants[i] = check.carry_out(*rung, std::move(mutation), folder.path());
          const std::lock_guard lock(finishing);
          done(++finished, chosen.size());
        }
      });
  }
  return mutants;
}

double part_caught(const std::vector<Mutant>& mutants) {
  const auto of_fate = [&](Fate fate) {
    return static_cast<double>(std::count_if(mutants.begin(), mutants.end(),
                                             [&](const Mutant& mutant) { return mutant.fate == fate; }));
  };
  const double caught = of_fate(Fate::caught), survived = of_fate(Fate::survived);
  return caught + survived == 0 ? 1 : caught / (caught + survived);
}

}  // namespace ridge::cli
