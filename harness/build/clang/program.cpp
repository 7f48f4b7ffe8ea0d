#include "harness/build/clang/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>

#include "harness/build/clang/clang_compile.h"
#include "harness/build/clang/device_ir.h"
#include "harness/build/clang/fat_binary.h"
#include "harness/build/clang/flags.h"
#include "harness/build/clang/linked_binaries.h"
#include "harness/build/clang/managed_variables.h"
#include "harness/build/clang/source_overlay.h"
#include "harness/build/process.h"
#include "harness/build/scratch_folder.h"
#include "harness/build/sha256.h"
#include "text/whole_file.h"

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
                        "-m64"};
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

// One option that is neither a source nor ignored; false: it has no counterpart.
bool take_option(const std::string& word, WordReader& reader, Program& program) {
  const auto begins = [&](const char* start) { return word.starts_with(start); };
  if (word == "-o" || word == "--output-file") {
    program.output = reader.value_of(word);
  } else if (word == "-c") {
    program.is_object = true;
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
    program.host.push_back(reader.value_of(word));
  } else if (begins("-Xcompiler=")) {
    program.host.push_back(word.substr(11));
  } else if (word == "-Xlinker") {
    program.link.insert(program.link.end(), {word, reader.value_of(word)});
  } else if (begins("-arch") || begins("--gpu-architecture") || begins("-gencode") ||
             begins("--generate-code")) {
    const std::string value = word.find('=') == std::string::npos ? reader.value_of(word) : word;
    if (const std::string found = architecture_in(value); !found.empty())
      program.architecture = found;
  } else if (word == "-rdc=true" || word == "--relocatable-device-code=true" || word == "-dc") {
    program.is_relocatable = true;
    program.is_object |= word == "-dc";
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

int run_and_show(const Words& command) {
  const Finished finished = run(command, {{"LC_ALL", "C"}});
  const std::string shown = clang_messages(finished.output, "", "");
  if (!shown.empty()) fmt::print(stderr, "{}", shown);
  return finished.status;
}

Words with(Words words, std::initializer_list<Words> more) {
  for (const Words& list : more)
    words.insert(words.end(), list.begin(), list.end());
  return words;
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Of a source whose device code is linked with that of others. The ID is part of the names of static variables, which
// clang makes of something else for the host than for the device unless it is given.
Words linked_flags(const Program& program, const fs::path& source) {
  std::string what = fs::absolute(source).string();
  for (const std::string& word : program.both)
    what += '\n' + word;
  return {"-fgpu-rdc", "-fuse-cuid=none", "-Xclang", "-cuid=" + sha256(what).substr(0, 16)};
}

// One source to one object; the exit status of clang.
int compile_one(const Clang& clang, const Program& program, const fs::path& source,
                const fs::path& object, const fs::path& scratch) {
  const std::string compiler = clang.program.string();
  if (source.extension() != ".cu")
    return run_and_show(with(
        {compiler, "-isystem", clang.headers.string()},
        {program.both, program.host, {"-fPIC", "-c", source.string(), "-o", object.string()}}));
  // As nvcc: the device's part is optimised unless the caller says otherwise.
  const bool optimises =
      std::any_of(program.both.begin(), program.both.end(),
                  [](const std::string& word) { return word.starts_with("-O"); });
  const Words language = with(language_flags(clang, program.architecture),
                              {program.both, overlay_flags({fs::absolute(source)}, scratch),
                               program.is_relocatable ? linked_flags(program, source) : Words{}});
  const fs::path ir = scratch / "device.ll", ptx = scratch / "device.ptx",
                 fatbin = scratch / "device.fatbin";
  if (int status =
          run_and_show(with({compiler}, {language,
                                         optimises ? Words{} : Words{"-O3"},
                                         program.device,
                                         device_flags(),
                                         {fs::absolute(source).string(), "-o", ir.string()}})))
    return status;
  const std::vector<fs::path> system = {clang.headers, "/usr"};
  const DeviceIr device = rewritten(text::read_file(ir), {system, {}});
  write_text(ir, device.text);
  if (int status = run_and_show(
          with({compiler}, {ptx_flags(program.architecture), {ir.string(), "-o", ptx.string()}})))
    return status;
  write_text(fatbin, fat_binary(finished_ptx(text::read_file(ptx), device), program.architecture));
  const Words binary = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin.string(),
                        fs::absolute(source).string()},
              to_object = {"-c", "-o", object.string()};
  if (device.managed.empty())
    return run_and_show(with(
        {compiler},
        {language, program.host, {"--cuda-host-only", "-w", "-g1", "-fPIC"}, binary, to_object}));
  const fs::path host = scratch / "host.ll";
  if (int status = run_and_show(
          with({compiler},
               {language, program.host, host_ir_flags(), {"-g1"}, binary, {"-o", host.string()}})))
    return status;
  write_text(host, with_managed_pointers(text::read_file(host), program.is_relocatable));
  return run_and_show(
      with({compiler}, {{"-x", "ir", "-O3", "-w", "-fPIC", host.string()}, to_object}));
}

// Objects whose device code is linked: adds the object that registers it for all of them. The exit status of clang.
int add_linked_binaries(const Clang& clang, const fs::path& scratch, const Words& link,
                        Words& objects) {
  std::set<std::string> functions;
  for (const Words& files : {objects, link})
    for (const std::string& file : files)
      if (const auto bytes = text::read_file_if_readable(file))
        functions.merge(linked_binaries_in(*bytes));
  if (functions.empty()) return 0;
  const fs::path source = scratch / "linked_binaries.cpp", object = scratch / "linked_binaries.o";
  write_text(source, linked_binaries_source(functions));
  objects.push_back(object.string());
  return run_and_show(
      {clang.program.string(), "-fPIC", "-c", source.string(), "-o", object.string()});
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

int build_program(const Clang& clang, const Program& program) {
  const ScratchFolder scratch(fs::temp_directory_path(), "ridge-clang");
  Words objects;
  for (size_t i = 0; i < program.sources.size(); ++i) {
    fs::path object = scratch.path() / fmt::format("{}.o", i);
    if (program.is_object) {
      object = program.output != "a.out" ? program.output
                                         : program.sources[i].filename().replace_extension(".o");
    }
    if (int status = compile_one(clang, program, program.sources[i], object, scratch.path()))
      return status;
    objects.push_back(object.string());
  }
  if (program.is_object) return 0;
  if (int status = add_linked_binaries(clang, scratch.path(), program.link, objects)) return status;
  Words libraries = program.link;
  std::erase(libraries, "-lcudart");
  const fs::path driver = clang.cudart.parent_path() / "driver/libcuda.so.1";
  std::replace(libraries.begin(), libraries.end(), std::string("-lcuda"), driver.string());
  return run_and_show(with(
      {clang.program.string(), "-o", program.output.string()},
      {objects, libraries, {clang.cudart.string(), "-Wl,--allow-shlib-undefined", "-lpthread"}}));
}

}  // namespace ridge::build::clang
