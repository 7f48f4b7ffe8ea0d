#include "harness/cli/course_checks/mutants/mutant_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <thread>

#include "harness/build/compile.h"
#include "harness/cli/course_checks/mutants/equivalence.h"
#include "harness/cli/course_checks/mutants/explanations.h"
#include "harness/cli/course_checks/mutants/same_code.h"
#include "harness/cli/course_checks/mutants/todo_left.h"
#include "harness/cli/rung_work.h"
#include "harness/grade/diagnosis/not_started.h"
#include "harness/grade/engine_choice.h"
#include "harness/grade/findings/compile_outcome.h"
#include "harness/grade/grade.h"
#include "harness/grade/scratch_folder.h"
#include "harness/problems/inputs.h"
#include "text/whole_file.h"

namespace ridge::cli {

namespace fs = std::filesystem;

namespace {

// True for a line that orders accesses or passes data on. Its mistakes may show on a GPU only, so
// its mutants are never considered equivalent because they gave the same results here.
bool orders_something(const Mutation& mutation) {
  static const std::regex kOrders(
      R"(sync|fence|barrier|wait|arrive|commit|expect|release|publish|parity|phase|volatile|asm|\binit\(|reg_alloc|reg_dealloc)"),
      kOrdersByBeing(R"(atomic|__ldcg)");
  return mutation.kind == kTodoLeft || std::regex_search(mutation.before, kOrders) ||
         (mutation.kind == "statement deleted" && std::regex_search(mutation.before, kOrdersByBeing));
}

// The solution of a rung as its mutants are compared with it.
class Original {
 public:
  Original(const course::Rung& rung, uint64_t seed)
      : rung_(rung), seed_(seed), folder_(cache_folder(rung)), source_(text::read_file(rung.solution)) {}

  const std::string& source() const { return source_; }

  // Compiled in a folder like those of the mutants, whose paths have the same length.
  const build::Compiled& compiled(const std::string& architecture) {
    std::call_once(compiling_, [&] {
      const fs::path file = folder_.path() / (rung_.name + ".cu");
      std::ofstream(file, std::ios::binary) << source_;
      compiled_ = build::compile(file, cache_folder(rung_), architecture, rung_.include_folders());
      // The cache forgets what it has not needed for long.
      const fs::path kept = folder_.path() / "kernel.so";
      if (compiled_.ok) fs::copy_file(compiled_.object, kept), compiled_.object = kept;
    });
    return compiled_;
  }

  const Behaviour& behaviour(const std::string& architecture) {
    std::call_once(behaving_, [&] {
      behaviour_ = behaviour_of(rung_, compiled(architecture), source_, seed_);
    });
    return behaviour_;
  }

 private:
  const course::Rung& rung_;
  uint64_t seed_;
  grade::ScratchFolder folder_;
  std::string source_;
  std::once_flag compiling_, behaving_;
  build::Compiled compiled_;
  Behaviour behaviour_;
};

class Check {
 public:
  Check(const course::Course& course, const std::vector<const course::Rung*>& rungs,
        const MutantOptions& options)
      : explained_(load_explanations(course.root)), options_(options) {
    for (const course::Rung* rung : rungs)
      originals_.try_emplace(rung, std::make_unique<Original>(*rung, options.seed));
    architecture_ = grade::choose_engine(grade::Engine::virtual_gpu, runner::find_installation()).architecture;
  }

  Mutant carry_out(const course::Rung& rung, Mutation mutation, const fs::path& folder) const {
    Mutant mutant{rung.path(), std::move(mutation), Fate::survived, "", ""};
    const fs::path file = folder / (rung.name + ".cu");
    std::ofstream(file, std::ios::binary) << mutant.mutation.source;
    const build::Compiled compiled =
        build::compile(file, cache_folder(rung), architecture_, rung.include_folders());
    if (!compiled.ok) {
      mutant.verdict = grade::to_string(grade::outcome_of_compile(compiled, rung.include_folders()).verdict);
      mutant.fate = Fate::stillborn;
      return mutant;
    }
    Original& original = *originals_.at(&rung);
    const build::Compiled& solution = original.compiled(architecture_);
    if (solution.ok && is_same_code(compiled.object, solution.object)) {
      mutant.verdict = grade::to_string(grade::Verdict::pass);
      mutant.fate = Fate::same_code;
      return mutant;
    }
    grade::Request request;
    request.rung = &rung;
    request.source = file;
    request.engine = grade::Engine::virtual_gpu;
    request.cache = cache_folder(rung);
    request.seed = options_.seed;
    const grade::Result result = grade::grade(request);
    mutant.verdict = grade::to_string(result.verdict);
    if (grade::passed(result.verdict))
      judge_survivor(rung, compiled, original, mutant);
    else
      mutant.fate = Fate::caught;
    return mutant;
  }

