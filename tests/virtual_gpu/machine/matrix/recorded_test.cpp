// Our answers to every matrix instruction beside those of an H200 (tests/hardware/recorded/matrix.bin): the
// same PTX, the same operands. Where the answer is a matter of layout or of integers, bit for bit; where
// digits are lost, within a bound: an H200 aligns the products of one instruction and cuts off what is below,
// we round each sum to float32.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "tests/catch.h"
#include "tests/hardware/matrix_cases.h"
#include "tests/virtual_gpu/machine/virtual_device.h"
#include "virtual_gpu/machine/memory/half_float.h"

using namespace ridge::hardware;
using ridge::machine::test::Device;

namespace {

struct Recorded {
  uint64_t answer = 0;
  std::vector<uint32_t> words;
};

const std::map<uint64_t, Recorded>& recordings() {
  static const std::map<uint64_t, Recorded> all = [] {
    std::map<uint64_t, Recorded> result;
    std::ifstream file(RIDGE_SOURCE_DIR "/tests/hardware/recorded/matrix.bin", std::ios::binary);
    uint64_t name = 0;
    while (file.read(reinterpret_cast<char*>(&name), 8)) {
      Recorded& recorded = result[name];
      uint32_t count = 0;
      file.read(reinterpret_cast<char*>(&recorded.answer), 8);
      file.read(reinterpret_cast<char*>(&count), 4);
      recorded.words.resize(count);
      file.read(reinterpret_cast<char*>(recorded.words.data()), count * 4);
    }
    return result;
  }();
  return all;
}

const MatrixCases& cases() {
  static const MatrixCases all = all_matrix_cases();
  return all;
}

uint64_t name_digest(const std::string& name) {
  return digest(std::vector<uint32_t>(name.begin(), name.end()));
}

// Kernels one at a time: a module is parsed once for all launches of its kernel.
struct OnVirtualGpu {
  std::unique_ptr<Device> device;
  uint32_t kernel = ~0u;
  uint64_t in = 0, tile = 0, out = 0;

  std::vector<uint32_t> answer(const MatrixRun& run, const std::vector<uint32_t>& inputs,
                               const std::vector<uint32_t>& image) {
    if (kernel != run.kernel) {
      kernel = run.kernel;
      device = std::make_unique<Device>(matrix_module(cases(), kernel, kernel + 1));
      in = device->upload(std::vector<uint32_t>(1 << 16));
      tile = device->upload(std::vector<uint32_t>(kTileBytes / 4));
      out = device->upload(std::vector<uint32_t>(1 << 16));
    }
    std::copy(inputs.begin(), inputs.end(), reinterpret_cast<uint32_t*>(in));
    std::copy(image.begin(), image.end(), reinterpret_cast<uint32_t*>(tile));
    const MatrixKernel& k = cases().kernels[kernel];
    const auto outcome = device->launch(k.name, {1, 1, 1}, {k.threads, 1, 1}, in, tile, out, run.constants[0],
                                        run.constants[1], run.constants[2]);
    INFO((outcome.fault ? outcome.fault->message : ""));
    REQUIRE_FALSE(outcome.fault);
    return device->download<uint32_t>(out, output_word_count(k));
  }
};

bool has(const MatrixKernel& kernel, const char* text) {
  return kernel.name.find(text) != std::string::npos;
}

enum class Output { f32, f16, f64 };
Output output_of(const MatrixKernel& kernel) {
  if (has(kernel, "_f64_")) return Output::f64;
  const bool half = has(kernel, "_f16_e") || has(kernel, "_f16_f16_f16_ss") ||
                    has(kernel, "_f16_f16_f16_rs") ||
                    (has(kernel, "mma_m16n8") && has(kernel, "_f16_f16_f16")) ||
                    (has(kernel, "mma_sp_") && has(kernel, "_f16_f16")) ||
                    (has(kernel, "m8n8k4_") && has(kernel, "_f16_f16"));
  return half ? Output::f16 : Output::f32;
}

std::vector<double> values_of(const MatrixKernel& kernel, const std::vector<uint32_t>& words) {
  std::vector<double> values;
  const Output output = output_of(kernel);
  if (output == Output::f64) {
    for (size_t i = 0; i < words.size() / kernel.threads; i += 2) {
      for (size_t t = 0; t < kernel.threads; ++t)
        values.push_back(std::bit_cast<double>(uint64_t{words[(i + 1) * kernel.threads + t]} << 32 |
                                               words[i * kernel.threads + t]));
    }
    return values;
  }
  for (const uint32_t word : words) {
    if (output == Output::f32) {
      values.push_back(std::bit_cast<float>(word));
    } else {
      values.push_back(ridge::machine::half_to_float(static_cast<uint16_t>(word)));
      values.push_back(ridge::machine::half_to_float(static_cast<uint16_t>(word >> 16)));
    }
  }
  return values;
}

// The operands without their signs: what comes out is the sum of all magnitudes, to which errors are in
// proportion.
uint32_t without_sign(Content content, uint32_t word) {
  switch (content) {
    case Content::f16:
    case Content::bf16:
      return word & 0x7fff7fffu;
    case Content::e4m3:
    case Content::e5m2:
      return word & 0x7f7f7f7fu;
    case Content::f64_low:
      return word;
    default:
      return word & 0x7fffffffu;
  }
}

std::vector<double> magnitudes(OnVirtualGpu& gpu, const MatrixRun& run) {
  const MatrixKernel& kernel = cases().kernels[run.kernel];
  auto inputs = input_words(cases(), run), image = tile_words(cases(), run);
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = without_sign(kernel.inputs[i / kernel.threads], inputs[i]);
  for (uint32_t& word : image)
    word = without_sign(run.tile_content, word);
  return values_of(kernel, gpu.answer(run, inputs, image));
}

}  // namespace

