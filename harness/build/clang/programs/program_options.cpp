// The options of nvcc as clang is to be given them.
#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "harness/build/clang/programs/program.h"

namespace ridge::build::clang {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Options of nvcc that say what is so here anyway, without and with a value.
const Words kIgnored = {"-lineinfo",
                        "--generate-line-info",
                        "--extended-lambda",
                        "-extended-lambda",
                        "--expt-extended-lambda",
                        "--expt-relaxed-constexpr",
                        "-expt-relaxed-constexpr",
                        "-g",
                        "--use-local-env",
                        "-w",
                        "-rdc=false",
                        "-cudart=shared",
                        "--cudart=shared",
                        "--compress-mode=none",
                        "--compress-mode=speed",
                        "-compress-mode=none",
                        "-m64",
                        "-Wno-deprecated-gpu-targets"};
const Words kIgnoredWithValue = {"-cudart",   "--cudart",          "--compress-mode",
                                 "-Xptxas",   "--ptxas-options",   "-Xfatbin",
                                 "-ccbin",    "--compiler-bindir", "-t",
                                 "--threads", "-diag-suppress"};

bool is_one_of(const std::string& word, const Words& names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::string architecture_in(const std::string& word) {
  static const std::regex kNumber("(?:compute|sm)_([0-9]+a?)");
  std::smatch match;
  return std::regex_search(word, match, kNumber) ? match[1].str() : "";
}

class WordReader {
 public:
  explicit WordReader(const Words& words) : words_(words) {}
  bool next(std::string& word) {
    if (at_ == words_.size()) return false;
    word = words_[at_++];
    return true;
  }
  std::string value_of(const std::string& word) {
    if (at_ == words_.size()) throw std::runtime_error(fmt::format("{} needs a value", word));
    return words_[at_++];
  }

 private:
  const Words& words_;
  size_t at_ = 0;
};

// Adds the words of nvcc's list "A,B", each behind `option` unless that is empty.
void add_list(const std::string& list, const std::string& option, Words& to) {
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    if (!option.empty()) to.push_back(option);
    to.push_back(word);
  }
}

// One option that is neither a source nor ignored; false: it has no counterpart.
bool take_option(const std::string& word, WordReader& reader, Program& program) {
  const auto begins = [&](const char* start) { return word.starts_with(start); };
  if (word == "-o" || word == "--output-file") {
    program.output = reader.value_of(word);
  } else if (word == "-c") {
    program.result = Result::object;
  } else if (word == "-ptx" || word == "--ptx") {
    program.result = Result::ptx;
  } else if (word == "-fatbin" || word == "--fatbin") {
    program.result = Result::fat_binary;
  } else if (word == "-G" || word == "--device-debug") {
    program.device.push_back("-O0");
  } else if (word == "-shared" || word == "--shared") {
    program.link.push_back("-shared");
  } else if (word == "-I" || word == "-D" || word == "-U" || word == "-include" ||
             word == "-isystem") {
    program.both.insert(program.both.end(), {word, reader.value_of(word)});
  } else if (begins("-I") || begins("-D") || begins("-U") || begins("-std=") || begins("-O")) {
    program.both.push_back(word);
  } else if (word == "-std" || word == "--std") {
    program.both.push_back("-std=" + reader.value_of(word));
  } else if (begins("--std=")) {
    program.both.push_back(word.substr(1));
  } else if (word == "-L" || word == "-l") {
    program.link.push_back(word + reader.value_of(word));
  } else if (begins("-L") || begins("-l")) {
    program.link.push_back(word);
  } else if (word == "-Xcompiler" || word == "--compiler-options") {
    add_list(reader.value_of(word), "", program.host);
  } else if (begins("-Xcompiler=")) {
    add_list(word.substr(11), "", program.host);
  } else if (word == "-Xlinker") {
    add_list(reader.value_of(word), word, program.link);
  } else if (begins("-arch") || begins("--gpu-architecture") || begins("-gencode") ||
             begins("--generate-code")) {
    const std::string value = word.find('=') == std::string::npos ? reader.value_of(word) : word;
    if (const std::string found = architecture_in(value); !found.empty())
      program.architecture = found;
  } else if (word == "-rdc=true" || word == "--relocatable-device-code=true" || word == "-dc") {
    program.is_relocatable = true;
    if (word == "-dc") program.result = Result::object;
  } else if (word == "-use_fast_math" || word == "--use_fast_math") {
    program.device.insert(program.device.end(),
                          {"-fgpu-approx-transcendentals", "-fcuda-flush-denormals-to-zero"});
  } else if (word == "--default-stream" || word == "-default-stream" ||
             begins("--default-stream=") || begins("-default-stream=")) {
    const size_t sign = word.find('=');
    if ((sign == std::string::npos ? reader.value_of(word) : word.substr(sign + 1)) == "per-thread")
      program.both.push_back("-fgpu-default-stream=per-thread");
  } else if (word == "--fmad=false" || word == "-fmad=false") {
    program.device.push_back("-ffp-contract=off");
  } else {
    return false;
  }
  return true;
}

}  // namespace

Program program_from_nvcc_words(const Words& words) {
  Program program;
  WordReader reader(words);
  for (std::string word; reader.next(word);) {
    if (is_one_of(word, kIgnored)) continue;
    if (is_one_of(word, kIgnoredWithValue)) {
      reader.value_of(word);
    } else if (!word.starts_with("-")) {
      const std::string extension = fs::path(word).extension().string();
      if (is_one_of(extension, {".o", ".a", ".so"}))
        program.link.push_back(word);
      else
        program.sources.emplace_back(word);
    } else if (!take_option(word, reader, program)) {
      throw std::runtime_error(fmt::format(
          "{}: clang has no counterpart of this option of nvcc. Leave it out, or install nvcc; `ridge doctor` prints "
          "the commands",
          word));
    }
  }
  if (program.sources.empty() && program.link.empty())
    throw std::runtime_error("no source file is given");
  return program;
}

}  // namespace ridge::build::clang
