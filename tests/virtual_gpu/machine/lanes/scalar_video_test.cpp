// vadd, vmad, vset and their relatives: parts of operands, saturation, merging. The program
// arithmetic/video_instructions prints the same on a GPU, through the decoder.
#include "tests/virtual_gpu/machine/lanes/cases.h"
#include "virtual_gpu/machine/lanes/video_control.h"

using namespace ridge::machine;

namespace {

using Part = VideoPart;
using Final = VideoFinal;

uint64_t word(const VideoControl& control) {
  return control.packed();
}

}  // namespace

TEST_CASE("the modifiers of a video instruction survive in one word") {
  const VideoControl all{.to = Part::h1, .a = Part::b3, .b = Part::h0, .compare = VideoCompare::ge,
                         .final = Final::max, .shift = 15, .to_signed = true, .a_signed = false, .b_signed = true,
                         .saturates = true, .clamps = true, .plus_one = true, .a_negative = true,
                         .b_negative = false, .c_negative = true};
  const VideoControl again = VideoControl::of(all.packed());
  CHECK(again.packed() == all.packed());
  CHECK(again.to == Part::h1);
  CHECK(again.a == Part::b3);
  CHECK(again.b == Part::h0);
  CHECK(again.compare == VideoCompare::ge);
  CHECK(again.final == Final::max);
  CHECK(again.shift == 15);
  CHECK(again.b_signed);
  CHECK_FALSE(again.a_signed);
  CHECK(again.c_negative);
}

TEST_CASE("a part of an operand is extended by the operand's type") {
  check_cases({
      {"vadd:scalar", {0x00ff0000, 1, 0, word({.a = Part::b2, .to_signed = true, .a_signed = true})}, 0},
      {"vadd:scalar", {0x00ff0000, 1, 0, word({.a = Part::b2})}, 0x100},
      {"vsub:scalar", {0x80000000, 0x0002ffff, 0, word({.a = Part::h1, .b = Part::h1})}, 0x7ffe},
      {"vabsdiff:scalar", {0xffffffff, 1, 0, word({.a_signed = true, .b_signed = true})}, 2},
      {"vabsdiff:scalar", {0xffffffff, 1, 0, word({})}, 0xfffffffe},
      {"vmin:scalar", {0xffffffff, 1, 0, word({.a_signed = true})}, 0xffffffff},
      {"vmax:scalar", {0xffffffff, 1, 0, word({.a_signed = true})}, 1},
  });
}

TEST_CASE("video results saturate to the part that they replace") {
  check_cases({
      {"vadd:scalar", {0xffffffff, 2, 0, word({.saturates = true})}, 0xffffffff},
      {"vadd:scalar", {0x7fffffff, 2, 0, word({.to_signed = true, .a_signed = true, .b_signed = true,
                                              .saturates = true})}, 0x7fffffff},
      {"vsub:scalar", {1, 2, 0x12345678, word({.to = Part::b2, .saturates = true})}, 0x12005678},
      {"vadd:scalar", {300, 2, 0x12345678, word({.to = Part::b0, .saturates = true})}, 0x123456ff},
      {"vadd:scalar", {40000, 2, 0x12345678, word({.to = Part::h1, .to_signed = true, .saturates = true})},
       0x7fff5678},
      {"vadd:scalar", {300, 2, 0x12345678, word({.to = Part::b1})}, 0x12342e78},
  });
}

TEST_CASE("a second operation combines the result with c") {
  check_cases({
      {"vadd:scalar", {5, 6, 100, word({.final = Final::add})}, 111},
      {"vmin:scalar", {5, 6, 3, word({.final = Final::min})}, 3},
      {"vmin:scalar", {5, 6, 0xffffffff, word({.final = Final::max})}, 0xffffffff},
      {"vmin:scalar", {5, 6, 0xffffffff, word({.final = Final::max, .to_signed = true})}, 5},
      {"vset:scalar", {5, 6, 10, word({.compare = VideoCompare::lt, .final = Final::add})}, 11},
      {"vset:scalar", {0xffffffff, 6, 0, word({.compare = VideoCompare::lt, .a_signed = true})}, 1},
      {"vset:scalar", {0xffffffff, 6, 0, word({.compare = VideoCompare::lt})}, 0},
  });
}

TEST_CASE("video shifts clamp their distance at 32 or take it modulo 32") {
  check_cases({
      {"vshl:scalar", {1, 33, 0, word({.clamps = true})}, 0},
      {"vshl:scalar", {1, 33, 0, word({})}, 2},
      {"vshr:scalar", {0x80000000, 40, 0, word({.a_signed = true, .clamps = true})}, 0xffffffff},
      {"vshr:scalar", {0x80000000, 40, 0, word({.clamps = true})}, 0},
      {"vshr:scalar", {0x80000000, 36, 0, word({})}, 0x08000000},
      {"vshl:scalar", {0x80000000, 4, 0, word({.saturates = true, .clamps = true})}, 0xffffffff},
  });
}

TEST_CASE("vmad multiplies parts, scales the sum and adds one") {
  check_cases({
      {"vmad:scalar", {7, 9, 100, word({})}, 163},
      {"vmad:scalar", {7, 9, 100, word({.plus_one = true})}, 164},
      {"vmad:scalar", {7, 9, 100, word({.b_negative = true})}, 37},
      {"vmad:scalar", {7, 9, 3, word({.c_negative = true})}, 60},
      {"vmad:scalar", {0xffffffff, 0xffffffff, 0, word({.shift = 15})}, 0xfffc0000},
      {"vmad:scalar", {0xffff0000, 3, 0, word({.a = Part::h1, .shift = 7, .a_signed = true})}, 0xffffffff},
      {"vmad:scalar", {0xffffffff, 2, 0, word({.saturates = true})}, 0xffffffff},
  });
}
