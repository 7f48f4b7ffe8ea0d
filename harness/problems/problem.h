// A problem is what a rung computes: the C signature the student exports, its buffers, how much it moves and
// computes, and the reference. Everything the harness needs for a new kind of work is declared in one file of
// this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/problems/element.h"
#include "harness/problems/large_array.h"

struct CUstream_st;  // the CUDA runtime's: cudaStream_t is a pointer to it

namespace ridge::problems {

using Stream = CUstream_st*;
using Sizes = std::vector<int64_t>;  // {n} or {rows, cols} or {m, n, k}: named by Problem::size_names

enum class Role { input, output, in_out };

struct Buffer {
  std::string name;  // as in the signature
  Role role = Role::input;
  std::vector<int64_t> extent;  // [rows][cols]: the last is contiguous
  Type type = Type::float32;

  int64_t elements() const;
  int64_t bytes() const { return elements() * bytes_of(type); }
  bool written() const { return role != Role::input; }
  bool read() const { return role != Role::output; }
};

// What the child hands to the student's function: device pointers in the order of Problem::buffers.
struct Arguments {
  std::span<void* const> buffers;
  std::span<const int64_t> sizes;
  std::span<const double> scalars;
  Stream stream = nullptr;

  template <typename T>
  T* buffer(size_t index) const {
    return static_cast<T*>(buffers[index]);
  }
  int size(size_t index) const { return static_cast<int>(sizes[index]); }
  float scalar(size_t index) const { return static_cast<float>(scalars[index]); }
};

struct Case;
enum class Draw;

// A buffer that a problem draws by itself: indices, say.
struct Fill {
  const Sizes& sizes;
  size_t buffer = 0;
  Draw draw;
  uint64_t seed = 0;
  std::span<std::byte> data;
};

// What a call must touch where the data decide it: rows that indices name, say, each distinct one once.
struct Touched {
  double read_bytes = 0, written_bytes = 0;
  double elements = 0;  // that the call works on
};

// The right answer for one written buffer. An element is right when !(|got - value| <= tolerance) is false.
struct Expected {
  size_t buffer = 0;
  LargeArray<double> value;
  LargeArray<float> tolerance;  // empty: the output must be `value` bit for bit
};

struct Problem {
  std::string_view id;
  std::string_view signature;  // after `extern "C" void ENTRY`
  std::vector<std::string_view> size_names = {};
  std::vector<std::string_view> scalar_names = {};
  std::vector<Buffer> (*buffers)(const Sizes&) = nullptr;
  double (*operations)(const Sizes&) = nullptr;
  // How many steps follow one another, each needing the result of the one before; nullptr: one.
  double (*steps)(const Sizes&) = nullptr;
  // Bytes that must cross the memory bus; nullptr: every buffer once, and twice where it is read and written.
  double (*bytes_moved)(const Sizes&) = nullptr;
  // The same where the data decide it; nullptr: the sizes do.
  Touched (*touched)(const Case&) = nullptr;
  // Draws the contents of a buffer; false: it is drawn like all others. nullptr: all are drawn alike.
  bool (*fill)(const Fill&) = nullptr;
  // Two calls with the same inputs must give the same bits.
  bool repeatable = false;
  // Accumulates in double. One Expected for each written buffer.
  std::vector<Expected> (*reference)(const Case&) = nullptr;
  // The same for some rows of the one written buffer, in the order given: `value` and `tolerance` hold those
  // rows and no others. nullptr: the whole reference takes no time worth saving.
  Expected (*reference_of_rows)(const Case&, std::span<const int64_t> rows) = nullptr;
  // Casts `entry` to the signature and calls it. Runs in the child.
  void (*call)(void* entry, const Arguments&) = nullptr;
  std::vector<Sizes> edge_sizes = {};
  Sizes hidden_limit = {};  // hidden sizes are drawn from 1 to this, each extent by itself
  Sizes hidden_step = {};   // ... and rounded up to a multiple of this; empty: any size will do
};

// Throws std::invalid_argument that lists the known problems.
const Problem& find_problem(std::string_view id);
std::vector<std::string_view> problem_ids();

// Of a case see inputs.h. By the sizes alone, where the data decide it: no more than this.
double bytes_moved(const Problem& problem, const Sizes& sizes);
std::string describe(const Problem& problem, const Sizes& sizes);  // "rows = 31, cols = 33"
// "" or what is wrong with the sizes of a lab.toml: their number, or an extent that is not in 1 .. 2^31 - 1.
std::string complaint_about(const Problem& problem, const Sizes& sizes);

// Sizes at which kernels go wrong: 1, around a warp, primes, one under and over every usual block.
std::vector<Sizes> edge_sizes_1d();
std::vector<Sizes> edge_sizes_2d();

// One each: the file of the same name in the folder of its idea (gemm_whole_tiles, gemm_bf16, gemm_fp8:
// gemm.cpp; embedding_update_repeatable: embedding_update.cpp).
Problem convolution();
Problem decode_chain();
Problem embedding_bag();
Problem embedding_lookup();
Problem embedding_update();
Problem embedding_update_repeatable();
Problem gemm();
Problem gemm_whole_tiles();
Problem gemm_bf16();
Problem gemm_fp8();
Problem rms_norm();
Problem vector_add();
Problem saxpy();
Problem scale();
Problem scale_rows();
Problem softmax();
Problem split_particles();
Problem sum();
Problem transpose();

}  // namespace ridge::problems
