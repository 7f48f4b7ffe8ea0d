// ridge-runner: the process that runs a student's code. Started by the parent with a private socket and
// shared memory; knows no seed, no expected value and no verdict.
#include <fcntl.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include "harness/runner/child/probe.h"
#include "harness/runner/child/server.h"

int main(int argc, char** argv) {
  using namespace ridge::runner;
  if (argc == 2 && std::strcmp(argv[1], "--probe") == 0) return print_probe();
  if (argc != 2 || std::strcmp(argv[1], "--serve") != 0) {
    std::fputs("ridge-runner is started by ridge; by hand only: ridge-runner --probe\n", stderr);
    return 2;
  }
  for (int descriptor : {kSocketDescriptor, kMemoryDescriptor})
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
      std::fputs("ridge-runner --serve needs the socket and the memory that ridge hands it\n", stderr);
      return 2;
    }
  try {
    return Server(kSocketDescriptor, kMemoryDescriptor).serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ridge-runner: %s\n", error.what());
    return 1;
  }
}
