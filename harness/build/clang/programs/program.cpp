#include "harness/build/clang/programs/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "harness/build/clang/clang_compile.h"
#include "harness/build/clang/device_ir.h"
#include "harness/build/clang/fat_binary.h"
#include "harness/build/clang/flags.h"
#include "harness/build/clang/managed_variables.h"
#include "harness/build/clang/programs/linked_binaries.h"
#include "harness/build/clang/source_overlay.h"
#include "harness/build/process.h"
#include "harness/build/scratch_folder.h"
#include "harness/build/sha256.h"
#include "text/whole_file.h"

namespace ridge::build::clang {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

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

// The flags of a source whose device code is linked with that of others. The ID is part of the
// names of static variables. Unless it is given, clang uses different IDs for host and device.
Words linked_flags(const Program& program, const fs::path& source) {
  std::string what = fs::absolute(source).string();
  for (const std::string& word : program.both)
    what += '\n' + word;
  return {"-fgpu-rdc", "-fuse-cuid=none", "-Xclang", "-cuid=" + sha256(what).substr(0, 16)};
}

// The options that one .cu is compiled with, for the host and the device.
Words language_of(const Clang& clang, const Program& program, const fs::path& source,
                  const fs::path& scratch) {
  return with(language_flags(clang, program.architecture),
              {{"-isystem", clang.program_headers.string()},
               program.both,
               overlay_flags({fs::absolute(source)}, scratch),
               program.is_relocatable ? linked_flags(program, source) : Words{}});
}

// The device's part of one .cu.
struct DeviceCode {
  int status = 0;  // of clang
  std::string ptx;
  bool has_managed = false;  // __managed__ variables
};

DeviceCode compile_device(const Clang& clang, const Program& program, const fs::path& source,
                          const Words& language, const fs::path& scratch) {
  const std::string compiler = clang.program.string();
  // As nvcc: the device's part is optimised unless the caller says otherwise.
  const bool optimises =
      std::any_of(program.both.begin(), program.both.end(),
                  [](const std::string& word) { return word.starts_with("-O"); });
  const fs::path ir = scratch / "device.ll", ptx = scratch / "device.ptx";
  if (int status =
          run_and_show(with({compiler}, {language,
                                         optimises ? Words{} : Words{"-O3"},
                                         program.device,
                                         device_flags(),
                                         {fs::absolute(source).string(), "-o", ir.string()}})))
    return {status, "", false};
  const std::vector<fs::path> system = {clang.headers, clang.program_headers, "/usr"};
  const DeviceIr device = rewritten(text::read_file(ir), {system, {}});
  write_text(ir, device.text);
  if (int status = run_and_show(
          with({compiler}, {ptx_flags(program.architecture), {ir.string(), "-o", ptx.string()}})))
    return {status, "", false};
  return {0, finished_ptx(text::read_file(ptx), device), !device.managed.empty()};
}

// One source to one object; the exit status of clang.
int compile_object(const Clang& clang, const Program& program, const fs::path& source,
                   const fs::path& object, const fs::path& scratch) {
  const std::string compiler = clang.program.string();
  if (source.extension() != ".cu")
    return run_and_show(with(
        {compiler, "-isystem", clang.headers.string()},
        {program.both, program.host, {"-fPIC", "-c", source.string(), "-o", object.string()}}));
  const Words language = language_of(clang, program, source, scratch);
  const DeviceCode device = compile_device(clang, program, source, language, scratch);
  if (device.status != 0) return device.status;
  const fs::path fatbin = scratch / "device.fatbin";
  write_text(fatbin, fat_binary(device.ptx, program.architecture));
  const Words binary = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin.string(),
                        fs::absolute(source).string()},
              to_object = {"-c", "-o", object.string()};
  if (!device.has_managed)
    return run_and_show(with(
        {compiler},
        {language, {"-g1"}, program.host, {"--cuda-host-only", "-w", "-fPIC"}, binary, to_object}));
  const fs::path host = scratch / "host.ll";
  if (int status = run_and_show(
          with({compiler},
               {language, {"-g1"}, program.host, host_ir_flags(), binary, {"-o", host.string()}})))
    return status;
  write_text(host, with_managed_pointers(text::read_file(host), program.is_relocatable));
  return run_and_show(
      with({compiler}, {{"-x", "ir", "-O3", "-w", "-fPIC", host.string()}, to_object}));
}

// The device's part of one source alone: PTX or a fat binary; the exit status of clang.
int compile_device_only(const Clang& clang, const Program& program, const fs::path& source,
                        const fs::path& output, const fs::path& scratch) {
  const Words language = language_of(clang, program, source, scratch);
  const DeviceCode device = compile_device(clang, program, source, language, scratch);
  if (device.status != 0) return device.status;
  write_text(output, program.result == Result::ptx ? device.ptx
                                                   : fat_binary(device.ptx, program.architecture));
  return 0;
}

// Where the result of one source goes that is not linked.
fs::path result_of(const Program& program, const fs::path& source) {
  static const std::map<Result, const char*> kExtensions = {
      {Result::object, ".o"}, {Result::ptx, ".ptx"}, {Result::fat_binary, ".fatbin"}};
  return !program.output.empty()
             ? program.output
             : source.filename().replace_extension(kExtensions.at(program.result));
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

int build_program(const Clang& clang, const Program& program) {
  const ScratchFolder scratch(fs::temp_directory_path(), "ridge-clang");
  Words objects;
  for (size_t i = 0; i < program.sources.size(); ++i) {
    const bool is_linked = program.result == Result::program;
    const bool has_host = is_linked || program.result == Result::object;
    const fs::path made = is_linked ? scratch.path() / fmt::format("{}.o", i)
                                    : result_of(program, program.sources[i]);
    if (int status = (has_host ? compile_object : compile_device_only)(
            clang, program, program.sources[i], made, scratch.path()))
      return status;
    objects.push_back(made.string());
  }
  if (program.result != Result::program) return 0;
  if (int status = add_linked_binaries(clang, scratch.path(), program.link, objects)) return status;
  Words libraries = program.link;
  std::erase(libraries, "-lcudart");
  const fs::path driver = clang.cudart.parent_path() / "driver/libcuda.so.1";
  std::replace(libraries.begin(), libraries.end(), std::string("-lcuda"), driver.string());
  return run_and_show(with(
      {clang.program.string(), "-o", program.output.empty() ? "a.out" : program.output.string()},
      {objects, libraries, {clang.cudart.string(), "-Wl,--allow-shlib-undefined", "-lpthread"}}));
}

}  // namespace ridge::build::clang
