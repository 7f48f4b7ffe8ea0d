// How an opcode is split at its dots.
#include "virtual_gpu/machine/decode/opcode_parts.h"

#include "tests/catch.h"

using ridge::machine::OpcodeParts;

TEST_CASE("an opcode is its base and the parts behind its dots") {
  const OpcodeParts load("ld.global.nc.L1::no_allocate.v4.f32");
  CHECK(load.whole() == "ld.global.nc.L1::no_allocate.v4.f32");
  CHECK(load.base() == "ld");
  CHECK(load.last() == "f32");
  CHECK(load.size() == 6);
  CHECK(load[0] == "ld");
  CHECK(load[1] == "global");
  CHECK(load[5] == "f32");
  CHECK(load[6].empty());
}

TEST_CASE("the base of an opcode is none of its modifiers, and a part must match as a whole") {
  const OpcodeParts load("ld.global.L2::cache_hint.b32");
  CHECK(load.has("global"));
  CHECK(load.has("b32"));
  CHECK_FALSE(load.has("ld"));
  CHECK_FALSE(load.has("glob"));
  CHECK_FALSE(load.has("L2"));
  CHECK(load.has_prefix("L2::"));
  CHECK_FALSE(load.has_prefix("ld"));
}

TEST_CASE("an opcode without dots, with dots only at its end, and none at all have a base") {
  CHECK(OpcodeParts("ret").base() == "ret");
  CHECK(OpcodeParts("ret").last() == "ret");
  CHECK(OpcodeParts("ret").size() == 1);
  CHECK_FALSE(OpcodeParts("ret").has("ret"));
  const OpcodeParts odd("add..");
  CHECK(odd.size() == 3);
  CHECK(odd.base() == "add");
  CHECK(odd[1].empty());
  CHECK(odd.last().empty());
  CHECK(odd.has(""));
  CHECK(OpcodeParts("").size() == 1);
  CHECK(OpcodeParts("").base().empty());
}
