// Banks draws one row per wavefront, and the heading says as many: for all kinds of accesses to shared memory.
#include <fmt/format.h>

#include <random>
#include <set>
#include <string>

#include "tests/catch.h"
#include "tests/visualizer/look.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {
namespace {

// Rows of Banks, by their regions "bank/BANK/ROW".
size_t rows_drawn(const Recorder& seen) {
  std::set<std::string> rows;
  for (const Region& region : seen.regions())
    if (region.id.starts_with("bank/0/")) rows.insert(region.id);
  return rows.size();
}

struct Kind {
  const char* instruction;
  trace::RecordKind kind;
  std::vector<uint32_t> bytes;
};
const std::vector<Kind> kKinds = {
    {"ld.shared.f32", trace::RecordKind::load, {1, 2, 4, 8, 16}},
    {"st.shared.f32", trace::RecordKind::store, {1, 2, 4, 8, 16}},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", trace::RecordKind::load, {16}},
    {"atom.shared.add.u32 %r9, [%r8], 1", trace::RecordKind::atomic, {4}},
    {"atom.shared.max.u32 %r9, [%r8], %r1", trace::RecordKind::atomic, {4}},
    {"atom.shared.cas.b32 %r9, [%r8], %r1, %r2", trace::RecordKind::atomic, {4}},
    {"atom.shared.add.f32 %f9, [%r8], %f1", trace::RecordKind::atomic, {4}},
    {"atom.shared.add.u64 %rd9, [%r8], %rd1", trace::RecordKind::atomic, {8}},
};

}  // namespace

TEST_CASE("Banks draws as many rows as the heading says wavefronts, over random patterns") {
  std::mt19937 random(18);
  for (int trial = 0; trial < 160; ++trial) {
    const Kind& kind = kKinds[static_cast<size_t>(trial) % kKinds.size()];
    HandMade one{.kind = kind.kind, .space = trace::RecordSpace::shared, .instruction = 1};
    one.bytes = kind.bytes[random() % kind.bytes.size()];
    one.mask = random() % 3 ? ~0u : static_cast<uint32_t>(random()) | 1u;
    one.is_scattered = true;
    const uint32_t range = 1u << random() % 10;
    for (uint64_t lane = 0; lane < 32; ++lane)
      one.addresses[lane] = (random() % 2 ? random() % range : lane * (range % 33)) * one.bytes;
    trace::AccessTrace trace = hand_made_trace({one});
    trace.launch.instructions[1].text = kind.instruction;
    Look look(std::move(trace), "banks");
    const auto& mark = look.app.session().timeline()->mark(0);
    INFO(kind.instruction << ", " << one.bytes << " bytes, mask " << one.mask);
    size_t drawn = rows_drawn(look.seen);
    for (const Shape& shape : look.seen.shapes())  // rows that do not fit are counted in words
      if (shape.kind == ShapeKind::text && shape.words.ends_with(" wavefronts more"))
        drawn += std::stoul(shape.words.substr(4));
    CHECK(drawn == mark.actual);
    CHECK(look.seen.says(cost_text(mark.space, mark.actual, mark.ideal)));
  }
}

TEST_CASE("32 lanes of an atomic on one word are drawn as they are counted") {
  struct Case {
    const char* instruction;
    const char* heading;
    size_t rows;
  };
  const Case cases[] = {
      {"atom.shared.add.u32 %r9, [%r8], 1", "1 wavefront, all needed", 1},
      {"atom.shared.add.u32 %r9, [%r8], %r1", "32 wavefronts, 1 would do", 32},
      {"atom.shared.add.f32 %f9, [%r8], %f1", "96 wavefronts, 3 would do", 96},
  };
  for (const Case& c : cases) {
    trace::AccessTrace trace = hand_made_trace({{.kind = trace::RecordKind::atomic,
                                                 .space = trace::RecordSpace::shared,
                                                 .base = 64,
                                                 .stride = 0,
                                                 .instruction = 1}});
    trace.launch.instructions[1].text = c.instruction;
    Look look(std::move(trace), "banks");
    INFO(c.instruction);
    CHECK(look.seen.says(c.heading));
    CHECK(rows_drawn(look.seen) == c.rows);
  }
}

}  // namespace ridge::view
