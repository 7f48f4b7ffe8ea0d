// What a process takes of the machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace ridge::runner {

// Memory that is its own or shared, in RAM, without the files it has mapped; 0 when it is gone.
int64_t memory_of(pid_t process);
// How long its threads could have run and were not let, the longest of them: a busy machine is nobody's fault.
// 0 where the kernel does not say.
double waited_for_processor_s(pid_t process);
// Of all files below a folder; what cannot be read counts nothing.
int64_t bytes_in(const std::filesystem::path& folder);
// As much as a student's host code may take: 8 GB, or three quarters of a small machine's memory.
int64_t most_host_memory();

}  // namespace ridge::runner
