// SHA-256 of many messages, a thread each: rotations, a message schedule in local memory, constants in
// constant memory.
#include <string>
#include <vector>

#include "check.h"

struct Digest {
  unsigned words[8];
};

__host__ __device__ unsigned rotated(unsigned x, int by) {
  return x >> by | x << (32 - by);
}

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, computed rather than
// listed.
__constant__ unsigned round_constants[64];
struct Constants {
  unsigned rounds[64], start[8];
  Constants() {
    int found = 0;
    for (unsigned long long p = 2; found < 64; ++p) {
      bool prime = true;
      for (unsigned long long d = 2; d * d <= p; ++d)
        prime = prime && p % d != 0;
      if (!prime) continue;
      // The largest r with r^3 <= p * 2^96, and with r^2 <= p * 2^64: integer roots by bisection in 128 bits.
      unsigned __int128 low = 0, high = static_cast<unsigned __int128>(1) << 36;
      while (high - low > 1) {
        unsigned __int128 middle = (low + high) / 2;
        // middle^3 < 2^108, compared with p * 2^96 < 2^105
        if (middle * middle * middle <= static_cast<unsigned __int128>(p) << 96)
          low = middle;
        else
          high = middle;
      }
      rounds[found] = static_cast<unsigned>(low);
      if (found < 8) {
        low = 0;
        high = static_cast<unsigned __int128>(1) << 36;
        while (high - low > 1) {
          unsigned __int128 middle = (low + high) / 2;
          if (middle * middle <= static_cast<unsigned __int128>(p) << 64)
            low = middle;
          else
            high = middle;
        }
        start[found] = static_cast<unsigned>(low);
      }
      ++found;
    }
  }
};

__host__ __device__ Digest digest_of(const unsigned char* message, int length, const unsigned* k,
                                     const Digest& start) {
  Digest h = start;
  int blocks = (length + 8) / 64 + 1;
  for (int block = 0; block < blocks; ++block) {
    unsigned w[64];
    for (int i = 0; i < 16; ++i) {
      w[i] = 0;
      for (int byte = 0; byte < 4; ++byte) {
        int at = block * 64 + i * 4 + byte;
        unsigned value = at < length ? message[at] : at == length ? 0x80u : 0u;
        w[i] = w[i] << 8 | value;
      }
    }
    if (block == blocks - 1) w[15] = static_cast<unsigned>(length) * 8;
    for (int i = 16; i < 64; ++i) {
      unsigned s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
      unsigned s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    unsigned a = h.words[0], b = h.words[1], c = h.words[2], d = h.words[3], e = h.words[4], f = h.words[5],
             g = h.words[6], last = h.words[7];
    for (int i = 0; i < 64; ++i) {
      unsigned t1 =
          last + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
      unsigned t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      last = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const unsigned now[8] = {a, b, c, d, e, f, g, last};
    for (int i = 0; i < 8; ++i)
      h.words[i] += now[i];
  }
  return h;
}

__global__ void hash_all(const unsigned char* messages, const int* begin, Digest* out, Digest start, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = digest_of(messages + begin[i], begin[i + 1] - begin[i], round_constants, start);
}

int main() {
  std::vector<std::string> messages{"", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
  for (int i = 3; i < 200; ++i)
    messages.push_back(std::string(static_cast<size_t>(i), static_cast<char>('a' + i % 26)));
  std::vector<unsigned char> bytes;
  std::vector<int> begin{0};
  for (const auto& message : messages) {
    bytes.insert(bytes.end(), message.begin(), message.end());
    begin.push_back(static_cast<int>(bytes.size()));
  }
  int n = static_cast<int>(messages.size());
  const Constants constants;
  check(cudaMemcpyToSymbol(round_constants, constants.rounds, sizeof constants.rounds), "cudaMemcpyToSymbol");
  Digest start;
  std::copy(constants.start, constants.start + 8, start.words);
  auto* device = device_array<unsigned char>(bytes.size());
  int* device_begin = device_array<int>(begin.size());
  Digest* out = device_array<Digest>(n);
  to_device(device, bytes.data(), bytes.size());
  to_device(device_begin, begin.data(), begin.size());
  hash_all<<<(n + 63) / 64, 64>>>(device, device_begin, out, start, n);
  finish("hash_all");
  std::vector<Digest> got(n);
  to_host(got.data(), out, n);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    Digest expected = digest_of(reinterpret_cast<const unsigned char*>(messages[i].data()),
                                static_cast<int>(messages[i].size()), constants.rounds, start);
    for (int w = 0; w < 8; ++w)
      wrong += got[i].words[w] != expected.words[w];
  }
  for (int i = 0; i < 3; ++i) {
    for (unsigned word : got[i].words)
      printf("%08x", word);
    printf("\n");
  }
  printf("wrong %d of %d\n", wrong, n);
}
