// Philox4x32-10, the counter-based random numbers of Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3" (2011): 128 random bits are a function of a counter and a key.
#pragma once

#include <array>
#include <cstdint>

namespace ridge::problems {

using PhiloxWords = std::array<uint32_t, 4>;

inline PhiloxWords philox_round(const PhiloxWords& counter, uint32_t key0, uint32_t key1) {
  constexpr uint64_t kFactor0 = 0xD2511F53, kFactor1 = 0xCD9E8D57;
  const uint64_t product0 = kFactor0 * counter[0], product1 = kFactor1 * counter[2];
  return {
      static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(product1),
      static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(product0)};
}

inline PhiloxWords philox4x32_10(PhiloxWords counter, uint64_t key) {
  constexpr uint32_t kStep0 = 0x9E3779B9, kStep1 = 0xBB67AE85;
  auto key0 = static_cast<uint32_t>(key), key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round, key0 += kStep0, key1 += kStep1)
    counter = philox_round(counter, key0, key1);
  return counter;
}

}  // namespace ridge::problems
