// Taint tracking without a machine: the instructions of a decoded kernel are announced one by one.
#include "virtual_gpu/observe/uninitialised/taint_tracker.h"

#include <cstddef>

#include "tests/catch.h"
#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/ptx/parser.h"

using namespace ridge;
using machine::OpKind;
using observe::UndefinedLanes;

namespace {

struct View final : machine::MachineView {
  const std::byte* registers() const override { return rows.data(); }
  const std::byte* shared_window() const override { return nullptr; }
  const void* frame() const override { return this; }
  void step_warp(bool on) override { is_stepped = on; }
  std::vector<std::byte> rows = std::vector<std::byte>(1 << 16);
  bool is_stepped = false;
};

std::shared_ptr<const machine::Program> program_of(const std::string& body) {
  auto module = std::make_shared<const ptx::Module>(ptx::parse(
      ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      ".shared .align 128 .b8 tile[4096];\n.reg .b32 %r<40>, %t;\n.reg .b64 %d<8>, %o;\n.reg .pred %p;\n"
      "mov.u32 %t, %tid.x;\nld.param.u64 %o, [out];\n" +
      body + "\nret;\n}\n"));
  return machine::decode(std::move(module), "k", [](const std::string& name) -> uint64_t {
    throw std::runtime_error("no symbol " + name);
  });
}

// A warp of one block whose first load, or ldmatrix, reads the bytes that `undefined` names.
struct Tracked {
  explicit Tracked(const std::string& body, machine::AccessSpace space,
                   const UndefinedLanes& undefined)
      : program(program_of(body)), memory(uint64_t{1} << 20) {
    config.grid = {1, 1, 1};
    config.block = {32, 1, 1};
    tracker.attach(view);
    block.begin(1);
    while (!is_load())
      ++pc;
    machine::Access access;
    access.instruction = pc;
    access.space = space;
    access.shape = machine::AccessShape::strided;
    access.mask = ~0u;
    access.bytes = access.stride = program->ops[pc].kind == OpKind::matrix ? 16 : 4;
    tracker.loaded(block, access, undefined);
    ++pc;
  }
  bool is_load() const {
    const machine::MicroOp& op = program->ops[pc];
    return op.kind == OpKind::load ||
           (op.kind == OpKind::matrix &&
            program->matrices[op.target].kind == machine::MatrixKind::load);
  }
  // Announces the rest of the kernel; stores are made by the lanes of `storing` only.
  std::string rest(uint32_t storing = ~0u) {
    try {
      for (; program->ops[pc].kind != OpKind::exit && program->ops[pc].kind != OpKind::ret; ++pc) {
        const uint32_t active = program->ops[pc].kind == OpKind::store ? storing : ~0u;
        tracker.before(block, {0, 0, pc, ~0u, active});
      }
    } catch (const machine::ObservedFault& fault) {
      return fault.what();
    }
    return {};
  }

  std::shared_ptr<const machine::Program> program;
  machine::LaunchConfig config;
  machine::DeviceMemory memory;
  observe::CheckedLaunch launch{{},    config, memory, program.get(), 32, 0,  false,
                                false, false,  false,  false,         {}, {}, {}};
  observe::TaintTracker tracker{launch};
  observe::BlockTaint block;
  View view;
  uint32_t pc = 0;
};

UndefinedLanes lanes(uint32_t mask, uint32_t bytes) {
  UndefinedLanes made;
  made.lanes = mask;
  for (uint32_t& of : made.bytes)
    of = bytes;
  return made;
}

}  // namespace

