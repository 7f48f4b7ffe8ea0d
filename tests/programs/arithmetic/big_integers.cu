// Integers of many words: carry chains in PTX, Montgomery multiplication, a word per lane with
// carries found by votes, and a factorial by a warp. All are compared with the CPU.
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"

constexpr int kWords = 8;  // 256 bits, lowest word first
struct Wide {
  uint32_t word[kWords];
};
// 2^255 - 19, and -1 / modulus modulo 2^32.
__constant__ Wide modulus = {{0xffffffed, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x7fffffff}};
constexpr uint32_t kInverse = 0x286bca1b;

__device__ Wide subtract_if_not_less(const Wide& a, const Wide& b, uint32_t above) {
  Wide d;
  uint32_t borrow;
  asm("sub.cc.u32 %0, %9, %17;\n\tsubc.cc.u32 %1, %10, %18;\n\tsubc.cc.u32 %2, %11, %19;\n\t"
      "subc.cc.u32 %3, %12, %20;\n\tsubc.cc.u32 %4, %13, %21;\n\tsubc.cc.u32 %5, %14, %22;\n\t"
      "subc.cc.u32 %6, %15, %23;\n\tsubc.cc.u32 %7, %16, %24;\n\tsubc.u32 %8, %25, 0;"
      : "=&r"(d.word[0]), "=&r"(d.word[1]), "=&r"(d.word[2]), "=&r"(d.word[3]), "=&r"(d.word[4]),
        "=&r"(d.word[5]), "=&r"(d.word[6]), "=&r"(d.word[7]), "=&r"(borrow)
      : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(a.word[4]),
        "r"(a.word[5]), "r"(a.word[6]), "r"(a.word[7]), "r"(b.word[0]), "r"(b.word[1]),
        "r"(b.word[2]), "r"(b.word[3]), "r"(b.word[4]), "r"(b.word[5]), "r"(b.word[6]),
        "r"(b.word[7]), "r"(above));
  return borrow == 0 ? d : a;
}

// t += a * factor, nine words and a carry.
__device__ void add_product(uint32_t (&t)[kWords + 2], const Wide& a, uint32_t factor) {
  asm volatile("mad.lo.cc.u32 %0, %1, %2, %0;" : "+r"(t[0]) : "r"(a.word[0]), "r"(factor));
#pragma unroll
  for (int i = 1; i < kWords; ++i)
    asm volatile("madc.lo.cc.u32 %0, %1, %2, %0;" : "+r"(t[i]) : "r"(a.word[i]), "r"(factor));
  asm volatile("addc.cc.u32 %0, %0, 0;\n\taddc.u32 %1, %1, 0;"
               : "+r"(t[kWords]), "+r"(t[kWords + 1]));
  asm volatile("mad.hi.cc.u32 %0, %1, %2, %0;" : "+r"(t[1]) : "r"(a.word[0]), "r"(factor));
#pragma unroll
  for (int i = 1; i < kWords; ++i)
    asm volatile("madc.hi.cc.u32 %0, %1, %2, %0;" : "+r"(t[i + 1]) : "r"(a.word[i]), "r"(factor));
  asm volatile("addc.u32 %0, %0, 0;" : "+r"(t[kWords + 1]));
}

// a * b / 2^256 modulo the modulus.
__device__ Wide montgomery(const Wide& a, const Wide& b) {
  uint32_t t[kWords + 2] = {};
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    add_product(t, a, b.word[i]);
    add_product(t, modulus, t[0] * kInverse);
#pragma unroll
    for (int k = 0; k <= kWords; ++k)
      t[k] = t[k + 1];
    t[kWords + 1] = 0;
  }
  Wide result;
#pragma unroll
  for (int i = 0; i < kWords; ++i)
    result.word[i] = t[i];
  return subtract_if_not_less(result, modulus, t[kWords]);
}

// x^e modulo 2^255 - 19 for the exponent modulus - 2: the inverse of x. Then x times it is 1.
__global__ void inverses(const Wide* x, Wide* product, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Wide square = {{1444, 0, 0, 0, 0, 0, 0, 0}};  // (2^256)^2 = 38^2 modulo the modulus
  const Wide one = {{1, 0, 0, 0, 0, 0, 0, 0}};
  const Wide base = montgomery(x[i], square);
  Wide power = montgomery(one, square);
  for (int bit = 254; bit >= 0; --bit) {
    power = montgomery(power, power);
    const uint32_t word = bit / 32 == 0 ? modulus.word[0] - 2 : modulus.word[bit / 32];
    if (word >> bit % 32 & 1) power = montgomery(power, base);
  }
  product[i] = montgomery(montgomery(power, base), one);
}

