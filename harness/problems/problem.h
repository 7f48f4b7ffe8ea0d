// A problem is what a rung computes: the C signature that the student exports, its buffers, its
// bytes and operations, and the reference. A new kind of work is declared in one file of this
// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/problems/element.h"
#include "harness/problems/large_array.h"

struct CUstream_st;  // of the CUDA runtime: cudaStream_t is a pointer to it

namespace ridge::problems {

using Stream = CUstream_st*;
// {n}, {rows, cols} or {m, n, k}; Problem::size_names has the names.
using Sizes = std::vector<int64_t>;

// signals: an area that is zeroed before each call and that no result is read from.
enum class Role { input, output, in_out, signals };

struct Buffer {
  std::string name;  // as in the signature
  Role role = Role::input;
  std::vector<int64_t> extent;  // [rows][cols]: the last dimension is contiguous
  Type type = Type::float32;
  int device = 0;  // whose memory it is in; above 0 only if Problem::on_ranks

  int64_t elements() const;
  int64_t bytes() const { return elements() * bytes_of(type); }
  bool written() const { return role == Role::output || role == Role::in_out; }
  bool read() const { return role == Role::input || role == Role::in_out; }
};

// The arguments of the student's function: device pointers in the order of Problem::buffers, and a
// stream, or one per device.
struct Arguments {
  std::span<void* const> buffers;
  std::span<const int64_t> sizes;
  std::span<const double> scalars;
  Stream stream = nullptr;
  std::span<const Stream> streams = {};  // if Problem::on_ranks: one per device

  template <typename T>
  T* buffer(size_t index) const {
    return static_cast<T*>(buffers[index]);
  }
  int size(size_t index) const { return static_cast<int>(sizes[index]); }
  float scalar(size_t index) const { return static_cast<float>(scalars[index]); }
};

// What a problem asks of a function that gets host memory and does all the rest itself: it allocates,
// copies, launches, waits and frees.
enum class HostCode {
  none,         // the buffers are in device memory
  answers,      // the outputs alone
  time,         // ... and the time of its kernel in milliseconds, in the last buffer
  first_error,  // ... and the code and line of its first error, in the last buffer
};

struct Case;
enum class Draw;

// The arguments for drawing a buffer that the problem draws itself, for example indices.
struct Fill {
  const Sizes& sizes;
  size_t buffer = 0;
  Draw draw;
  uint64_t seed = 0;
  std::span<std::byte> data;
};

// What a call must access when that depends on the data: for example each distinct row that indices
// name, once.
struct Touched {
  double read_bytes = 0, written_bytes = 0;
  double elements = 0;  // that the call processes
};

// The right answer for one written buffer. An element is right unless |got - value| > tolerance or
// got is NaN.
struct Expected {
  size_t buffer = 0;
  LargeArray<double> value;
  LargeArray<float> tolerance;  // empty: the output must equal `value` bit for bit
};

// A mistake that is recognised by its result: the finding explains an answer that equals it.
struct Mistake {
  std::string_view finding;
  std::vector<Expected> (*result)(const Case&) = nullptr;
};

struct Problem {
  std::string_view id;
  std::string_view signature;  // after `extern "C" void ENTRY`
  std::vector<std::string_view> size_names = {};
  std::vector<std::string_view> scalar_names = {};
  // The value of a scalar for a number drawn from 0.25 to 2.25; nullptr: that number.
  double (*scalar)(double drawn) = nullptr;
  std::vector<Buffer> (*buffers)(const Sizes&) = nullptr;
  double (*operations)(const Sizes&) = nullptr;
  // The number of consecutive steps that each need the previous result; nullptr: one.
  double (*steps)(const Sizes&) = nullptr;
  // Bytes that must cross the memory bus; nullptr: every buffer once, and twice when it is read and
  // written.
  double (*bytes_moved)(const Sizes&) = nullptr;
  // The same when it depends on the data; nullptr: it depends on the sizes only.
  Touched (*touched)(const Case&) = nullptr;
  // Draws the content of a buffer; returns false if the buffer uses the general distribution.
  // nullptr: all do.
  bool (*fill)(const Fill&) = nullptr;
  // Computes inputs that follow from other inputs, once all are drawn: for example the result of
  // another pass. nullptr: there are none.
  void (*complete)(Case&) = nullptr;
  // Two calls with the same inputs must give the same bits.
  bool repeatable = false;
  // Accumulates in double. Returns one Expected per written buffer.
  std::vector<Expected> (*reference)(const Case&) = nullptr;
  // The same for some rows of the only written buffer, in the given order: `value` and `tolerance`
  // hold those rows only. nullptr: the complete reference is fast enough.
  Expected (*reference_of_rows)(const Case&, std::span<const int64_t> rows) = nullptr;
  std::vector<Mistake> mistakes = {};
  // Casts `entry` to the signature and calls it. Runs in the child.
  void (*call)(void* entry, const Arguments&) = nullptr;
  std::vector<Sizes> edge_sizes = {};
  Sizes hidden_limit = {};  // each extent of a hidden size is drawn from its least to this
  Sizes hidden_step = {};   // ... and rounded up to a multiple of this; empty: any size
  Sizes least = {};         // the smallest extents; empty: all 1
  // The possible sizes that are nearest to these, where not every combination is possible; nullptr:
  // all are.
  Sizes (*nearest_possible)(const Sizes&) = nullptr;
  // Outputs share inputs, so a simple kernel asks for an element several times.
  bool overlaps = false;
  // sizes[0] is the number of devices that work together, and every buffer is in the memory of one of
  // them. bytes_moved is then what each device must send to others, and operations are those of one
  // device.
  bool on_ranks = false;
  std::string_view link_formula = {};  // the same bytes in words, with N devices
  // All outputs must be equal, bit for bit.
  bool same_on_all_ranks = false;
  HostCode host_code = HostCode::none;

