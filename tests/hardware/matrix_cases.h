// Every matrix instruction with the operands to try it on, as PTX that runs unchanged on a GPU and on the
// virtual GPU. record_matrix.cu records what an H200 answers; tests/virtual_gpu/machine/matrix compares our
// answers with that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::hardware {

// What a 32-bit word of an operand holds.
enum class Content { f16, bf16, tf32, f32, e4m3, e5m2, bits, f64_low, f64_high, small_s32, index16 };

// exact: small integers, so that every order and precision of summation gives the same bits. random: values
// of about the same size. wide: sizes far apart, so that digits are lost. edge: zeros, subnormals, infinities
// and NaN among them.
enum class Mode { exact, random, wide, edge };

// One kernel. Its body sees %i0.. (inputs), %o0.. (outputs), 64-bit scratch %x0.. (the launch's constants),
// %tile (the shared array's address, 1024-byte aligned) and %lane.
struct MatrixKernel {
  std::string name;
  std::string body;
  uint32_t threads = 32;
  std::vector<Content> inputs;
  uint32_t outputs = 0;      // words per thread
  bool reads_tile = false;   // the shared array is filled first
  bool writes_tile = false;  // and its first kTileOut bytes are outputs too
};

// One launch of a kernel.
struct MatrixRun {
  uint32_t kernel = 0;
  Mode mode = Mode::exact;
  uint32_t seed = 0;
  Content tile_content = Content::bits;
  bool has_accumulator = false;  // from kAccumulatorOffset on, the shared array holds `accumulator_content`
  Content accumulator_content = Content::bits;
  uint64_t constants[3] = {0, 0, 0};
  bool keeps_words =
      false;  // the answer may differ in its last digits: all of it is recorded, not only its digest
};

inline constexpr uint32_t kTileBytes = 48 * 1024;
inline constexpr uint32_t kAccumulatorOffset = 16 * 1024;
inline constexpr uint32_t kTileOutBytes = 8 * 1024;

struct MatrixCases {
  std::vector<MatrixKernel> kernels;
  std::vector<MatrixRun> runs;
};

MatrixCases all_matrix_cases();

// A module with the kernels [first, last): KERNEL(in, tile, out, x0, x1, x2), one block.
std::string matrix_module(const MatrixCases& cases, size_t first, size_t last);

// The operands of a run: words by input and thread, and the shared array.
std::vector<uint32_t> input_words(const MatrixCases& cases, const MatrixRun& run);
std::vector<uint32_t> tile_words(const MatrixCases& cases, const MatrixRun& run);
size_t output_word_count(const MatrixKernel& kernel);
uint64_t digest(const std::vector<uint32_t>& words);
std::string run_name(const MatrixCases& cases, const MatrixRun& run);

}  // namespace ridge::hardware