 private:
  void judge_survivor(const course::Rung& rung, const build::Compiled& compiled, Original& original,
                      Mutant& mutant) const {
    if (const Explanation* found = find_explanation(explained_, mutant.rung, mutant.mutation)) {
      mutant.fate = Fate::explained;
      mutant.why = found->why;
    } else if (!orders_something(mutant.mutation) && original.compiled(architecture_).ok) {
      const Equivalence compared = compare_with_solution(rung, original.behaviour(architecture_), compiled,
                                                      original.source(), options_.seed);
      if (compared.is_equivalent) mutant.fate = Fate::equivalent;
      mutant.why = compared.difference;
    }
  }

  std::vector<Explanation> explained_;
  MutantOptions options_;
  std::string architecture_;
  std::map<const course::Rung*, std::unique_ptr<Original>> originals_;
};

// Every mutant of a rung that is not left out, each code once.
std::vector<Mutation> mutants_of(const course::Rung& rung, const MutantOptions& options, bool todos) {
  const std::string solution = text::read_file(rung.solution);
  std::vector<Mutation> left = todos_left(text::read_file(rung.skeleton), solution);
  std::set<std::string> hashes;
  for (const Mutation& todo : left)
    hashes.insert(hash_of_code(todo.source));
  std::vector<Mutation> mutations;
  if (!todos)
    for (Mutation& mutation : mutations_of(solution))
      if (hashes.insert(hash_of_code(mutation.source)).second) mutations.push_back(std::move(mutation));
  if (todos || !options.all_todos)
    std::move(left.begin(), left.end(), std::back_inserter(mutations));
  std::erase_if(mutations, [&](const Mutation& mutation) {
    return options.known.contains({rung.path(), hash_of_code(mutation.source)});
  });
  return mutations;
}

}  // namespace

std::string hash_of_code(const std::string& source) {
  constexpr size_t kShortHash = 12;
  return grade::code_sha256(source).substr(0, kShortHash);
}

std::vector<Mutant> check_mutants(const course::Course& course, const std::vector<const course::Rung*>& rungs,
                                  const MutantOptions& options,
                                  const std::function<void(const Mutant&, size_t, size_t)>& done) {
  std::vector<std::pair<const course::Rung*, Mutation>> all;
  for (const course::Rung* rung : rungs)
    for (Mutation& mutation : mutants_of(*rung, options, false))
      all.emplace_back(rung, std::move(mutation));
  problems::Random random(options.seed);
  for (size_t i = 0; i < all.size(); ++i)
    std::swap(all[i],
              all[i + static_cast<size_t>(random.from_one_to(static_cast<int64_t>(all.size() - i))) - 1]);
  if (options.count > 0 && options.count < all.size()) all.resize(options.count);
  if (options.all_todos)
    for (const course::Rung* rung : rungs)
      for (Mutation& mutation : mutants_of(*rung, options, true))
        all.emplace_back(rung, std::move(mutation));
  const Check check(course, rungs, options);
  std::vector<Mutant> mutants(all.size());
  std::atomic<size_t> next = 0;
  size_t finished = 0;
  std::exception_ptr failure;  // of the machine: a full disk, a compiler that was killed
  std::mutex finishing;
  {
    std::vector<std::jthread> threads;
    for (unsigned worker = 0; worker < std::max(1u, options.workers); ++worker)
      threads.emplace_back([&] {
        for (size_t i = next++; i < all.size(); i = next++) try {
            auto& [rung, mutation] = all[i];
            const grade::ScratchFolder folder(cache_folder(*rung));
            mutants[i] = check.carry_out(*rung, std::move(mutation), folder.path());
            const std::lock_guard lock(finishing);
            done(mutants[i], ++finished, all.size());
          } catch (...) {
            const std::lock_guard lock(finishing);
            if (!failure) failure = std::current_exception();
            next = all.size();
          }
      });
  }
  if (failure) std::rethrow_exception(failure);
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
