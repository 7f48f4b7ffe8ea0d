#include "harness/build/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "harness/build/cache.h"
#include "harness/build/nvcc_output.h"
#include "harness/build/process.h"
#include "harness/build/sha256.h"
#include "harness/build/toolkit.h"

namespace ridge::build {
namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", path.string()));
  return text.str();
}

std::vector<fs::path> headers_in(const fs::path& folder) {
  std::vector<fs::path> headers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cuh" || extension == ".hpp") headers.push_back(entry.path());
  }
  std::sort(headers.begin(), headers.end());
  return headers;
}

// Everything that the object depends on. The path is in it because line information names the file.
std::string key_of(const fs::path& source, const std::vector<fs::path>& folders,
                   const std::vector<std::string>& flags, const Toolkit& toolkit) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n", toolkit.nvcc.string(), toolkit.build,
                                fmt::join(flags, "\n"), source.string());
  const auto append = [&](const fs::path& file) {
    const std::string text = contents_of(file);
    all += fmt::format("{}\n{}\n{}", file.string(), text.size(), text);
  };
  append(source);
  for (const fs::path& folder : folders) {
    for (const fs::path& header : headers_in(folder))
      append(header);
  }
  return sha256(all);
}

// The name to show: relative to the current folder when the file is under it, so that it can be clicked or
// pasted.
std::string shown_name(const fs::path& source) {
  std::error_code error;
  const fs::path relative = fs::relative(source, fs::current_path(error), error);
  const bool under = !error && !relative.empty() && *relative.begin() != "..";
  return under ? relative.string() : source.string();
}

}  // namespace

Compiled compile(const fs::path& source, const fs::path& cache_folder, const std::string& architecture,
                 const std::vector<fs::path>& include_folders) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const Toolkit toolkit = need_toolkit();
  const fs::path compiled_path = fs::weakly_canonical(source);
  const std::vector<std::string> flags = lab_flags(architecture);
  std::vector<fs::path> folders = {compiled_path.parent_path()};
  for (const fs::path& folder : include_folders)
    folders.push_back(fs::weakly_canonical(folder));

  const Cache cache(cache_folder);
  const std::string key = key_of(compiled_path, folders, flags, toolkit);
  if (std::optional<Compiled> found = cache.find(key)) {
    found->seconds = seconds();
    return *found;
  }

  const Cache::Scratch scratch = cache.scratch();
  const fs::path object = scratch.path / "kernel.so";
  std::vector<std::string> command = {toolkit.nvcc.string()};
  command.insert(command.end(), flags.begin(), flags.end());
  for (const fs::path& folder : folders)
    command.insert(command.end(), {"-I", folder.string()});
  command.insert(command.end(), {"-o", object.string(), compiled_path.string()});
  const Finished finished = run(command, {{"TMPDIR", scratch.path.string()}, {"LC_ALL", "C"}});

  if (!finished.started) {
    throw std::runtime_error(fmt::format("cannot run {}: {}", toolkit.nvcc.string(), finished.output));
  }
  if (finished.status != 0 && disk_full_in(finished.output)) {
    throw std::runtime_error(
        fmt::format("the disk that holds {} is full; make room on it and try again", cache_folder.string()));
  }
  Compiled compiled;
  compiled.messages = messages_in(finished.output, compiled_path, shown_name(compiled_path));
  compiled.kernels = resources_in(finished.output);
  compiled.ok = finished.status == 0;
  if (finished.status > 128) {
    compiled.messages += fmt::format("nvcc was ended by signal {}\n", finished.status - 128);
  }
  if (compiled.ok) compiled = cache.insert(key, object, std::move(compiled));
  compiled.seconds = seconds();
  return compiled;
}

}  // namespace ridge::build
