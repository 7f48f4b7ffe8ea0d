// mma.sync of every shape and type beside a plain triple loop in double over the element coordinates that the
// PTX manual documents, written down here once more. Small integers, so every sum is exact.
#include <functional>

#include "tests/catch.h"
#include "tests/virtual_gpu/machine/virtual_device.h"
#include "virtual_gpu/machine/memory/half_float.h"

using ridge::machine::test::Device;

namespace {

struct Type {
  const char* name;
  int bits;
  uint32_t (*encode)(int value);
};

uint32_t encode_float(int value) {
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}
// -3 .. 3 in 8 bits: sign, exponent, one digit of the mantissa.
uint32_t encode_small(int value, int bias, int mantissa_bits) {
  const auto magnitude = static_cast<uint32_t>(value < 0 ? -value : value);
  if (magnitude == 0) return 0;
  const uint32_t exponent = magnitude >= 2 ? 1 : 0, fraction = magnitude == 3 ? 1u << (mantissa_bits - 1) : 0;
  return (value < 0 ? 0x80u : 0u) | (static_cast<uint32_t>(bias) + exponent) << mantissa_bits | fraction;
}

const Type kF16{"f16", 16,
                [](int v) -> uint32_t { return ridge::machine::float_to_half(static_cast<float>(v)); }};
const Type kBf16{"bf16", 16, [](int v) { return encode_float(v) >> 16; }};
const Type kTf32{"tf32", 32,
                 [](int v) { return encode_float(v) | 0x1fffu; }};  // the low 13 bits do not count
const Type kE4m3{"e4m3", 8, [](int v) { return encode_small(v, 7, 3); }};
const Type kE5m2{"e5m2", 8, [](int v) { return encode_small(v, 15, 2); }};
const Type kS8{"s8", 8, [](int v) { return static_cast<uint32_t>(v) & 0xffu; }};
const Type kU8{"u8", 8, [](int v) { return static_cast<uint32_t>(v + 3); }};
const Type kS4{"s4", 4, [](int v) { return static_cast<uint32_t>(v) & 0xfu; }};
const Type kU4{"u4", 4, [](int v) { return static_cast<uint32_t>(v + 3); }};

int value_of(const Type& type, int v) {
  return type.name[0] == 'u' ? v + 3 : v;
}

struct Row {
  int m, k;
  Type a, b;
  const char* accumulator;
};

int pattern(int i, int j, int seed) {
  return (i * 7 + j * 5 + i * j + seed) % 7 - 3;
}

}  // namespace

