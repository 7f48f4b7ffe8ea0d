// Entries with the signature of the problem "scale" that do what no kernel should.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

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
ENTRY(answers_from_another_process) {
  // The packet has everything but the right sender.
  const pid_t other = fork();
  if (other == 0) {
    send(3, "{}", 2, MSG_NOSIGNAL);
    _exit(0);
  }
  waitpid(other, nullptr, 0);
}
ENTRY(floods_the_socket) {
  char rubbish[1000] = {};
  while (send(3, rubbish, sizeof rubbish, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
  }
}
ENTRY(sends_too_much) {
  std::vector<char> rubbish(100'000, '[');
  send(3, rubbish.data(), rubbish.size(), MSG_NOSIGNAL);
}
ENTRY(steers_the_terminal) {
  std::printf("\033[2J\033]0;owned\007done\n");
}
ENTRY(takes_memory) {
  for (;;) {
    void* more = mmap(nullptr, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more != MAP_FAILED) std::memset(more, 1, 64 << 20);
  }
}
ENTRY(fills_the_folder) {
  std::vector<char> block(1 << 20, 'x');
  for (int i = 0;; ++i) {
    int file = open(std::to_string(i).c_str(), O_WRONLY | O_CREAT, 0644);
    for (int written = 0; written < 64; ++written)
      if (write(file, block.data(), block.size()) < 0) usleep(1000);
    close(file);
  }
}
ENTRY(changes_the_memory_for_ever) {
  // Its size as the parent made it; the thread goes on while the parent reads.
  auto bytes = static_cast<size_t>(lseek(4, 0, SEEK_END));
  void* shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
  std::thread([=] {
    for (unsigned turn = 0;; ++turn)
      std::memset(shared, static_cast<int>(turn), bytes);
  }).detach();
}

// Prints a line for everything that a student's code must not reach and does.
ENTRY(tries_everything) {
  auto tell = [](bool reached, const char* what) {
    if (reached) std::printf("reached: %s\n", what);
  };
  tell(open("/etc/passwd", O_RDONLY) >= 0, "a file of the system's that it has no need for");
  tell(open(RIDGE_SOURCE_DIR "/CMakeLists.txt", O_RDONLY) >= 0, "the clone");
  tell(open(RIDGE_SOURCE_DIR "/trust.test", O_WRONLY | O_CREAT, 0644) >= 0, "a new file in the clone");
  tell(open("/var/tmp/ridge.test", O_WRONLY | O_CREAT, 0644) >= 0, "a new file elsewhere");
  tell(open("/usr/ridge.test", O_WRONLY | O_CREAT, 0644) >= 0, "a new file in /usr");
  tell(open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0, "a setting of the kernel");
  int internet = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in somewhere{};
  somewhere.sin_family = AF_INET;
  somewhere.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  somewhere.sin_port = htons(22);
  tell(internet >= 0, "a socket of the internet");
  if (internet >= 0)
    tell(bind(internet, reinterpret_cast<sockaddr*>(&somewhere), sizeof somewhere) == 0, "a port");
  int process = fork();
  if (process == 0) _exit(0);
  tell(process >= 0, "a process of its own");
  if (process > 0) waitpid(process, nullptr, 0);  // its SIGCHLD would stop a traced process
  tell(kill(getppid(), 0) == 0, "its parent");
  tell(kill(-1, 0) == 0, "everybody");
  tell(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0, "ptrace");
  tell(prctl(PR_SET_DUMPABLE, 0) == 0, "hiding from the parent");
  tell(open("scratch.test", O_WRONLY | O_CREAT, 0644) < 0, "(not) its scratch folder");
  std::puts("tried");
}
// NCCL's start: two sockets of this process talk over the loopback network. Then every way to a
// listener outside that the parent has named: internet ports, and a name of an abstract socket.
ENTRY(uses_the_loopback) {
  const auto address_of = [](uint32_t address, int port) {
    sockaddr_in somewhere{};
    somewhere.sin_family = AF_INET;
    somewhere.sin_addr.s_addr = htonl(address);
    somewhere.sin_port = htons(static_cast<uint16_t>(port));
    return somewhere;
  };
  const auto opens = [](int type, const sockaddr_in& to) {
    const int any = socket(AF_INET, type, 0);
    const bool opened =
        any >= 0 && connect(any, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    if (any >= 0) close(any);
    return opened;
  };
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in here = address_of(INADDR_LOOPBACK, 0);
  socklen_t length = sizeof here;
  const bool listens = listener >= 0 &&
                       bind(listener, reinterpret_cast<sockaddr*>(&here), sizeof here) == 0 &&
                       listen(listener, 1) == 0 &&
                       getsockname(listener, reinterpret_cast<sockaddr*>(&here), &length) == 0;
  std::puts(listens && opens(SOCK_STREAM, here) ? "talks to itself" : "cannot talk to itself");
  ifaddrs* interfaces = nullptr;
  std::puts(getifaddrs(&interfaces) == 0 ? "lists interfaces" : "cannot list interfaces");
  for (const ifaddrs* one = interfaces; one; one = one->ifa_next)
    if (std::strcmp(one->ifa_name, "lo") != 0) std::printf("reached: interface %s\n", one->ifa_name);
  const char* const port = std::getenv("RIDGE_TEST_PORT");
  const int outside = port ? std::atoi(port) : 0;
  if (opens(SOCK_STREAM, address_of(INADDR_LOOPBACK, outside))) std::puts("reached: a port of the machine");
  // An address for documentation (RFC 5737): connecting a datagram socket needs a route alone.
  if (opens(SOCK_DGRAM, address_of(0xc0000201, 53))) std::puts("reached: a route to the world");
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "ridge-test-%d", outside);
  const int abstract = socket(AF_UNIX, SOCK_STREAM, 0);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + std::strlen(name.sun_path + 1));
  if (connect(abstract, reinterpret_cast<sockaddr*>(&name), bytes) == 0)
    std::puts("reached: an abstract socket of the machine");
  std::puts(socket(AF_PACKET, SOCK_RAW, 0) < 0 ? "tried" : "reached: raw packets");
}
// Processes whose names it can see, itself apart.
ENTRY(counts_processes) {
  DIR* folder = opendir("/proc");
  int others = 0;
  while (dirent* entry = folder ? readdir(folder) : nullptr)
    if (int number = std::atoi(entry->d_name); number > 0 && number != getpid()) ++others;
  std::printf("others: %d\n", others);
}
