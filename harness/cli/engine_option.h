// --on: selects the engine that grades.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "harness/grade/grade.h"

namespace ridge::cli {

// For an option of type grade::Engine: accepts an engine's name; the error lists all names.
inline CLI::Validator engine_name(bool with_automatic) {
  return CLI::Validator(
      [with_automatic](std::string& word) {
        std::map<std::string, grade::Engine> engines = {{"gpu", grade::Engine::gpu},
                                                        {"virtual", grade::Engine::virtual_gpu}};
        if (with_automatic) engines["auto"] = grade::Engine::automatic;
        const auto found = engines.find(word);
        if (found == engines.end())
          return "there is no engine \"" + word + "\"; " +
                 (with_automatic ? "it is gpu, virtual or auto" : "it is gpu or virtual");
        word = std::to_string(static_cast<int>(found->second));
        return std::string();
      },
      "");
}

}  // namespace ridge::cli