// A word per lane: a carry goes through lanes that hold only ones. Two votes find all of them at
// once.
__device__ uint32_t add_across(uint32_t a, uint32_t b, unsigned& carry) {
  const uint32_t sum = a + b;
  const unsigned makes = __ballot_sync(~0u, sum < a), passes = __ballot_sync(~0u, sum == ~0u);
  const unsigned long long chain = (static_cast<unsigned long long>(makes) << 1 | carry) + passes;
  const unsigned into = static_cast<unsigned>(chain) ^ passes;
  carry = static_cast<unsigned>(chain >> 32);
  return sum + (into >> threadIdx.x & 1);
}

// Fibonacci numbers modulo 2^1024, and how often the addition overflowed.
__global__ void fibonacci(uint32_t* words, unsigned* overflows, int count) {
  uint32_t a = 0, b = threadIdx.x == 0;
  unsigned over = 0;
  for (int i = 0; i < count; ++i) {
    unsigned carry = 0;
    const uint32_t next = add_across(a, b, carry);
    over += carry;
    a = b;
    b = next;
  }
  words[threadIdx.x] = a;
  if (threadIdx.x == 0) *overflows = over;
}

// n! with a word per lane; the high halves of products move on by one lane.
__global__ void factorial(uint32_t* words, int n) {
  uint32_t own = threadIdx.x == 0;
  for (uint32_t k = 2; k <= n; ++k) {
    uint32_t high = __shfl_up_sync(~0u, __umulhi(own, k), 1);
    if (threadIdx.x == 0) high = 0;
    unsigned carry = 0;
    own = add_across(own * k, high, carry);
  }
  words[threadIdx.x] = own;
}

__global__ void powers_128(const uint64_t* bases, uint64_t* results, uint64_t m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned __int128 power = 1, base = bases[i] % m;
  for (uint64_t e = m - 1; e != 0; e >>= 1) {
    if (e & 1) power = power * base % m;
    base = base * base % m;
  }
  results[i] = static_cast<uint64_t>(power);
}

int main() {
  constexpr int kCount = 300;
  std::vector<Wide> x(kCount), products(kCount);
  uint32_t seed = 3;
  for (Wide& wide : x) {
    for (uint32_t& word : wide.word)
      word = seed = seed * 1664525u + 1013904223u;
    wide.word[kWords - 1] >>= 2;
  }
  Wide *in = device_array<Wide>(kCount), *out = device_array<Wide>(kCount);
  to_device(in, x.data(), kCount);
  inverses<<<(kCount + 63) / 64, 64>>>(in, out, kCount);
  finish("inverses");
  to_host(products.data(), out, kCount);
  int ones = 0;
  const Wide one = {{1}};
  for (const Wide& product : products)
    ones += std::memcmp(&product, &one, sizeof one) == 0;
  printf("x times its inverse is 1: %d of %d\n", ones, kCount);

  uint32_t *words = device_array<uint32_t>(32), host[32], a[32] = {}, b[32] = {1};
  unsigned *overflows = device_array<unsigned>(1), over = 0, expected_over = 0;
  constexpr int kSteps = 1600;
  fibonacci<<<1, 32>>>(words, overflows, kSteps);
  finish("fibonacci");
  to_host(host, words, 32);
  to_host(&over, overflows, 1);
  for (int i = 0; i < kSteps; ++i) {
    uint64_t carry = 0;
    for (int k = 0; k < 32; ++k) {
      carry += static_cast<uint64_t>(a[k]) + b[k];
      a[k] = b[k];
      b[k] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    expected_over += static_cast<unsigned>(carry);
  }
  printf("fibonacci: %s, overflows %u and %u\n",
         std::memcmp(host, a, sizeof a) == 0 ? "the same" : "different", over, expected_over);

  constexpr int kFactorial = 160;
  factorial<<<1, 32>>>(words, kFactorial);
  finish("factorial");
  to_host(host, words, 32);
  uint32_t product[32] = {1};
  for (uint32_t k = 2; k <= kFactorial; ++k) {
    uint64_t carry = 0;
    for (uint32_t& word : product) {
      carry += static_cast<uint64_t>(word) * k;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  printf("factorial: %s, %08x %08x\n",
         std::memcmp(host, product, sizeof product) == 0 ? "the same" : "different", host[29],
         host[28]);

  const uint64_t prime = 18446744073709551557ull;
  std::vector<uint64_t> bases(100), results(100);
  for (size_t i = 0; i < bases.size(); ++i)
    bases[i] = 0x9e3779b97f4a7c15ull * (i + 1);
  uint64_t *from = device_array<uint64_t>(100), *to = device_array<uint64_t>(100);
  to_device(from, bases.data(), 100);
  powers_128<<<4, 32>>>(from, to, prime, 100);
  finish("powers");
  to_host(results.data(), to, 100);
  int fermat = 0;
  for (uint64_t result : results)
    fermat += result == 1;
  printf("Fermat holds for %d of 100\n", fermat);
  return 0;
}
