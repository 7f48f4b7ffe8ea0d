// What a process takes of the machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace ridge::runner {

// Memory that is its own or shared, in RAM, without the files it has mapped; 0 when it is gone.
int64_t memory_of(pid_t process);
// How long each of its threads could have run and was not let, in ns. Empty where the kernel does not say.
std::map<std::string, uint64_t> waits_of(pid_t process);
// The longest that one of them waited since `earlier`, in seconds: a busy machine is nobody's fault.
double longest_wait_since(const std::map<std::string, uint64_t>& earlier,
                          const std::map<std::string, uint64_t>& now);
// Of all files below a folder; what cannot be read counts nothing.
int64_t bytes_in(const std::filesystem::path& folder);
// As much as a student's host code may take: 8 GB, or three quarters of a small machine's memory.
int64_t most_host_memory();

}  // namespace ridge::runner
