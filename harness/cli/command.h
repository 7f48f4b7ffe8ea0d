// Each command is one file: it registers itself with its options, an example, and its action.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ridge::cli {

struct Invocation {
  // Arguments passed on unchanged: after "--", or all of `ridge nvcc`, `test`, `bench`
  std::vector<std::string> rest;
  int exit_status = 0;  // set by the command
};

// For optional arguments: '' must not mean the same as a missing argument.
inline CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& word) {
        return word.empty() ? std::string("'' names no lab or rung; leave it out to mean all") : std::string();
      },
      "");
}

void add_list(CLI::App& program, Invocation& invocation);
void add_grade(CLI::App& program, Invocation& invocation);
void add_trace(CLI::App& program, Invocation& invocation);
void add_view(CLI::App& program, Invocation& invocation);
void add_hint(CLI::App& program, Invocation& invocation);
void add_read(CLI::App& program, Invocation& invocation);
void add_quiz(CLI::App& program, Invocation& invocation);
void add_course(CLI::App& program, Invocation& invocation);
void add_reset(CLI::App& program, Invocation& invocation);
void add_exec(CLI::App& program, Invocation& invocation);
void add_nvcc(CLI::App& program, Invocation& invocation);
void add_doctor(CLI::App& program, Invocation& invocation);
void add_check(CLI::App& program, Invocation& invocation);
void add_test(CLI::App& program, Invocation& invocation);
void add_bench(CLI::App& program, Invocation& invocation);
void add_history(CLI::App& program, Invocation& invocation);
void add_diff(CLI::App& program, Invocation& invocation);
void add_replay(CLI::App& program, Invocation& invocation);
void add_worklog(CLI::App& program, Invocation& invocation);
void add_card(CLI::App& program, Invocation& invocation);
void add_build(CLI::App& program, Invocation& invocation);
void add_profile(CLI::App& program, Invocation& invocation);
void add_tune(CLI::App& program, Invocation& invocation);
void add_class(CLI::App& program, Invocation& invocation);
void add_submit(CLI::App& program, Invocation& invocation);
void add_watch(CLI::App& program, Invocation& invocation);

// Watch mode; `name` is a rung or a lab, or empty for the first unfinished rung. Returns the exit status.
int watch(const std::string& name = {});

}  // namespace ridge::cli
