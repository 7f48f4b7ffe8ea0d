// wgmma: every N, every type, operands from registers and from shared memory in every layout a descriptor can
// say.
#include "tests/hardware/matrix_tables.h"

namespace ridge::hardware {
namespace {

struct Types {
  const char *d, *a, *b;
  uint32_t k;
  Content content;
  const char* tail;  // after scale-d, for operands in shared memory
};

enum class Swizzle : uint32_t { none = 0, bytes128 = 1, bytes64 = 2, bytes32 = 3 };

uint64_t descriptor(uint32_t offset, uint32_t leading, uint32_t stride, Swizzle swizzle,
                    uint32_t base_offset = 0) {
  return uint64_t{offset} >> 4 | uint64_t{leading >> 4} << 16 | uint64_t{stride >> 4} << 32 |
         uint64_t{base_offset} << 49 | static_cast<uint64_t>(swizzle) << 62;
}

std::string plain(std::string text) {
  for (char& ch : text)
    if (ch == '.' || ch == ',' || ch == '-' || ch == ' ') ch = '_';
  return text;
}

bool is_integer(const Types& t) {
  return std::string(t.d) == "s32";
}

// %x0 and %x1 are the descriptors less the array's address, %x2 is scale-d.
void add_kernel(MatrixCases& cases, const Types& t, uint32_t n, bool a_in_registers, const std::string& tail,
                const std::string& infix = {}) {
  const size_t words = std::string(t.d) == "f16" ? n / 4 : n / 2;
  MatrixKernel k;
  k.name = plain("wgmma_m64n" + std::to_string(n) + "k" + std::to_string(t.k) + "_" + t.d + "_" + t.a + "_" +
                 t.b + (a_in_registers ? "_rs" : "_ss") + infix + tail);
  k.threads = 128;
  k.reads_tile = true;
  k.outputs = static_cast<uint32_t>(words);
  const Content accumulator = is_integer(t)    ? Content::small_s32
                              : words == n / 4 ? Content::f16
                                               : Content::f32;
  if (a_in_registers) k.inputs.assign(4, t.content);
  k.inputs.insert(k.inputs.end(), words, accumulator);
  const size_t first = a_in_registers ? 4 : 0;
  for (size_t i = 0; i < words; ++i)
    k.body += "  mov.b32 %o" + std::to_string(i) + ", %i" + std::to_string(first + i) + ";\n";
  k.body +=
      "  cvt.u64.u32 %w0, %tile;\n  shr.u64 %w0, %w0, 4;\n  add.u64 %x0, %x0, %w0;\n  add.u64 %x1, %x1, "
      "%w0;\n"
      "  setp.ne.u64 %p1, %x2, 0;\n  wgmma.fence.sync.aligned;\n  wgmma.mma_async.sync.aligned.m64n" +
      std::to_string(n) + "k" + std::to_string(t.k) + "." + t.d + "." + t.a + "." + t.b + infix + " " +
      registers("%o", 0, words) + ", " + (a_in_registers ? registers("%i", 0, 4) : "%x0") + ", %x1, %p1" +
      tail + ";\n  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";
  cases.kernels.push_back(k);
}

}  // namespace

void add_warpgroup_products(MatrixCases& cases) {
  const Types half{"f32", "f16", "f16", 16, Content::f16, ", 1, 1, 0, 0"};
  const uint64_t plain_a = descriptor(0, 16, 1024, Swizzle::bytes128),
                 plain_b = descriptor(8192, 16, 1024, Swizzle::bytes128);
  for (uint32_t n = 8; n <= 256; n += 8) {
    add_kernel(cases, half, n, false, half.tail);
    add_runs(cases, true, half.content, {plain_a, plain_b, 1}, false);
  }
  // Every type, from shared memory and from registers.
  std::vector<Types> types = {{"f16", "f16", "f16", 16, Content::f16, ", 1, 1, 0, 0"},
                              {"f32", "bf16", "bf16", 16, Content::bf16, ", 1, 1, 0, 0"},
                              {"f32", "tf32", "tf32", 8, Content::tf32, ", 1, 1"},
                              {"s32", "b1", "b1", 256, Content::bits, ""}};
  for (const char* d : {"f16", "f32"}) {
    types.push_back({d, "e4m3", "e4m3", 32, Content::e4m3, ", 1, 1"});
    types.push_back({d, "e4m3", "e5m2", 32, Content::e4m3, ", 1, 1"});
    types.push_back({d, "e5m2", "e4m3", 32, Content::e5m2, ", 1, 1"});
    types.push_back({d, "e5m2", "e5m2", 32, Content::e5m2, ", 1, 1"});
  }
  for (const char* a : {"s8", "u8"}) {
    for (const char* b : {"s8", "u8"})
      types.push_back({"s32", a, b, 32, Content::bits, ""});
  }
  types.push_back(half);
  for (const Types& t : types) {
    const std::string infix = t.k == 256 ? ".and.popc" : "";
    for (const uint32_t n : {8u, 32u, 128u}) {
      for (const bool from_registers : {false, true}) {
        if (n == 128 && t.k == 16 && std::string(t.d) == "f32" && t.content == Content::f16 &&
            !from_registers)
          continue;
        if (n != 128 && t.content == Content::f16 && std::string(t.d) == "f32" && !from_registers) {
          // Already a kernel of the list above: only more operands.
          if (n == 8) {
            MatrixRun run = cases.runs[cases.runs.size() - 1];
            for (uint32_t i = 0; i < cases.kernels.size(); ++i)
              if (cases.kernels[i].name.find("wgmma_m64n8k16_f32_f16_f16_ss") == 0) run.kernel = i;
            run.keeps_words = true;
            run.tile_content = Content::f16;
            run.constants[0] = plain_a;
            run.constants[1] = plain_b;
            run.constants[2] = 1;
            for (const Mode mode : {Mode::random, Mode::wide, Mode::edge}) {
              run.mode = mode;
              ++run.seed;
              cases.runs.push_back(run);
            }
          }
          continue;
        }
        std::string tail = t.tail;
        if (from_registers && t.k == 16) tail = ", 1, 1, 0";
        add_kernel(cases, t, n, from_registers, tail, infix);
        add_runs(cases, !is_integer(t), t.content, {plain_a, plain_b, 1},
                 n == 8 && (!from_registers || is_integer(t)));
        if (n == 32) {  // and without the accumulator
          MatrixRun run = cases.runs.back();
          run.constants[2] = 0;
          cases.runs.push_back(run);
        }
      }
    }
  }
  add_kernel(cases, {"s32", "s8", "u8", 32, Content::bits, ""}, 16, false, "", ".satfinite");
  cases.kernels.back().inputs.assign(8, Content::bits);
  add_runs(cases, false, Content::bits, {plain_a, plain_b, 1});
  // Signs.
  for (const char* tail : {", -1, 1, 0, 0", ", 1, -1, 0, 0", ", -1, -1, 0, 0"}) {
    add_kernel(cases, half, 16, false, tail);
    add_runs(cases, true, half.content, {plain_a, plain_b, 1}, false);
  }
  // Layouts: all pairs of swizzles, K-major and MN-major, at strides of no particular sense (multiples of the
  // pattern where there is one), at starts inside a pattern, and with base offsets.
  const Swizzle swizzles[] = {Swizzle::none, Swizzle::bytes32, Swizzle::bytes64, Swizzle::bytes128};
  for (const char* tail : {", 1, 1, 0, 1", ", 1, 1, 1, 0", ", 1, 1, 1, 1", ", 1, 1, 0, 0"}) {
    const std::string text(tail);
    if (text == ", 1, 1, 0, 0") {
      add_kernel(cases, half, 64, false, tail);
      cases.kernels.back().name += "_layouts";
    } else {
      add_kernel(cases, half, 64, false, tail);
    }
    for (const Swizzle a : swizzles) {
      for (const Swizzle b : swizzles) {
        const auto any = [&](uint32_t start, uint32_t leading, uint32_t stride, Swizzle s, uint32_t base) {
          return descriptor(start, leading, stride, s, base);
        };
        add_runs(cases, true, half.content, {any(0, 2048, 1024, a, 0), any(16384, 4096, 1024, b, 0), 1},
                 false);
        add_runs(cases, true, half.content, {any(1024, 512, 768, a, 0), any(12288, 1024, 512, b, 0), 1},
                 false);
        add_runs(cases, true, half.content, {any(32, 3072, 1024, a, 0), any(16384 + 96, 5120, 1024, b, 0), 1},
                 false);
        add_runs(cases, true, half.content, {any(0, 1040, 1040, a, 0), any(16384, 1072, 912, b, 0), 1},
                 false);
        add_runs(cases, true, half.content,
                 {any(384, 2048, 1024, a, 3), any(16384 + 640, 2048, 1024, b, 5), 1}, false);
        add_runs(cases, true, half.content,
                 {any(384 + 32, 2048, 1024, a, 0), any(16384 + 640 + 64, 2048, 1024, b, 0), 1}, false);
        add_runs(cases, true, half.content, {any(0, 2048, 1024, a, 1), any(16384, 2048, 1024, b, 2), 1},
                 false);
      }
    }
  }
}

}  // namespace ridge::hardware
