// What the kernels look like around the instruction, and what their operands hold.
#include "tests/hardware/matrix_cases.h"

#include "tests/hardware/matrix_tables.h"

namespace ridge::hardware {
namespace {

struct Random {
  uint64_t state;
  uint32_t next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t x = state ^ state >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return static_cast<uint32_t>(x >> 32);
  }
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(uint64_t{next()} * limit >> 32); }
};

// A floating-point format by its fields.
struct Format {
  int exponent_bits, mantissa_bits;
  bool has_infinity;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

uint64_t small_integer(const Format& f, Random& random, int largest) {
  const int value = static_cast<int>(random.below(static_cast<uint32_t>(2 * largest + 1))) - largest;
  const uint64_t sign = static_cast<uint64_t>(value < 0) << (f.exponent_bits + f.mantissa_bits);
  const int magnitude = value < 0 ? -value : value;
  if (magnitude == 0) return 0;
  int exponent = 0;
  while (magnitude >> (exponent + 1))
    ++exponent;
  const uint64_t fraction = static_cast<uint64_t>(magnitude - (1 << exponent));
  const uint64_t mantissa = exponent <= f.mantissa_bits ? fraction << (f.mantissa_bits - exponent)
                                                        : fraction >> (exponent - f.mantissa_bits);
  return sign | static_cast<uint64_t>(f.bias() + exponent) << f.mantissa_bits | mantissa;
}

uint64_t random_value(const Format& f, Random& random, int spread) {
  const int bits = f.exponent_bits + f.mantissa_bits;
  const uint64_t mantissa =
      (static_cast<uint64_t>(random.next()) << 32 | random.next()) & ((1ull << f.mantissa_bits) - 1);
  int exponent =
      f.bias() + static_cast<int>(random.below(static_cast<uint32_t>(2 * spread + 1))) - spread - 1;
  const int largest = (1 << f.exponent_bits) - 2;
  exponent = exponent < 0 ? 0 : exponent > largest ? largest : exponent;
  return static_cast<uint64_t>(random.next() & 1) << bits |
         static_cast<uint64_t>(exponent) << f.mantissa_bits | mantissa;
}

uint64_t edge_value(const Format& f, Random& random) {
  const uint64_t sign = static_cast<uint64_t>(random.next() & 1) << (f.exponent_bits + f.mantissa_bits);
  const uint64_t one_less = (1ull << f.mantissa_bits) - 1;
  const uint64_t top = static_cast<uint64_t>((1 << f.exponent_bits) - 1) << f.mantissa_bits;
  switch (random.below(14)) {
    case 0:
    case 1:
    case 2:
      return sign;
    case 3:
    case 4:
      return sign | 1;
    case 5:
    case 6:
      return sign | one_less;
    case 7:
      return sign | (one_less + 1);
    case 8:
    case 9:
      return sign | random.next() % (one_less + 1);
    case 10:
    case 11:
      return sign | (f.has_infinity ? top - 1 : top | (one_less - 1));
    case 12:
      return sign | top;
    default:
      return sign | top | one_less;
  }
}

uint64_t value(const Format& f, Random& random, Mode mode, int largest_integer) {
  switch (mode) {
    case Mode::exact:
      return small_integer(f, random, largest_integer);
    case Mode::random:
      return random_value(f, random, 2);
    case Mode::wide:
      return random_value(f, random, f.exponent_bits >= 8 ? 14 : f.exponent_bits == 5 ? 10 : 5);
    default:
      return random.below(20) == 0 ? edge_value(f, random) : random_value(f, random, 2);
  }
}

constexpr Format kF16{5, 10, true}, kBf16{8, 7, true}, kF32{8, 23, true}, kE4m3{4, 3, false},
    kE5m2{5, 2, true}, kF64{11, 52, true};

uint32_t packed(const Format& f, Random& random, Mode mode, int bits) {
  uint32_t word = 0;
  for (int at = 0; at < 32; at += bits)
    word |= static_cast<uint32_t>(value(f, random, mode, 4)) << at;
  return word;
}

uint32_t word_of(Content content, Random& random, Mode mode, uint64_t& pending) {
  switch (content) {
    case Content::f16:
      return packed(kF16, random, mode, 16);
    case Content::bf16:
      return packed(kBf16, random, mode, 16);
    case Content::e4m3:
      return packed(kE4m3, random, mode, 8);
    case Content::e5m2:
      return packed(kE5m2, random, mode, 8);
    case Content::tf32:
      return static_cast<uint32_t>(value(kF32, random, mode, 4));
    case Content::f32:
      return static_cast<uint32_t>(value(kF32, random, mode, 64));
    case Content::f64_low:
      pending = value(kF64, random, mode, 64);
      return static_cast<uint32_t>(pending);
    case Content::f64_high:
      return static_cast<uint32_t>(pending >> 32);
    case Content::small_s32:
      return mode == Mode::exact ? random.below(2001) - 1000 : random.next();
    default:
      return random.next();
  }
}

std::string declare(const char* type, const char* name, size_t count) {
  return "  .reg ." + std::string(type) + " " + name + "<" + std::to_string(count + 1) + ">;\n";
}

std::string text(const MatrixKernel& kernel) {
  const std::string n = std::to_string(kernel.threads * 4);
  std::string s =
      ".visible .entry " + kernel.name +
      "(.param .u64 in, .param .u64 image, .param .u64 out, .param .u64 c0, .param .u64 c1, .param .u64 c2)\n"
      ".reqntid " +
      std::to_string(kernel.threads) +
      "\n{\n"
      "  .shared .align 1024 .b8 tile_bytes[" +
      std::to_string(kTileBytes) + "];\n" + declare("b32", "%i", kernel.inputs.size()) +
      declare("b32", "%o", kernel.outputs) +
      "  .reg .b64 %x<4>, %at<6>, %w<40>;\n  .reg .b32 %tile, %lane, %thread, %v<8>;\n  .reg .pred %p<4>;\n"
      "  mov.u32 %thread, %tid.x;\n  and.b32 %lane, %thread, 31;\n  mov.u32 %tile, tile_bytes;\n"
      "  ld.param.u64 %x0, [c0];\n  ld.param.u64 %x1, [c1];\n  ld.param.u64 %x2, [c2];\n"
      "  mul.wide.u32 %at0, %thread, 4;\n"
      "  ld.param.u64 %at1, [in];\n  add.u64 %at1, %at1, %at0;\n"
      "  ld.param.u64 %at2, [out];\n  add.u64 %at2, %at2, %at0;\n";
  if (kernel.reads_tile || kernel.writes_tile) {
    s += "  ld.param.u64 %at3, [image];\n  add.u64 %at3, %at3, %at0;\n  mad.lo.u32 %v0, %thread, 4, %tile;\n"
         "  mov.u32 %v1, 0;\nFILL:\n  ld.global.b32 %v2, [%at3];\n  st.shared.b32 [%v0], %v2;\n"
         "  add.u64 %at3, %at3, " +
         n + ";\n  add.u32 %v0, %v0, " + n + ";\n  add.u32 %v1, %v1, " + n +
         ";\n"
         "  setp.lt.u32 %p0, %v1, " +
         std::to_string(kTileBytes) +
         ";\n  @%p0 bra FILL;\n"
         "  fence.proxy.async;\n  bar.sync 0;\n";
  }
  for (size_t i = 0; i < kernel.inputs.size(); ++i)
    s += "  ld.global.b32 %i" + std::to_string(i) + ", [%at1+" + std::to_string(i * kernel.threads * 4) +
         "];\n";
  s += kernel.body;
  for (size_t i = 0; i < kernel.outputs; ++i)
    s += "  st.global.b32 [%at2+" + std::to_string(i * kernel.threads * 4) + "], %o" + std::to_string(i) +
         ";\n";
  if (kernel.writes_tile) {
    s += "  bar.sync 0;\n  add.u64 %at2, %at2, " + std::to_string(kernel.outputs * kernel.threads * 4) +
         ";\n"
         "  mad.lo.u32 %v0, %thread, 4, %tile;\n  mov.u32 %v1, 0;\nBACK:\n  ld.shared.b32 %v2, [%v0];\n"
         "  st.global.b32 [%at2], %v2;\n  add.u64 %at2, %at2, " +
         n + ";\n  add.u32 %v0, %v0, " + n +
         ";\n"
         "  add.u32 %v1, %v1, " +
         n + ";\n  setp.lt.u32 %p0, %v1, " + std::to_string(kTileOutBytes) + ";\n  @%p0 bra BACK;\n";
  }
  return s + "  ret;\n}\n";
}

}  // namespace

