// What to say of a command line that CLI11 refuses: the library's own sentences name arguments in
// reverse order, hide an unknown option behind a missing argument, and suggest nothing.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "text/nearest.h"

namespace ridge::text {

// "; did you mean a or b?" for a typed word, or nothing.
inline std::string suggestion(const std::string& typed, const std::vector<std::string>& known) {
  const auto near = nearest(typed, known);
  return near.empty() ? "" : fmt::format("; did you mean {}?", listed(near));
}

// A sentence with what was wrong and where the help is, in which `program` is called by its name.
inline std::string command_line_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* command = &program;
  std::string path = program.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().back();
    path += " " + command->get_name();
  }
  std::string what = error.what();
  if (const auto unknown = program.remaining(true); !unknown.empty()) {
    const std::string& word = unknown.front();
    std::vector<std::string> known;
    if (word.starts_with("-")) {
      for (const CLI::Option* option : command->get_options())
        for (const std::string& name : option->get_lnames())
          known.push_back("--" + name);
      what = fmt::format("{} is not an option of {}{}", word, path, suggestion(word, known));
    } else if (const auto below = command->get_subcommands({}); !below.empty()) {
      for (const CLI::App* one : below)
        known.push_back(one->get_name());
      what = fmt::format("{} has no command \"{}\"{}", path, word, suggestion(word, known));
    } else {
      what = fmt::format("\"{}\" is one argument too many for {}", word, path);
    }
  }
  return fmt::format("{}{} see {} --help", what, what.ends_with('?') ? "" : ";", path);
}

}  // namespace ridge::text