TEST_CASE("mma.sync multiplies the elements at the places that the manual gives them") {
  const std::vector<Row> rows = {
      {16, 8, kF16, kF16, "f32"},    {16, 16, kF16, kF16, "f32"},   {16, 8, kF16, kF16, "f16"},
      {16, 16, kF16, kF16, "f16"},   {16, 8, kBf16, kBf16, "f32"},  {16, 16, kBf16, kBf16, "f32"},
      {16, 4, kTf32, kTf32, "f32"},  {16, 8, kTf32, kTf32, "f32"},  {16, 16, kE4m3, kE5m2, "f32"},
      {16, 32, kE5m2, kE4m3, "f32"}, {16, 32, kE4m3, kE4m3, "f16"}, {8, 16, kS8, kU8, "s32"},
      {16, 16, kU8, kS8, "s32"},     {16, 32, kS8, kS8, "s32"},     {8, 32, kS4, kU4, "s32"},
      {16, 32, kU4, kU4, "s32"},     {16, 64, kS4, kS4, "s32"}};
  for (const Row& row : rows) {
    const std::string opcode = "mma.sync.aligned.m" + std::to_string(row.m) + "n8k" + std::to_string(row.k) +
                               ".row.col." + row.accumulator + "." + row.a.name + "." + row.b.name + "." +
                               row.accumulator;
    INFO(opcode);
    const bool packed = std::string(row.accumulator) == "f16", integer = row.accumulator[0] == 's';
    const int in_word = 32 / row.a.bits, a_words = row.m * row.k / 32 / in_word,
              b_words = 8 * row.k / 32 / in_word;
    const int c_words = row.m * 8 / 32 / (packed ? 2 : 1);
    const auto list = [](const char* prefix, int count) {
      std::string s = "{";
      for (int i = 0; i < count; ++i)
        s += (i ? "," : "") + std::string(prefix) + std::to_string(i);
      return s + "}";
    };
    std::string body;
    const auto load = [&](const char* prefix, int count, int first) {
      for (int i = 0; i < count; ++i)
        body += "ld.global.b32 " + std::string(prefix) + std::to_string(i) + ", [%in+" +
                std::to_string((first + i) * 128) + "];\n";
    };
    load("%a", a_words, 0);
    load("%b", b_words, a_words);
    load("%c", c_words, a_words + b_words);
    body += opcode + " " + list("%d", c_words) + ", " + list("%a", a_words) + ", " + list("%b", b_words) +
            ", " + list("%c", c_words) + ";\n";
    for (int i = 0; i < c_words; ++i)
      body += "st.global.b32 [%out+" + std::to_string(i * 128) + "], %d" + std::to_string(i) + ";\n";
    Device device(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 "
        "in)\n{\n"
        ".reg .b32 %a<9>, %b<9>, %c<9>, %d<9>, %t;\n.reg .b64 %out, %in, %o;\nmov.u32 %t, %tid.x;\n"
        "mul.wide.u32 %o, %t, 4;\nld.param.u64 %out, [out];\nadd.u64 %out, %out, %o;\nld.param.u64 %in, "
        "[in];\n"
        "add.u64 %in, %in, %o;\n" +
        body + "ret;\n}\n");

    std::vector<uint32_t> words(static_cast<size_t>(a_words + b_words + c_words) * 32);
    const auto put = [&](int word, int lane, int part, int bits, uint32_t value) {
      words[static_cast<size_t>(word * 32 + lane)] |= value << (part * bits);
    };
    for (int lane = 0; lane < 32; ++lane) {
      const int group = lane / 4, in_group = lane % 4;
      for (int i = 0; i < a_words * in_word; ++i) {
        const int word = i / in_word, part = i % in_word;
        const int m = group + (row.m == 16 && word % 2 == 1 ? 8 : 0);
        const int k = in_group * in_word + part + (row.m == 16 ? word / 2 : word) * 4 * in_word;
        put(word, lane, part, row.a.bits, row.a.encode(pattern(m, k, 1)));
      }
      for (int i = 0; i < b_words * in_word; ++i) {
        const int word = i / in_word, part = i % in_word, k = in_group * in_word + part + word * 4 * in_word;
        put(a_words + word, lane, part, row.b.bits, row.b.encode(pattern(k, group, 2)));
      }
      for (int i = 0; i < row.m / 4; ++i) {
        const int value = pattern(group + i / 2 * 8, in_group * 2 + i % 2, 3);
        if (packed)
          put(a_words + b_words + i / 2, lane, i % 2, 16, kF16.encode(value));
        else
          put(a_words + b_words + i, lane, 0, 32,
              integer ? static_cast<uint32_t>(value) : encode_float(value));
      }
    }
    const uint64_t in = device.upload(words), out = device.upload(std::vector<uint32_t>(8 * 32));
    const auto outcome = device.launch("k", {1, 1, 1}, {32, 1, 1}, out, in);
    INFO((outcome.fault ? outcome.fault->message : ""));
    REQUIRE_FALSE(outcome.fault);
    const auto results = device.download<uint32_t>(out, static_cast<size_t>(c_words) * 32);
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < row.m / 4; ++i) {
        const int m = lane / 4 + i / 2 * 8, n = lane % 4 * 2 + i % 2;
        double expected = pattern(m, n, 3);
        for (int k = 0; k < row.k; ++k)
          expected +=
              static_cast<double>(value_of(row.a, pattern(m, k, 1))) * value_of(row.b, pattern(k, n, 2));
        const uint32_t word = results[static_cast<size_t>((packed ? i / 2 : i) * 32 + lane)];
        const double got = packed ? ridge::machine::half_to_float(static_cast<uint16_t>(word >> (i % 2 * 16)))
                           : integer ? static_cast<int32_t>(word)
                                     : std::bit_cast<float>(word);
        REQUIRE(got == expected);
      }
    }
  }
}
