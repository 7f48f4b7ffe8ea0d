// Resolves the names of labs and rungs that a person types.
#include <fmt/format.h>

#include <algorithm>

#include "harness/course/lab.h"
#include "text/nearest.h"

namespace ridge::course {
namespace {

namespace fs = std::filesystem;

// Removes the number: "01-kernel-basics" is "kernel-basics".
std::string without_number(const std::string& name) {
  const size_t digits = name.find_first_not_of("0123456789");
  return digits != std::string::npos && digits > 0 && name[digits] == '-' ? name.substr(digits + 1)
                                                                          : name;
}

// "1", "01" and "001" are the same number; -1: not a number.
long number_in(const std::string& text) {
  const bool digits =
      !text.empty() && text.size() < 8 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::stol(text) : -1;
}

bool names(const std::string& text, const std::string& name) {
  return text == name || text == without_number(name) ||
         (number_in(text) >= 0 && number_in(text) == std::stol(name));
}

std::vector<const Rung*> all_of(const Lab& lab) {
  std::vector<const Rung*> result;
  for (const Rung& rung : lab.rungs)
    result.push_back(&rung);
  return result;
}

std::vector<const Rung*> find_by_path(const Course& course, const std::string& text) {
  std::error_code ignored;  // the current folder may have been removed
  for (const fs::path& base : {fs::current_path(ignored), course.root}) {
    fs::path path = fs::weakly_canonical(base / text, ignored);
    if (ignored || !fs::exists(path, ignored)) continue;
    if (!path.has_filename()) path = path.parent_path();
    for (const Lab& lab : course.labs) {
      if (path == lab.folder || path == course.root / "solutions" / lab.name) return all_of(lab);
      for (const Rung& rung : lab.rungs) {
        if (path == rung.skeleton || path == rung.solution) return {&rung};
      }
    }
  }
  return {};
}

[[noreturn]] void not_found(const std::string& what, const std::string& typed,
                            const std::vector<std::string>& known, const std::string& where = "") {
  const auto near = text::nearest(typed, known);
  throw NotFound(
      fmt::format("there is no {} \"{}\"{}; {}`ridge list` shows them all", what, typed, where,
                  near.empty() ? "" : fmt::format("did you mean {}? ", text::listed(near))));
}

// All spellings for suggestions, the most complete first.
std::vector<std::string> all_names(const Course& course) {
  std::vector<std::string> result;
  for (const Lab& lab : course.labs) {
    result.push_back(lab.name);
    result.push_back(without_number(lab.name));
    for (const Rung& rung : lab.rungs) {
      result.push_back(rung.path());
      result.push_back(rung.name);
      result.push_back(without_number(rung.name));
    }
  }
  return result;
}

std::vector<const Rung*> find_in_lab(const Course& course, const std::string& lab_text,
                                     const std::string& rung_text) {
  std::vector<std::string> known;
  for (const Lab& lab : course.labs) {
    known.push_back(lab.name);
    known.push_back(without_number(lab.name));
  }
  for (const Lab& lab : course.labs) {
    if (!names(lab_text, lab.name)) continue;
    std::vector<std::string> known_rungs;
    for (const Rung& rung : lab.rungs) {
      if (names(rung_text, rung.name)) return {&rung};
      known_rungs.push_back(rung.name);
      known_rungs.push_back(without_number(rung.name));
    }
    not_found("rung", rung_text, known_rungs, " in " + lab.name);
  }
  not_found("lab", lab_text, known);
}

}  // namespace

std::vector<const Rung*> find(const Course& course, const std::string& text) {
  std::string name = text;
  while (name.size() > 1 && name.back() == '/')
    name.pop_back();
  for (const Lab& lab : course.labs) {
    if (names(name, lab.name)) return all_of(lab);
  }
  if (auto by_path = find_by_path(course, name); !by_path.empty()) return by_path;

  const bool is_file = name.ends_with(".cu");
  const size_t slash = name.find('/');
  if (slash != std::string::npos && name.find('/', slash + 1) == std::string::npos) {
    const std::string rung = name.substr(slash + 1);
    return find_in_lab(course, name.substr(0, slash),
                       is_file ? rung.substr(0, rung.size() - 3) : rung);
  }
  // A rung by its name alone, if only one lab has it.
  std::vector<const Rung*> matches;
  for (const Lab& lab : course.labs) {
    for (const Rung& rung : lab.rungs) {
      if (number_in(name) < 0 && names(name, rung.name)) matches.push_back(&rung);
    }
  }
  if (matches.size() == 1) return matches;
  if (matches.size() > 1) {
    std::vector<std::string> paths;
    for (const Rung* rung : matches)
      paths.push_back(rung->path());
    throw NotFound(fmt::format("\"{}\" is the name of {} rungs; say which: {}", name, paths.size(),
                               text::listed(paths)));
  }
  if (is_file && fs::exists(name)) {
    throw NotFound(fmt::format(
        "{} is not a file of the course; `ridge list` shows the rungs and their files", name));
  }
  not_found("lab or rung", name, all_names(course));
}

}  // namespace ridge::course