TEST_CASE(
    "a use of a tainted register is reported, a copy is not, and overwriting it ends the single-step") {
  const struct {
    const char* body;
    const char* use;  // nullptr: nothing is reported
    bool stays;       // the warp is still single-stepped at the end
  } rows[] = {
      {"mov.b32 %r2, %r1; st.global.b32 [%o], %r2;", nullptr, true},
      {"add.u32 %r2, %r1, 1; st.global.b32 [%o], %r2;", "stores a value computed from", true},
      {"add.u32 %r2, %r1, 1; mov.u32 %r2, 0; mov.u32 %r1, 0; st.global.b32 [%o], %r2;", nullptr,
       false},
      {"setp.eq.u32 %p, %r1, 0; @%p bra END; END: mov.u32 %r1, 0;", "takes a branch, or not, by",
       true},
      {"cvt.u64.u32 %d1, %r1; st.global.b32 [%d1], %t;", "uses as an address", true},
      {"atom.global.add.u32 %r3, [%o], %r1;", "gives to an atomic", true},
      {"setp.ne.u32 %p, %t, 0; selp.b32 %r2, %r1, 7, %p; st.global.b32 [%o], %r2;", nullptr, true},
      {"mov.b64 %d1, {%r1, %r1}; mov.b64 {%r2, %r3}, %d1; add.u32 %r2, %r2, 1; st.global.b32 [%o], %r2;",
       "stores a value computed from", true},
      {"shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff; st.global.b32 [%o], %r2;", nullptr, true},
      {"mov.u32 %r1, 0; st.global.b32 [%o], %r1;", nullptr, false},
  };
  for (const auto& row : rows) {
    INFO(row.body);
    std::string body =
        std::string("ld.global.b32 %r1, [%o];") + row.body;  // one instruction per line
    for (size_t at = body.find(';'); at != std::string::npos; at = body.find(';', at + 1))
      body.insert(at + 1, "\n");
    Tracked tracked(body, machine::AccessSpace::global, lanes(~0u, 0xf));
    REQUIRE(tracked.view.is_stepped);
    const std::string said = tracked.rest();
    INFO(said);
    REQUIRE(said.empty() == (row.use == nullptr));
    if (row.use != nullptr) CHECK(said.find(row.use) != std::string::npos);
    CHECK(tracked.view.is_stepped == row.stays);
  }
}

TEST_CASE("an element of which some bytes are defined is not tainted") {
  Tracked tracked("ld.global.b32 %r1, [%o];\nst.global.b32 [%r1], %t;",
                  machine::AccessSpace::global, lanes(~0u, 0x7));
  CHECK_FALSE(tracked.view.is_stepped);
}

TEST_CASE("the use of an unwritten shared element is kept for the block's end") {
  Tracked tracked("ld.shared.b32 %r1, [tile];\nadd.u32 %r2, %r1, 1;\nst.global.b32 [%o], %r2;",
                  machine::AccessSpace::shared, lanes(1, 0xf));
  CHECK(tracked.rest().empty());
  REQUIRE(tracked.block.use.has_value());
  CHECK(tracked.block.use->lane == 0);
}

TEST_CASE("a shuffle taints what it reads from an absent lane") {
  Tracked tracked(
      "ld.global.b32 %r9, [%o];\nshfl.sync.down.b32 %r1, %t, 1, 31, 0x7fffffff;\n"
      "add.u32 %r2, %r1, 1;\nst.global.b32 [%o], %r2;",
      machine::AccessSpace::global, {});
  while (tracked.program->ops[tracked.pc].kind != OpKind::shuffle)
    ++tracked.pc;
  machine::AbsentShuffle shuffle{0, 0, tracked.pc, 0x7fffffff, ~0u, 1u << 30, {}};
  shuffle.sources[30] = 31;
  ++tracked.pc;
  tracked.tracker.shuffled(tracked.block, shuffle);
  CHECK(tracked.rest(1u << 29).empty());
  tracked.pc -= 1;  // the store again, by the lane that read the absent one
  CHECK(tracked.rest(1u << 30).find("from lane 31") != std::string::npos);
}

TEST_CASE("a tainted element taints its row or column of an MMA") {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%t];\n";
  const std::string as_a =
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r10,%r11,%r12,%r13}, {%r4,%r5,%r6,%r7}, "
      "{%r8,%r9}, {%r1,%r1,%r2,%r3};\n";
  const std::string as_b =
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r10,%r11,%r12,%r13}, {%r5,%r5,%r6,%r7}, "
      "{%r4,%r9}, {%r1,%r1,%r2,%r3};\n";
  // Which register of D is stored, by which lane; whether that is row 3 or column 3.
  const struct {
    std::string product;
    const char* stored;
    int lane;
    bool tainted;
  } rows[] = {{as_a, "%r10", 12, true},  {as_a, "%r11", 15, true}, {as_a, "%r10", 16, false},
              {as_a, "%r12", 12, false}, {as_b, "%r11", 1, true},  {as_b, "%r13", 29, true},
              {as_b, "%r10", 1, false},  {as_b, "%r11", 2, false}};
  for (const auto& row : rows) {
    INFO(row.product << row.stored << " of lane " << row.lane);
    Tracked tracked(load + row.product + "st.global.b32 [%o], " + row.stored + ";",
                    machine::AccessSpace::global, lanes(1u << 3, 0xc000));
    CHECK(tracked.rest(1u << row.lane).empty() != row.tainted);
  }
}
