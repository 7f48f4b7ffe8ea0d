#include "harness/build/clang/clang_compile.h"

#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "harness/build/clang/device_ir.h"
#include "harness/build/clang/fat_binary.h"
#include "harness/build/clang/flags.h"
#include "harness/build/clang/managed_variables.h"
#include "harness/build/clang/source_overlay.h"
#include "harness/build/instruction_mix.h"
#include "harness/build/nvcc_output.h"
#include "text/demangled.h"
#include "text/whole_file.h"

namespace ridge::build::clang {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words joined(std::initializer_list<Words> lists) {
  Words all;
  for (const Words& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream)
    throw std::runtime_error(fmt::format("cannot write {}; is the disk full?", file.string()));
}

// Runs of clang in one sandbox, with one outcome.
class Runs {
 public:
  Runs(const OneFile& file, const Clang& clang)
      : file_(file), clang_(clang), wrapper_(sandbox_for(file, clang.readable())) {}

  // False: it failed, and `compiled` says why.
  bool run(const Words& words, Compiled& compiled) {
    const Words command = joined({wrapper_, {clang_.program.string()}, words});
    const Finished finished =
        build::run(command, {{"TMPDIR", file_.object.parent_path().string()}, {"LC_ALL", "C"}},
                   Keep::all, compile_limits(file_.stop));
    throw_unless_about_source(finished, file_, clang_.program);
    compiled.messages +=
        clang_messages(finished.output, file_.source.string(), shown_name(file_.shown));
    note_end(compiled, finished, "clang");
    return compiled.ok;
  }

 private:
  const OneFile& file_;
  const Clang& clang_;
  Words wrapper_;
};

// What nvcc compiles and clang with our headers does not: a message of clang's, and the reason to print after it ($1: the
// name in the message).
struct Lacking {
  std::regex message;
  const char* reason;
};

// The reasons in the output, each once.
std::string notes_on_lacking(const std::string& output) {
  static const std::vector<Lacking> kLacking = {
      {std::regex(
           "fatal error: '((?:cub|thrust|cuda|nv)/[^']*|(?:cublas|cufft|cusparse|cusolver|curand|nvrtc)"
           "[A-Za-z0-9_]*\\.h)' file not found"),
       "Ridgepoint's CUDA headers, with which clang compiles, lack $1"},
      {std::regex("error: no [a-z ]*named '[^']*' in (?:namespace )?'(cub|thrust)(?:::[^']*)?'"),
       "Ridgepoint's CUDA headers, with which clang compiles, have a small part of $1 only"},
      {std::regex("error: no [a-z ]*named '[^']*' in namespace 'cuda(::[a-z_:]*)?'"),
       "Ridgepoint's CUDA headers, with which clang compiles, have a part of libcu++ only"},
      {std::regex(
           "error: reference to __global__ function ('[^']*') in __(?:global|device)__ function"),
       "clang cannot compile a launch of $1 by a kernel, and nvcc can"},
  };
  std::string notes;
  for (const Lacking& one : kLacking) {
    std::smatch match;
    if (std::regex_search(output, match, one.message))
      notes += "note: " + match.format(one.reason) +
               " (docs/clang.md: What is different without nvcc)\n";
  }
  return notes;
}

// The kernels of a PTX text. What ptxas decides (registers, spills) is not known; a register count of 0 says so.
std::vector<KernelResources> kernels_in(const std::string& ptx) {
  std::vector<KernelResources> kernels;
  for (const KernelOrigin& origin : kernel_origins(ptx))
    kernels.push_back({.kernel = text::demangled(origin.kernel)});
  return kernels;
}

}  // namespace

std::string clang_messages(const std::string& output, const std::string& compiled,
                           const std::string& shown) {
  static const std::regex kNoise(
      "^(In file included from <built-in>:1:|[0-9]+ (warning|error)s?( and [0-9]+ errors?)? generated"
      ".*|clang\\+*(-[0-9]+)?: note: diagnostic msg: .*)$");
  std::istringstream stream(output);
  std::string kept;
  for (std::string line; std::getline(stream, line);)
    if (!std::regex_match(line, kNoise)) kept += line + "\n";
  return messages_in(kept + notes_on_lacking(kept), compiled, shown);
}

Compiled compile_by_clang(const OneFile& file, const Clang& clang,
                          const std::string& architecture) {
  const fs::path scratch = file.object.parent_path();
  const fs::path ir = scratch / "device.ll", ptx = scratch / "device.ptx",
                 fatbin = scratch / "device.fatbin";
  Words includes;
  for (const fs::path& folder : file.folders)
    includes.insert(includes.end(), {"-I", folder.string()});
  std::vector<fs::path> files = {file.source};
  for (const fs::path& folder : file.folders)
    for (const fs::path& header : headers_in(folder))
      files.push_back(header);
  const Words language = joined({language_flags(clang, architecture), lab_language_flags(),
                                 includes, overlay_flags(files, scratch)});
  Compiled compiled;
  Runs runs(file, clang);
  if (!runs.run(joined({language, device_flags(), {file.source.string(), "-o", ir.string()}}),
                compiled))
    return compiled;
  const std::vector<fs::path> system = {clang.headers, "/usr"};
  const DeviceIr device = rewritten(text::read_file(ir), {system, file.source});
  write(ir, device.text);
  if (!runs.run(joined({ptx_flags(architecture), {ir.string(), "-o", ptx.string()}}), compiled))
    return compiled;
  const std::string finished = finished_ptx(text::read_file(ptx), device);
  write(fatbin, fat_binary(finished, architecture));
  compiled.kernels = kernels_in(finished);
  const Words binary = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin.string()},
              to_object = {"-o", file.object.string(), "-Xlinker", clang.cudart.string()};
  if (device.managed.empty()) {
    runs.run(joined({language, lab_host_flags(), binary, {file.source.string()}, to_object}),
             compiled);
    return compiled;
  }
  const fs::path host = scratch / "host.ll";
  if (!runs.run(
          joined({language, host_ir_flags(), binary, {file.source.string(), "-o", host.string()}}),
          compiled))
    return compiled;
  write(host, with_managed_pointers(text::read_file(host), false));
  runs.run(joined({{"-x", "ir", "-O3"}, lab_object_flags(), {host.string()}, to_object}), compiled);
  return compiled;
}

}  // namespace ridge::build::clang
