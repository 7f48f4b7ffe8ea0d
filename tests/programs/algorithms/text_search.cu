// Finding patterns in text: byte by byte with the pattern in constant memory, by rolling hashes, and counting
// words with a state machine in a table.
#include <algorithm>
#include <string>
#include <vector>

#include "check.h"

__constant__ char pattern[32];

__global__ void find(const char* text, int n, int length, int* found, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + length > n) return;
  for (int j = 0; j < length; ++j)
    if (text[i + j] != pattern[j]) return;
  found[atomicAdd(count, 1)] = i;
}

__global__ void find_by_hash(const char* text, int n, int length, unsigned wanted, int each,
                             unsigned char* hits) {
  int begin = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  unsigned hash = 0, highest = 1;
  for (int j = 1; j < length; ++j)
    highest *= 257u;
  for (int i = begin; i < begin + each && i + length <= n; ++i) {
    if (i == begin)
      for (int j = 0; j < length; ++j)
        hash = hash * 257u + static_cast<unsigned char>(text[i + j]);
    else
      hash = (hash - static_cast<unsigned char>(text[i - 1]) * highest) * 257u +
             static_cast<unsigned char>(text[i + length - 1]);
    if (hash == wanted) hits[i] = 1;
  }
}

__global__ void count_words(const char* text, int n, int* words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  bool starts = i < n && is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]));
  unsigned ballot = __ballot_sync(0xffffffffu, starts);
  if (threadIdx.x % 32 == 0) atomicAdd(words, __popc(ballot));
}

int main() {
  std::string text;
  const char* words[] = {"warp", "lane", "block", "grid", "Sector", "bank", "tile", "wavefront"};
  unsigned state = 3;
  int word_count = 0;
  while (text.size() < 20000) {
    state = state * 1664525u + 1013904223u;
    text += words[state >> 29];
    text += (state >> 20 & 7) == 0 ? ". " : (state >> 20 & 7) == 1 ? "ing " : " ";
    ++word_count;
  }
  const std::string wanted = "tile warp";
  int n = static_cast<int>(text.size()), length = static_cast<int>(wanted.size());
  char* device = device_array<char>(n);
  int *found = device_array<int>(n), *count = device_array<int>(1);
  auto* hits = device_array<unsigned char>(n);
  to_device(device, text.data(), n);
  check(cudaMemcpyToSymbol(pattern, wanted.data(), length), "cudaMemcpyToSymbol");
  check(cudaMemset(count, 0, sizeof(int)), "cudaMemset");
  check(cudaMemset(hits, 0, n), "cudaMemset");
  find<<<(n + 255) / 256, 256>>>(device, n, length, found, count);
  unsigned hash = 0;
  for (char c : wanted)
    hash = hash * 257u + static_cast<unsigned char>(c);
  find_by_hash<<<8, 64>>>(device, n, length, hash, (n + 511) / 512, hits);
  finish("find");
  int got = 0;
  to_host(&got, count, 1);
  std::vector<int> places(got), expected;
  std::vector<unsigned char> flags(n);
  to_host(places.data(), found, got);
  to_host(flags.data(), hits, n);
  std::sort(places.begin(), places.end());
  for (size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1))
    expected.push_back(static_cast<int>(at));
  int hashed = 0, wrong = 0;
  for (int i = 0; i < n; ++i)
    hashed += flags[i];
  for (int at : expected)
    wrong += !flags[at];
  printf("found %d, equal %d, by hash %d, missed %d\n", got, places == expected, hashed, wrong);
  check(cudaMemset(count, 0, sizeof(int)), "cudaMemset");
  count_words<<<(n + 255) / 256, 256>>>(device, n, count);
  finish("count_words");
  to_host(&got, count, 1);
  printf("words %d %s\n", got, got == word_count ? "right" : "WRONG");
}