TEST_CASE("every exact answer of a matrix instruction has the bits that an H200 gives") {
  OnVirtualGpu gpu;
  size_t compared = 0;
  for (const MatrixRun& run : cases().runs) {
    if (run.keeps_words) continue;
    const std::string name = run_name(cases(), run);
    INFO(name);
    const auto recorded = recordings().find(name_digest(name));
    REQUIRE(recorded != recordings().end());
    const auto ours = gpu.answer(run, input_words(cases(), run), tile_words(cases(), run));
    CHECK(digest(ours) == recorded->second.answer);
    ++compared;
  }
  REQUIRE(compared > 900);
}

// How far we may be from an H200, as a part of the sum of all magnitudes (of the accumulator too). Seen: f64
// and f16 from f16 bit for bit; float32 sums at most 2^-21.5; fp8 by wgmma, which keeps about 13 bits,
// 2^-10.2 and, where zeros, subnormals and the largest values meet, 2^-7.7; f16 from fp8, rounded more than
// once by the H200, 2^-10.
double bound_of(const MatrixKernel& kernel, Mode mode) {
  const bool fp8 = has(kernel, "e4m3") || has(kernel, "e5m2");
  const Output output = output_of(kernel);
  if (output == Output::f64 || (output == Output::f16 && !fp8)) return 0;
  if (output == Output::f16) return 0x1p-9;
  if (fp8 && has(kernel, "wgmma")) return mode == Mode::edge ? 0x1p-7 : 0x1p-10;
  return 0x1p-20;
}

TEST_CASE("every rounded answer of a matrix instruction is near the one that an H200 gives") {
  OnVirtualGpu gpu;
  size_t compared = 0, overflows = 0;
  for (const MatrixRun& run : cases().runs) {
    if (!run.keeps_words) continue;
    const MatrixKernel& kernel = cases().kernels[run.kernel];
    const std::string name = run_name(cases(), run);
    INFO(name);
    const auto recorded = recordings().find(name_digest(name));
    REQUIRE(recorded != recordings().end());
    const auto ours = values_of(kernel, gpu.answer(run, input_words(cases(), run), tile_words(cases(), run)));
    const auto theirs = values_of(kernel, recorded->second.words);
    const auto sizes = magnitudes(gpu, run);
    REQUIRE(ours.size() == theirs.size());
    double worst = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
      ++compared;
      if (ours[i] == theirs[i] || (std::isnan(ours[i]) && std::isnan(theirs[i]))) continue;
      if (std::isfinite(ours[i]) && std::isfinite(theirs[i]) && std::isfinite(sizes[i])) {
        worst = std::max(worst, std::fabs(ours[i] - theirs[i]) / sizes[i]);
        continue;
      }
      // Too large on the way for one of the two, in another order: only where the magnitudes do overflow.
      CAPTURE(ours[i], theirs[i], sizes[i]);
      REQUIRE_FALSE(std::isfinite(sizes[i]));
      ++overflows;
    }
    CHECK(worst <= bound_of(kernel, run.mode));
  }
  CHECK(overflows <= 40);
  REQUIRE(compared > 20000);
}
