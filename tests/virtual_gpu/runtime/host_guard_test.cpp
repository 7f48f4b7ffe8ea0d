// The host can access device memory only while work of a stream is executed.
#include "virtual_gpu/runtime/devices/host_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/catch.h"
#include "virtual_gpu/machine/memory/memory.h"

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

TEST_CASE("an allocation of any size is closed, and open while work is executed") {
  const Pages pages;
  HostGuard guard;
  guard.turn_on();
  guard.add(pages.at(kPage), 2 * kPage + 1);
  CHECK(pages.is_open(kPage - 1));
  CHECK_FALSE(pages.is_open(kPage));
  CHECK_FALSE(pages.is_open(4 * kPage - 1));
  CHECK(pages.is_open(4 * kPage));
  {
    const DeviceWork outer(guard);
    CHECK(pages.is_open(kPage));
    {
      const DeviceWork inner(guard);
    }
    CHECK(pages.is_open(kPage));
    guard.add(pages.at(5 * kPage), 4);
    CHECK(pages.is_open(5 * kPage));
  }
  CHECK_FALSE(pages.is_open(kPage));
  CHECK_FALSE(pages.is_open(5 * kPage));
  guard.remove(pages.at(kPage));
  CHECK(pages.is_open(kPage));
  CHECK_FALSE(pages.is_open(5 * kPage));
  guard.remove(pages.at(5 * kPage));
  guard.remove(pages.at(5 * kPage));  // not there any more
}

TEST_CASE("a guard that is off closes nothing, and memory inside a page is refused") {
  const Pages pages;
  HostGuard off, on;
  off.add(pages.at(0), 4 * kPage);
  CHECK(pages.is_open(0));
  on.turn_on();
  CHECK_THROWS_AS(on.add(pages.at(16), kPage), std::logic_error);
  CHECK(pages.is_open(16));
}

TEST_CASE("allocations with pages of their own share none, and still have unaddressable bytes between them") {
  ridge::machine::DeviceMemory memory(1 << 20, 2);
  memory.give_each_its_own_pages();
  uint64_t end = 0;
  for (const uint64_t bytes : {1u, 4096u, 4000u, 0u, 5u}) {
    const auto begin = memory.allocate(bytes, "cudaMalloc");
    REQUIRE(begin);
    CHECK(*begin % kPage == 0);
    CHECK(*begin >= (end + 255) / kPage * kPage);
    CHECK(*begin - end >= 256);
    CHECK(memory.find(*begin, std::max<uint64_t>(bytes, 1)).has_value() == (bytes != 0));
    end = *begin + bytes;
  }
  CHECK_THROWS_AS(memory.give_each_its_own_pages(), std::logic_error);
}
