// Packets of lab 11: data with a flag beside them, in one store.
#pragma once

#include <cuda_runtime.h>

// Two floats, and beside each a word that is not 0 once it is there. A GPU writes and reads 8
// aligned bytes of a lane at once, so a float is there if its flag is.
struct alignas(16) Packet {
  float first;
  unsigned first_flag;
  float second;
  unsigned second_flag;
};

// One store of 16 bytes, also to another device.
__device__ inline void store_packet(Packet* to, float2 data) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to),
               "r"(__float_as_uint(data.x)), "r"(1u), "r"(__float_as_uint(data.y)), "r"(1u)
               : "memory");
}

// One load of 16 bytes, from memory and not from a cache that others do not write to.
__device__ inline Packet load_packet(const Packet* from) {
  unsigned words[4];
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "l"(from)
               : "memory");
  return {__uint_as_float(words[0]), words[1], __uint_as_float(words[2]), words[3]};
}
