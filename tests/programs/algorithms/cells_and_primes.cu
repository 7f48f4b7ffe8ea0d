// Conway's life, a byte a cell in shared tiles and 32 cells a word with carry-save adders; a segmented prime
// sieve.
#include <vector>

#include "check.h"

constexpr int kSide = 128, kWords = kSide / 32, kGenerations = 12;

__global__ void life_bytes(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char tile[10][34];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
    int x = (x0 + i % 34 + kSide - 1) % kSide, y = (y0 + i / 34 + kSide - 1) % kSide;
    tile[i / 34][i % 34] = in[y * kSide + x];
  }
  __syncthreads();
  int neighbours = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx)
      if (dx != 1 || dy != 1) neighbours += tile[threadIdx.y + dy][threadIdx.x + dx];
  bool alive = tile[threadIdx.y + 1][threadIdx.x + 1];
  out[(y0 + threadIdx.y) * kSide + x0 + threadIdx.x] = neighbours == 3 || (alive && neighbours == 2);
}

__global__ void life_bits(const unsigned* in, unsigned* out) {
  int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
  unsigned ones = 0, twos = 0, fours = 0;
  const auto count = [&](unsigned bits) {
    unsigned carry = ones & bits, next = twos & carry;
    ones ^= bits;
    twos ^= carry;
    fours |= next;
  };
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned* row = in + (y + dy + kSide) % kSide * kWords;
    unsigned left = row[(x + kWords - 1) % kWords], middle = row[x], right = row[(x + 1) % kWords];
    count(__funnelshift_l(left, middle, 1));
    count(__funnelshift_r(middle, right, 1));
    if (dy != 0) count(middle);
  }
  unsigned alive = in[y * kWords + x];
  out[y * kWords + x] = twos & ~fours & (ones | alive);
}

__global__ void sieve(unsigned* primes, int segment, int limit) {
  extern __shared__ unsigned composite[];
  int first = blockIdx.x * segment;
  for (int i = threadIdx.x; i < segment / 32; i += blockDim.x)
    composite[i] = first == 0 && i == 0 ? 3 : 0;
  __syncthreads();
  for (int p = 2 + threadIdx.x; p * p < limit; p += blockDim.x) {
    bool is_prime = true;
    for (int d = 2; d * d <= p && is_prime; ++d)
      is_prime = p % d != 0;
    if (!is_prime) continue;
    for (int multiple = max(p * p, (first + p - 1) / p * p); multiple < min(first + segment, limit);
         multiple += p)
      atomicOr(&composite[(multiple - first) / 32], 1u << (multiple - first) % 32);
  }
  __syncthreads();
  unsigned count = 0;
  for (int i = threadIdx.x; i < segment; i += blockDim.x)
    count += first + i < limit && !(composite[i / 32] >> i % 32 & 1);
  count = __reduce_add_sync(0xffffffffu, count);
  if (threadIdx.x % 32 == 0) atomicAdd(primes, count);
}

int main() {
  std::vector<unsigned char> cells(kSide * kSide), next(kSide * kSide), got(kSide * kSide);
  std::vector<unsigned> bits(kSide * kWords), got_bits(kSide * kWords);
  unsigned state = 42;
  for (int i = 0; i < kSide * kSide; ++i) {
    state = state * 1664525u + 1013904223u;
    cells[i] = state >> 30 == 0;
    bits[i / 32] |= static_cast<unsigned>(cells[i]) << i % 32;
  }
  unsigned char *a = device_array<unsigned char>(cells.size()),
                *b = device_array<unsigned char>(cells.size());
  unsigned *wa = device_array<unsigned>(bits.size()), *wb = device_array<unsigned>(bits.size());
  to_device(a, cells.data(), cells.size());
  to_device(wa, bits.data(), bits.size());
  for (int generation = 0; generation < kGenerations; ++generation) {
    life_bytes<<<dim3(kSide / 32, kSide / 8), dim3(32, 8)>>>(a, b);
    life_bits<<<kSide / 32, dim3(kWords, 32)>>>(wa, wb);
    std::swap(a, b);
    std::swap(wa, wb);
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) {
        int neighbours = 0;
        for (int i = 0; i < 9; ++i)
          if (i != 4)
            neighbours += cells[(y + i / 3 + kSide - 1) % kSide * kSide + (x + i % 3 + kSide - 1) % kSide];
        next[y * kSide + x] = neighbours == 3 || (cells[y * kSide + x] && neighbours == 2);
      }
    cells.swap(next);
  }
  finish("life");
  to_host(got.data(), a, got.size());
  to_host(got_bits.data(), wa, got_bits.size());
  int alive = 0, wrong = 0;
  for (int i = 0; i < kSide * kSide; ++i) {
    alive += cells[i];
    wrong += (got_bits[i / 32] >> i % 32 & 1) != cells[i];
  }
  printf("life: bytes %d, wrong bits %d, alive %d\n", got == cells, wrong, alive);

  unsigned* primes = device_array<unsigned>(1);
  check(cudaMemset(primes, 0, sizeof *primes), "cudaMemset");
  constexpr int limit = 100000, segment = 4096;
  sieve<<<(limit + segment - 1) / segment, 128, segment / 8>>>(primes, segment, limit);
  finish("sieve");
  unsigned count = 0, expected = 0;
  to_host(&count, primes, 1);
  std::vector<bool> composite(limit);
  for (int p = 2; p < limit; ++p) {
    if (composite[p]) continue;
    ++expected;
    for (int multiple = 2 * p; multiple < limit; multiple += p)
      composite[multiple] = true;
  }
  printf("primes below %d: %u %s\n", limit, count, count == expected ? "right" : "WRONG");
}
