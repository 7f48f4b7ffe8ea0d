// Entries with the signature of the problem "scale" that do what no kernel should.
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#define ENTRY(name) extern "C" void name(const float*, float, float*, int, void*)

ENTRY(does_nothing) {}
ENTRY(exits_with_0) {
  std::exit(0);
}
ENTRY(exits_at_once) {
  _exit(0);
}
ENTRY(exits_with_3) {
  std::puts("giving up");
  std::exit(3);
}
ENTRY(crashes) {
  volatile int* nowhere = nullptr;
  *nowhere = 1;  // NOLINT
}
ENTRY(aborts) {
  std::abort();
}
ENTRY(hangs) {
  for (;;)
    pause();
}
ENTRY(forges_a_reply) {
  const char* forged =
      R"({"ok": true, "id": 3, "token": "00000000000000000000000000000000", "device_ms": 0.001})";
  for (int descriptor = 3; descriptor < 64; ++descriptor)
    send(descriptor, forged, std::strlen(forged), MSG_NOSIGNAL);
}
ENTRY(writes_garbage) {
  char garbage[100];
  std::memset(garbage, 0xa5, sizeof garbage);
  for (int descriptor = 3; descriptor < 64; ++descriptor)
    send(descriptor, garbage, sizeof garbage, MSG_NOSIGNAL);
}
ENTRY(closes_everything) {
  for (int descriptor = 3; descriptor < 64; ++descriptor)
    close(descriptor);
}
ENTRY(shrinks_the_memory) {
  if (ftruncate(4, 0) == 0) std::puts("shrunk");
}
ENTRY(leaves_a_process_behind) {
  if (fork() == 0)
    for (;;)
      pause();
  _exit(0);
}
ENTRY(prints_without_end) {
  for (int i = 0; i < 100000; ++i)
    std::puts("a line of output that nobody asked for");
}