  bool in_host_memory() const { return host_code != HostCode::none; }
};

// Throws std::invalid_argument that lists the known problems.
const Problem& find_problem(std::string_view id);
std::vector<std::string_view> problem_ids();

// By the sizes alone: an upper bound when the data decide. inputs.h has the bytes of a case.
double bytes_moved(const Problem& problem, const Sizes& sizes);
std::string describe(const Problem& problem, const Sizes& sizes);  // "rows = 31, cols = 33"
int64_t least_extent(const Problem& problem, size_t dimension);
// What is wrong with the sizes of a lab.toml, or "": their number, an extent outside its least ..
// 2^31 - 1, or a combination that is not possible.
std::string complaint_about(const Problem& problem, const Sizes& sizes);

// Sizes at which kernels often fail: 1, around a warp, primes, one below and above every usual
// block.
std::vector<Sizes> edge_sizes_1d();
std::vector<Sizes> edge_sizes_2d();

// One function per problem, in the file of the same name in the folder of its idea
// (gemm_whole_tiles, gemm_bf16, gemm_bf16_one_step, gemm_fp8, gemm_bias_gelu: gemm.cpp; embedding_update_repeatable:
// embedding_update.cpp; attention_backward: attention/backward.cpp; all_reduce_any, all_reduce_small: all_reduce.cpp; stencil: convolution/stencil.cpp).
Problem all_gather_reduce_scatter();
Problem all_reduce();
Problem all_reduce_any();
Problem all_reduce_small();
Problem all_to_all();
Problem attention();
Problem attention_backward();
Problem bias_dropout_residual();
Problem bias_gelu();
Problem convolution();
Problem copy_matrix();
Problem cross_entropy();
Problem decode_attention();
Problem decode_chain();
Problem decode_step();
Problem dropout_backward();
Problem embedding_bag();
Problem embedding_lookup();
Problem embedding_update();
Problem embedding_update_repeatable();
Problem filter_1d();
Problem gemm();
Problem gemm_whole_tiles();
Problem gemm_bf16();
Problem gemm_bf16_one_step();
Problem gemm_fp8();
Problem gemm_bias_gelu();
Problem gemm_reduce_scatter();
Problem global_index();
Problem histogram();
Problem host_add();
Problem host_errors();
Problem host_time();
Problem paged_decode();
Problem peer_copy();
Problem radix_sort();
Problem residual_layer_norm();
Problem rms_norm();
Problem varlen_attention();
Problem vector_add();
Problem saxpy();
Problem scan();
Problem scale();
Problem scale_rows();
Problem softmax();
Problem split_particles();
Problem spmv();
Problem stencil();
Problem sum();
Problem three_kernels();
Problem top_k();
Problem transpose();

}  // namespace ridge::problems
