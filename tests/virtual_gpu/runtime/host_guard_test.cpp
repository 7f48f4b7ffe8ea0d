// The host cannot touch whole pages of device memory but while work is carried out.
#include "virtual_gpu/runtime/devices/host_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/catch.h"

using ridge::runtime::DeviceWork;
using ridge::runtime::HostGuard;

namespace {

constexpr uint64_t kPage = 4096;

struct Pages {
  void* memory = mmap(nullptr, 8 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int ends[2] = {};
  Pages() { REQUIRE(pipe(ends) == 0); }
  ~Pages() {
    munmap(memory, 8 * kPage);
    close(ends[0]);
    close(ends[1]);
  }
  uint64_t at(uint64_t offset) const { return reinterpret_cast<uint64_t>(memory) + offset; }
  // The system refuses to read what the process may not.
  bool is_open(uint64_t offset) const {
    return write(ends[1], reinterpret_cast<const void*>(at(offset)), 1) == 1;
  }
};

}  // namespace

TEST_CASE("whole pages of an allocation are closed, and open while work is carried out") {
  const Pages pages;
  HostGuard guard;
  guard.turn_on();
  guard.add(pages.at(256), 3 * kPage);  // pages 1 and 2 are whole
  CHECK(pages.is_open(256));
  CHECK_FALSE(pages.is_open(kPage));
  CHECK_FALSE(pages.is_open(3 * kPage - 1));
  CHECK(pages.is_open(3 * kPage));
  {
    const DeviceWork outer(guard);
    CHECK(pages.is_open(kPage));
    {
      const DeviceWork inner(guard);
    }
    CHECK(pages.is_open(kPage));
    guard.add(pages.at(4 * kPage), kPage);
    CHECK(pages.is_open(4 * kPage));
  }
  CHECK_FALSE(pages.is_open(kPage));
  CHECK_FALSE(pages.is_open(4 * kPage));
  guard.remove(pages.at(256));
  CHECK(pages.is_open(kPage));
  CHECK_FALSE(pages.is_open(4 * kPage));
  guard.remove(pages.at(4 * kPage));
  guard.remove(pages.at(4 * kPage));  // not there any more
}

TEST_CASE("small allocations and a guard that is off close nothing") {
  const Pages pages;
  HostGuard off, on;
  off.add(pages.at(0), 4 * kPage);
  CHECK(pages.is_open(0));
  on.turn_on();
  on.add(pages.at(16), kPage);
  CHECK(pages.is_open(16));
}
