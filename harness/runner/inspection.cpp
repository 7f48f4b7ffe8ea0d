#include "harness/runner/inspection.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "text/whole_file.h"

namespace ridge::runner {

namespace {

std::string text_of(const std::string& file) {
  std::string all = text::read_file_if_readable(file).value_or("");
  while (!all.empty() && all.back() == '\n')
    all.pop_back();
  return all;
}

uint64_t hash(const std::vector<char>& bytes) {
  uint64_t value = 0xcbf29ce484222325;
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    value = (value ^ word) * 0x100000001b3;
    value ^= value >> 29;
  }
  return value;
}

// One line of /proc/PID/maps: "7f00-7f10 r-xp 00001000 08:01 42   /usr/lib/libc.so.6".
struct Mapping {
  uint64_t start = 0, end = 0, offset = 0;
  std::string rights, file;
};

std::vector<Mapping> mappings_of(pid_t process) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  std::vector<Mapping> all;
  for (std::string line; std::getline(maps, line);) {
    Mapping one;
    std::istringstream words(line);
    std::string range, device, inode;
    words >> range >> one.rights >> std::hex >> one.offset >> device >> inode >> std::ws;
    std::getline(words, one.file);
    size_t dash = range.find('-');
    if (dash == std::string::npos) continue;
    one.start = std::stoull(range.substr(0, dash), nullptr, 16);
    one.end = std::stoull(range.substr(dash + 1), nullptr, 16);
    all.push_back(one);
  }
  return all;
}

// A further call on the stack of the waiting thread uses more than this; the C library's two ways
// of waiting differ by less.
constexpr uint64_t kStackRoom = 512;

// The program counter of a running thread is not visible: wait briefly until it waits.
void record_wait_place(pid_t process, const std::vector<Mapping>& mappings, ProcessSnapshot& snapshot) {
  for (int attempt = 0; attempt < 200; ++attempt) {
    // Parses "45 0x3 0x55.. 0xea60 0x0 0x0 0x0 0x7ffd.. 0x7f..": the call, six arguments, stack
    // pointer, program counter.
    std::istringstream words(text_of(fmt::format("/proc/{}/syscall", process)));
    std::vector<std::string> parts;
    for (std::string word; words >> word;)
      parts.push_back(word);
    if (parts.size() == 9 && parts[0] == std::to_string(SYS_recvfrom)) {
      snapshot.waits_with_stack = std::stoull(parts[7], nullptr, 16);
      uint64_t counter = std::stoull(parts[8], nullptr, 16);
      for (const Mapping& one : mappings)
        if (counter >= one.start && counter < one.end) snapshot.waits_in = one.file;
      return;
    }
    usleep(500);
  }
}

bool belongs_to_system(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const char* start : {"libc.so", "libc-", "libm.so", "libm-", "libgcc_s", "libstdc++", "libdl", "librt",
                            "libpthread", "libcudart.so", "libcuda.so", "libnvidia-", "libnss_", "ld-linux"})
    if (name.starts_with(start)) return true;
  return false;
}

}  // namespace

ProcessSnapshot snapshot_of(pid_t process, const ProcessSnapshot* earlier) {
  ProcessSnapshot snapshot;
  int memory = open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC);
  if (memory < 0) return snapshot;
  const std::vector<Mapping> mappings = mappings_of(process);
  record_wait_place(process, mappings, snapshot);
  for (const Mapping& one : mappings) {
    if (one.file.empty() || one.file.front() != '/' || one.rights[0] != 'r') continue;
    bool code = one.rights[2] == 'x';
    if (code) snapshot.libraries.insert(one.file);
    if (one.rights[1] == 'w' || one.rights[3] != 'p') continue;
    const std::string place = fmt::format("{} {:x}", one.file, one.start);
    if (earlier && !earlier->frozen.contains(place)) continue;
    std::vector<char> bytes(one.end - one.start);
    ssize_t read = pread(memory, bytes.data(), bytes.size(), static_cast<off_t>(one.start));
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(read, 0)));
    snapshot.frozen[place] = hash(bytes);
  }
  close(memory);
  snapshot.visible = !snapshot.libraries.empty();
  snapshot.name = text_of(fmt::format("/proc/{}/comm", process));
  std::string tasks = fmt::format("/proc/{}/task", process);
  if (DIR* folder = opendir(tasks.c_str())) {
    while (const dirent* entry = readdir(folder))
      if (std::string id = entry->d_name; id.front() != '.' && id != std::to_string(process))
        snapshot.threads.push_back(text_of(tasks + "/" + id + "/comm"));
    closedir(folder);
  }
  return snapshot;
}

std::string what_changed(const ProcessSnapshot& before, const ProcessSnapshot& after,
                         const std::string& object, const Allowed& allowed) {
  if (!before.visible) return "";  // this system does not permit the inspection
  if (!after.visible) return "hides the process that runs it from view";
  // Another process that compiled the same text at the same moment may have replaced the object's
  // file.
  const std::string replaced = object + " (deleted)";
  for (const std::string& file : after.libraries)
    if (!allowed.libraries && !before.libraries.contains(file) && file != object && file != replaced &&
        !belongs_to_system(file) &&
        std::find(allowed.files.begin(), allowed.files.end(), file) == allowed.files.end())
      return fmt::format("brought {} into the process", file);
  for (const auto& [place, value] : before.frozen) {
    auto now = after.frozen.find(place);
    if (now == after.frozen.end() || now->second != value)
      return fmt::format(
          "changed code or tables that are not its own, of {}",
          std::filesystem::path(place.substr(0, place.rfind(' '))).filename().string());
  }
  // Threads of the virtual GPU and of NVIDIA's driver have their own names; a thread that the file
  // starts has the process's name.
  auto unnamed = [&](const ProcessSnapshot& snapshot) {
    return std::count(snapshot.threads.begin(), snapshot.threads.end(), before.name);
  };
  if (auto more = unnamed(after) - unnamed(before) - allowed.threads; more > 0)
    return fmt::format("left {} thread{} running after it returned", more, more == 1 ? "" : "s");
  if (after.name != before.name) return "renamed the process that runs it";
  uint64_t deeper = std::max(before.waits_with_stack, after.waits_with_stack) -
                    std::min(before.waits_with_stack, after.waits_with_stack);
  if (before.waits_with_stack && (deeper > kStackRoom || after.waits_in != before.waits_in))
    return "answers commands in the place of the program that called it";
  return "";
}

}  // namespace ridge::runner
