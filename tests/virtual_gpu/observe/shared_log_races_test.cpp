// Races whose loads went by in the log: found as without it, a case for each way.
#include "tests/virtual_gpu/observe/logged_block.h"

using namespace ridge;
using namespace ridge::observe::test;
using machine::SyncPlace;

TEST_CASE("races are found through the log") {
  struct Case {
    const char* what;
    void (*act)(Block& block, std::vector<Outcome>& last);
    bool raced;
    uint32_t other_thread = 0;
    bool other_writes = false;
  };
  const Case cases[] = {
      {"a write after another warp's read",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.store(row(2, 2, 3)));
       },
       true, 32},
      {"a read after another warp's write",
       [](Block& b, std::vector<Outcome>& last) {
         b.store(row(2, 2, 3));
         last.push_back(read(b, 1, 3));
       },
       true, 64, true},
      {"a write after the same warp's read",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.store(row(2, 1, 3)));
       },
       false},
      {"a write of another line",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.store(row(2, 2, 4)));
         read(b, 1, 3);
       },
       false},
      {"a write after a barrier",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0xf, 1);
         last.push_back(b.store(row(2, 2, 3)));
       },
       false},
      {"a write after a barrier of other warps",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0xc, 7, {SyncPlace::Kind::block_barrier, 0, 1, 0});
         last.push_back(b.store(row(2, 2, 3)));
       },
       true, 32},
      {"a write after a barrier of the two warps",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0x6, 7, {SyncPlace::Kind::block_barrier, 0, 1, 0});
         last.push_back(b.store(row(2, 2, 3)));
       },
       false},
      {"a write of a warp that did not come to the barrier of two others",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0x6, 7, {SyncPlace::Kind::block_barrier, 0, 1, 0});
         last.push_back(b.store(row(2, 3, 3)));
       },
       true, 32},
      {"a write of another lane of the warp",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.store(access_of(2, 1, 3 * 128 + 31 * 4, -4)));
       },
       true, 32 + 31},
      {"a write of another lane of the warp after __syncwarp",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.shadow.warp_synchronized(1, ~0u, ~0u);
         last.push_back(b.store(access_of(2, 1, 3 * 128 + 31 * 4, -4)));
       },
       false},
      {"a write of another warp after __syncwarp",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.shadow.warp_synchronized(1, ~0u, ~0u);
         last.push_back(b.store(row(2, 2, 3)));
       },
       true, 32},
      {"two buffers that change places at barriers",
       [](Block& b, std::vector<Outcome>& last) {
         for (uint64_t turn = 1; turn < 9; ++turn) {
           for (uint32_t warp = 0; warp < kWarps; ++warp) {
             last.push_back(b.store(row(2, warp, turn % 2 * 8 + warp)));
             for (uint64_t line = 0; line < 4; ++line)
               last.push_back(b.load(row(1, warp, (turn + 1) % 2 * 8 + line), line != 0));
           }
           b.meet(0xf, turn);
         }
       },
       false},
      {"two buffers of which the wrong one is written",
       [](Block& b, std::vector<Outcome>& last) {
         for (uint64_t line = 0; line < 4; ++line)
           b.load(row(1, 0, line), line != 0);
         last.push_back(b.store(row(2, 1, 1)));
       },
       true, 0},
      {"a copy started after another warp's read",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         last.push_back(b.start_copy(row(2, 2, 3)));
       },
       true, 32},
      {"a copy started after a barrier, and another line read meanwhile",
       [](Block& b, std::vector<Outcome>& last) {
         read(b, 1, 3);
         b.meet(0xf, 1);
         last.push_back(b.start_copy(row(2, 2, 3)));
         last.push_back(read(b, 1, 4));
       },
       false},
      {"a read, by the thread itself, of what its copy has not filled",
       [](Block& b, std::vector<Outcome>& last) {
         b.start_copy(row(2, 2, 3));
         read(b, 1, 4);
         last.push_back(read(b, 2, 3));
       },
       true, 64},
      {"a read after a barrier that no wait came before",
       [](Block& b, std::vector<Outcome>& last) {
         b.start_copy(row(2, 2, 3));
         b.meet(0xf, 1);
         read(b, 1, 4);
         last.push_back(read(b, 1, 3));
       },
       true, 32},
      {"a read after the wait and a barrier",
       [](Block& b, std::vector<Outcome>& last) {
         b.start_copy(row(2, 2, 3));
         last.push_back(b.end_copy(row(2, 2, 3)));
         b.meet(0xf, 1);
         last.push_back(read(b, 1, 3));
       },
       false},
      {"a read after the wait without a barrier",
       [](Block& b, std::vector<Outcome>& last) {
         b.start_copy(row(2, 2, 3));
         b.end_copy(row(2, 2, 3));
         last.push_back(read(b, 1, 3));
       },
       true, 64, true},
      {"a write of what a store beside the threads may still read",
       [](Block& b, std::vector<Outcome>& last) {
         b.shadow.mark_leaving(3 * 128, 128, 5);
         read(b, 1, 3);
         last.push_back(b.store(row(2, 1, 3)));
       },
       true, 32},
      {"a write after that store has read",
       [](Block& b, std::vector<Outcome>& last) {
         b.shadow.mark_leaving(3 * 128, 128, 5);
         b.shadow.copy_left(3 * 128, 128);
         read(b, 1, 4);
         last.push_back(b.store(row(2, 1, 3)));
       },
       false},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    Block with(true), without(false);
    std::vector<Outcome> last, exact;
    fill(with);
    fill(without);
    one.act(with, last);
    one.act(without, exact);
    if (!one.other_writes) CHECK(with.logged > 0);
    CHECK(last == exact);
    REQUIRE_FALSE(last.empty());
    CHECK(last.back().raced == one.raced);
    if (!one.raced) continue;
    CHECK(last.back().race.other_thread == one.other_thread);
    CHECK(last.back().race.other_writes == one.other_writes);
  }
}
