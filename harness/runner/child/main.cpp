// ridge-runner: the process that runs a student's code. The parent starts it with a private socket
// and shared memory; it knows no seed, no expected value and no verdict.
#include <fcntl.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "harness/runner/child/device_error.h"
#include "harness/runner/child/probe.h"
#include "harness/runner/child/server.h"
#include "harness/sandbox/confine.h"

namespace {

// For a profiler, which starts the runner itself: reads commands from a file, {"memory": the file
// with the inputs, "commands": [...]}.
int replay(const char* path) {
  using namespace ridge::runner;
  try {
    std::ifstream file(path);
    const auto work = nlohmann::json::parse(file);
    const int memory = open(work.at("memory").get<std::string>().c_str(), O_RDWR | O_CLOEXEC);
    if (memory < 0) throw std::runtime_error("the file with the inputs cannot be opened");
    Server(-1, memory, {}).replay(work.at("commands"));
    return 0;
  } catch (const DeviceError& error) {
    std::fprintf(stderr, "ridge-runner: %s: %s\n", error.what.c_str(), cudaGetErrorString(error.code));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ridge-runner: %s\n", error.what());
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ridge::runner;
  if (argc == 3 && std::strcmp(argv[1], "--replay") == 0) return replay(argv[2]);
  if (argc == 2 && std::strcmp(argv[1], "--probe") == 0) return print_probe();
  std::vector<std::string> arguments(argv + 1, argv + argc);
  size_t at = 1;
  ridge::sandbox::Confinement confinement = ridge::sandbox::from_arguments(arguments, at);
  if (arguments.empty() || arguments[0] != "--serve" || at < arguments.size()) {
    std::fputs("ridge-runner is started by ridge; by hand only: ridge-runner --probe\n", stderr);
    return 2;
  }
  for (int descriptor : {kSocketDescriptor, kMemoryDescriptor})
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
      std::fputs("ridge-runner --serve needs the socket and the memory that ridge hands it\n", stderr);
      return 2;
    }
  try {
    // Must come first: the threads that the CUDA runtime starts later inherit these restrictions.
    ridge::sandbox::Confined confined = ridge::sandbox::confine_this_process(confinement);
    return Server(kSocketDescriptor, kMemoryDescriptor, confined).serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ridge-runner: %s\n", error.what());
    return 1;
  }
}
