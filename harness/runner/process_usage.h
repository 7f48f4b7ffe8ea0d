// Reads the memory, waiting time and disk space of a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace ridge::runner {

// Private and shared memory in RAM, without mapped files; 0 when the process has ended.
int64_t memory_of(pid_t process);
// For each thread, the time in ns in which it was runnable but not scheduled. Empty when the kernel
// does not report it.
std::map<std::string, uint64_t> waits_of(pid_t process);
// The longest such wait of a thread since `earlier`, in seconds. It is caused by a busy machine,
// not by the program.
double longest_wait_since(const std::map<std::string, uint64_t>& earlier,
                          const std::map<std::string, uint64_t>& now);
// The bytes of all files below a folder; unreadable ones count as 0.
int64_t bytes_in(const std::filesystem::path& folder);
// The memory limit of a student's host code: 8 GB, or three quarters of a smaller machine's memory.
int64_t most_host_memory();

}  // namespace ridge::runner
