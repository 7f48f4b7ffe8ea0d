// A CSV file read in parallel: every byte is a function on the states of a parser, functions are
// composed by a scan that does not commute, and quoted commas and line ends are no separators.
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>
#include <cub/cub.cuh>
#include <string>
#include <vector>

#include "check.h"

enum State { kField, kQuoted, kQuoteInQuoted, kStates };

// A function on the states: two bits for each.
struct Function {
  uint8_t next;
  __host__ __device__ int operator()(int state) const { return next >> 2 * state & 3; }
};
struct Then {
  __host__ __device__ Function operator()(Function first, Function second) const {
    unsigned next = 0;
    for (int state = 0; state < kStates; ++state)
      next |= static_cast<unsigned>(second(first(state))) << 2 * state;
    return {static_cast<uint8_t>(next)};
  }
};
__host__ __device__ Function function_of(char c) {
  if (c == '"') return {kQuoted | kQuoteInQuoted << 2 | kQuoted << 4};
  return {kField | kQuoted << 2 | kField << 4};
}

__global__ void functions_of(const char* text, int n, Function* functions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) functions[i] = function_of(text[i]);
}
struct IsSeparator {
  const char* text;
  const Function* before;  // of all bytes ahead, composed
  __device__ bool operator()(int i) const {
    return (text[i] == ',' || text[i] == '\n') && before[i](kField) != kQuoted;
  }
};

// A thread per field: numbers are added up by column, quoted texts count their characters.
__global__ void read_fields(const char* text, const int* ends, int count, int columns,
                            unsigned long long* sums, unsigned* wrong) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int at = i == 0 ? 0 : ends[i - 1] + 1;
  const int end = ends[i], column = i % columns;
  if ((text[end] == '\n') != (column == columns - 1)) atomicInc(wrong, ~0u);
  unsigned long long value = 0;
  if (text[at] == '"') {
    for (++at; at < end - 1; ++at, ++value)
      if (text[at] == '"') ++at;  // a doubled quote is one character
  } else {
    const bool negative = text[at] == '-';
    for (at += negative; at < end; ++at)
      value = value * 10 + static_cast<unsigned>(text[at] - '0');
    if (negative) value = 0 - value;
  }
  atomicAdd(&sums[column], value);
}

int main() {
  constexpr int kRows = 1500, kColumns = 4;
  std::string text;
  long long expected[kColumns] = {};
  unsigned seed = 1;
  const auto draw = [&](unsigned n) {
    return ((seed = seed * 1664525u + 1013904223u) >> 8 & 0xffff) % n;
  };
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      if (column == 1 || column == 3) {
        text += '"';
        const unsigned length = draw(12);
        for (unsigned i = 0; i < length; ++i) {
          static const char* const kParts[] = {"a", "b", ",", "\n", "\"\"", " "};
          text += kParts[draw(6)];
        }
        text += '"';
        expected[column] += length;
      } else {
        const int value = static_cast<int>(draw(60'000)) - 20'000;
        text += std::to_string(value);
        expected[column] += value;
      }
      text += column == kColumns - 1 ? '\n' : ',';
    }
  }
  const int n = static_cast<int>(text.size());
  char* chars = device_array<char>(n);
  to_device(chars, text.data(), n);
  Function *functions = device_array<Function>(n), *before = device_array<Function>(n);
  functions_of<<<(n + 255) / 256, 256>>>(chars, n, functions);
  const Function same = {kField | kQuoted << 2 | kQuoteInQuoted << 4};
  size_t bytes = 0;
  check(cub::DeviceScan::ExclusiveScan(nullptr, bytes, functions, before, Then{}, same, n),
        "size of the scan");
  check(cub::DeviceScan::ExclusiveScan(device_array<char>(bytes), bytes, functions, before, Then{},
                                       same, n),
        "scan");
  int *ends = device_array<int>(n), *found = device_array<int>(1);
  const thrust::counting_iterator<int> positions(0);
  const IsSeparator is_separator{chars, before};
  check(cub::DeviceSelect::If(nullptr, bytes, positions, ends, found, n, is_separator),
        "size of the selection");
  check(cub::DeviceSelect::If(device_array<char>(bytes), bytes, positions, ends, found, n,
                              is_separator),
        "selection");
  int count = 0;
  to_host(&count, found, 1);
  auto* sums = device_array<unsigned long long>(kColumns);
  auto* wrong = device_array<unsigned>(1);
  check(cudaMemset(sums, 0, kColumns * sizeof *sums), "memset");
  check(cudaMemset(wrong, 0, sizeof *wrong), "memset");
  read_fields<<<(count + 127) / 128, 128>>>(chars, ends, count, kColumns, sums, wrong);
  finish("fields");
  long long got[kColumns];
  unsigned misplaced = 0;
  check(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost), "sums");
  to_host(&misplaced, wrong, 1);
  printf("%d bytes, %d fields, %u misplaced\n", n, count, misplaced);
  for (int column = 0; column < kColumns; ++column)
    printf("column %d: %lld, expected %lld\n", column, got[column], expected[column]);
  return 0;
}
