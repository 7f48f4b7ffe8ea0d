#include "harness/problems/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <stdexcept>

namespace ridge::problems {

namespace {

const std::vector<Problem>& registry() {
  static const std::vector<Problem> problems = {
      vector_add(),  saxpy(),   scale(),    scale_rows(),      split_particles(),
      transpose(),   sum(),     gemm(),     gemm_bf16(),       gemm_fp8(),
      convolution(), filter_1d(), stencil(), softmax(), rms_norm(), gemm_whole_tiles(),
      embedding_lookup(), embedding_bag(), embedding_update(), embedding_update_repeatable(),
      decode_attention(), paged_decode(), varlen_attention(), decode_chain(), decode_step(), bias_gelu(), bias_dropout_residual(), dropout_backward(), residual_layer_norm(),
      cross_entropy(), gemm_bias_gelu(), attention(), attention_backward(), global_index(), host_add(),
      host_time(), host_errors(), three_kernels(), peer_copy(), all_gather_reduce_scatter(), all_reduce(),
      all_reduce_small(), copy_matrix(), gemm_bf16_one_step(), scan(), histogram(), top_k(), radix_sort(), spmv(), all_reduce_any(), all_to_all(), gemm_reduce_scatter()};
  return problems;
}

}  // namespace

int64_t Buffer::elements() const {
  int64_t count = 1;
  for (int64_t length : extent)
    count *= length;
  return count;
}

const Problem& find_problem(std::string_view id) {
  for (const Problem& problem : registry())
    if (problem.id == id) return problem;
  throw std::invalid_argument(
      fmt::format("there is no problem \"{}\"; there are: {}", id, fmt::join(problem_ids(), ", ")));
}

std::vector<std::string_view> problem_ids() {
  std::vector<std::string_view> ids;
  for (const Problem& problem : registry())
    ids.push_back(problem.id);
  return ids;
}

double bytes_moved(const Problem& problem, const Sizes& sizes) {
  if (problem.bytes_moved) return problem.bytes_moved(sizes);
  double bytes = 0;
  for (const Buffer& buffer : problem.buffers(sizes))
    bytes += static_cast<double>(buffer.bytes()) * (buffer.role == Role::in_out ? 2 : 1);
  return bytes;
}

std::string describe(const Problem& problem, const Sizes& sizes) {
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i)
    text += fmt::format("{}{} = {}", i ? ", " : "", problem.size_names[i], sizes[i]);
  return text;
}

int64_t least_extent(const Problem& problem, size_t dimension) {
  return problem.least.empty() ? 1 : problem.least[dimension];
}

std::string complaint_about(const Problem& problem, const Sizes& sizes) {
  if (sizes.size() != problem.size_names.size())
    return fmt::format("the problem {} has {} sizes ({}), and {} were given", problem.id,
                       problem.size_names.size(), fmt::join(problem.size_names, ", "), sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i)
    if (const int64_t least = least_extent(problem, i);
        sizes[i] < least || sizes[i] > std::numeric_limits<int32_t>::max())
      return fmt::format("a size of {} is given as {}; it must be from {} to 2147483647", problem.id,
                         sizes[i], least);
  if (problem.nearest_possible)
    if (const Sizes nearest = problem.nearest_possible(sizes); nearest != sizes)
      return fmt::format("{} is not possible with {}; the nearest possible sizes are {}", problem.id,
                         describe(problem, sizes), describe(problem, nearest));
  for (const Buffer& buffer : problem.buffers(sizes)) {
    int64_t elements = 1;
    for (int64_t length : buffer.extent) {
      if (length > 0 && elements > (int64_t{1} << 40) / length)
        return fmt::format("the array {} of {} would have over 2^40 elements", buffer.name, problem.id);
      elements *= length;
    }
  }
  return "";
}

std::vector<Sizes> edge_sizes_1d() {
  // 1009 is a prime; 4097 is one more than sixteen blocks of 256 and four of 1024.
  std::vector<Sizes> sizes;
  for (int64_t n : {1, 31, 32, 33, 63, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1009, 1023, 1025, 4097})
    sizes.push_back({n});
  return sizes;
}

std::vector<Sizes> edge_sizes_2d() {
  return {{1, 1},    {1, 33},  {33, 1},  {31, 33}, {32, 32},  {33, 31},  {15, 17},
          {16, 64},  {64, 16}, {63, 65}, {65, 63}, {37, 101}, {101, 37}, {127, 40},
          {40, 129}, {256, 5}, {5, 257}, {1, 600}, {600, 1},  {96, 64}};
}

}  // namespace ridge::problems