MatrixCases all_matrix_cases() {
  MatrixCases cases;
  add_fragment_moves(cases);
  add_warp_products(cases);
  add_wmma(cases);
  add_warpgroup_products(cases);
  return cases;
}

std::string matrix_module(const MatrixCases& cases, size_t first, size_t last) {
  std::string s = ".version 8.7\n.target sm_90a\n.address_size 64\n";
  for (size_t i = first; i < last; ++i)
    s += text(cases.kernels[i]);
  return s;
}

std::vector<uint32_t> input_words(const MatrixCases& cases, const MatrixRun& run) {
  const MatrixKernel& kernel = cases.kernels[run.kernel];
  std::vector<uint32_t> words(kernel.inputs.size() * kernel.threads);
  Random random{run.seed * 7919ull + 13};
  std::vector<uint64_t> pending(kernel.threads);
  for (size_t i = 0; i < kernel.inputs.size(); ++i) {
    for (size_t t = 0; t < kernel.threads; ++t)
      words[i * kernel.threads + t] = word_of(kernel.inputs[i], random, run.mode, pending[t]);
  }
  return words;
}

std::vector<uint32_t> tile_words(const MatrixCases& cases, const MatrixRun& run) {
  const MatrixKernel& kernel = cases.kernels[run.kernel];
  if (!kernel.reads_tile && !kernel.writes_tile) return {};
  std::vector<uint32_t> words(kTileBytes / 4);
  Random random{run.seed * 104729ull + 71};
  uint64_t pending = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool is_accumulator = run.has_accumulator && i * 4 >= kAccumulatorOffset;
    Content content = is_accumulator ? run.accumulator_content : run.tile_content;
    if (content == Content::f64_low && i % 2 == 1) content = Content::f64_high;
    words[i] = content == Content::index16 ? static_cast<uint32_t>(2 * i | (2 * i + 1) << 16)
                                           : word_of(content, random, run.mode, pending);
  }
  return words;
}

size_t output_word_count(const MatrixKernel& kernel) {
  return kernel.outputs * kernel.threads + (kernel.writes_tile ? kTileOutBytes / 4 : 0);
}

uint64_t digest(const std::vector<uint32_t>& words) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const uint32_t word : words)
    hash = (hash ^ word) * 0x100000001b3ull;
  return hash;
}

std::string run_name(const MatrixCases& cases, const MatrixRun& run) {
  static const char* const modes[] = {"exact", "random", "wide", "edge"};
  std::string name = cases.kernels[run.kernel].name + " " + modes[static_cast<int>(run.mode)];
  for (const uint64_t part : {uint64_t{run.seed}, run.constants[0], run.constants[1], run.constants[2]})
    name += " " + std::to_string(part);
  return name;
}

}  // namespace ridge::hardware
