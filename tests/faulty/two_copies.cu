// Two copies under way into one place, and a copy whose mbarrier may not be there yet.
#include "faulty.h"
#include "hopper.h"

__device__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
__device__ void initialise(unsigned mbarrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(mbarrier), "r"(count) : "memory");
}
__device__ void expect(unsigned mbarrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(mbarrier), "r"(bytes) : "memory");
}

// The first two stages of a pipeline, and the second goes where the first does.
// case two_stages_in_one_buffer: race
// says two_stages_in_one_buffer: is still filling with other bytes, and no wait came between
// says two_stages_in_one_buffer: started by thread (0,0,0)
// says two_stages_in_one_buffer: two copies in flight are unordered
template <bool kFixed>
__global__ void prologue(const float* in, float* out) {
  __shared__ float tiles[2][256];
  const int t = threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place_of(&tiles[0][t])), "l"(in + t) : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place_of(&tiles[kFixed ? 1 : 0][t])), "l"(in + 256 + t) : "memory");  // <- two_stages_in_one_buffer
  wait_for_copies();
  __syncthreads();
  out[t] = tiles[0][t] + (kFixed ? tiles[1][t] : 0);
}

// Threads past the end copy something to the last element's place. In the twin the lanes of one warp copy the same there.
// case place_clamped_and_source_not: race
// says place_clamped_and_source_not: started by thread (99,0,0)
template <bool kFixed>
__global__ void clamped(const float* in, float* out, int n) {
  __shared__ float tile[256];
  const int t = threadIdx.x, last = t < n ? t : n - 1;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place_of(&tile[last])), "l"(in + (kFixed ? last : t)) : "memory");  // <- place_clamped_and_source_not
  wait_for_copies();
  __syncthreads();
  if (t < n) out[t] = tile[t];
}

// case bulk_copies_in_one_buffer: race
// says bulk_copies_in_one_buffer: which the bulk copy at
template <bool kFixed>
__global__ void two_tiles(const float* in, float* out) {
  __shared__ alignas(16) float tiles[2][256];
  __shared__ unsigned long long object;
  const unsigned full = place_of(&object);
  const int t = threadIdx.x;
  if (t == 0) initialise(full, 1);
  __syncthreads();
  if (t == 0) {
    expect(full, 2048);
    for (int k = 0; k < 2; ++k)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tiles[kFixed ? k : 0])), "l"(in + k * 256), "r"(full) : "memory");  // <- bulk_copies_in_one_buffer
  }
  wait(full, 0);
  out[t] = tiles[0][t] + (kFixed ? tiles[1][t] : 0);
}

// Every warp's first lane brings the tile: the same bytes to the same place, which does no harm once all are expected.
// case every_warp_brings_another_tile: race
template <bool kFixed>
__global__ void every_warp(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long object;
  const unsigned full = place_of(&object);
  const int t = threadIdx.x;
  if (t == 0) initialise(full, blockDim.x / 32);
  __syncthreads();
  if (t % 32 == 0) {
    expect(full, 1024);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tile)), "l"(in + (kFixed ? 0 : t / 32 * 4)), "r"(full) : "memory");  // <- every_warp_brings_another_tile
  }
  __syncthreads();
  wait(full, 0);
  out[t] = tile[t];
}

// The first warp waits for the tile, and the others go on without it and without a barrier.
// case tile_waited_for_by_one_warp: race
// says tile_waited_for_by_one_warp: fills, and has not waited for that
// cause tile_waited_for_by_one_warp: copy_waited_by_others
template <bool kFixed>
__global__ void one_waits(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long object;
  const unsigned full = place_of(&object);
  const int t = threadIdx.x;
  if (t == 0) {
    initialise(full, 1);
    expect(full, 1024);
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tile)), "l"(in), "r"(full) : "memory");
  }
  __syncthreads();
  if (t >= 224) wait(full, 0);
  if (kFixed) __syncthreads();
  out[t] = tile[t];  // <- tile_waited_for_by_one_warp
}

// The thread that brings the tiles starts the second when the first is surely there, but does not know it.
// case tile_brought_over_one_not_waited_for: race
// says tile_brought_over_one_not_waited_for: brings other bytes, and has not waited for that one
template <bool kFixed>
__global__ void hopes(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long objects[2];
  const unsigned first = place_of(&objects[0]), second = place_of(&objects[1]);
  const int t = threadIdx.x;
  if (t == 0) initialise(first, 1), initialise(second, 1);
  __syncthreads();
  if (t == 0) {
    for (int k = 0; k < 2; ++k) {
      for (int turn = 0; k == 1 && !kFixed && turn < 8; ++turn) __nanosleep(10000);
      if (k == 1 && kFixed) wait(first, 0);
      expect(k == 0 ? first : second, 1024);
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tile)), "l"(in + k * 256), "r"(k == 0 ? first : second) : "memory");  // <- tile_brought_over_one_not_waited_for
    }
  }
  if (t < 32) return;
  wait(first, 0);
  wait(second, 0);
  out[t] = tile[t];
}

// case copy_named_an_mbarrier_too_early: race
// says copy_named_an_mbarrier_too_early: uses the mbarrier at element 0 of the __shared__ array `object`
template <bool kFixed>
__global__ void another_warp_copies(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long object;
  const unsigned full = place_of(&object);
  const int t = threadIdx.x;
  if (t == 0) {
    initialise(full, 1);
    expect(full, 1024);
  }
  if (kFixed) __syncthreads();
  if (t == 32)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tile)), "l"(in), "r"(full) : "memory");  // <- copy_named_an_mbarrier_too_early
  __syncthreads();
  wait(full, 0);
  out[t] = tile[t];
}

static float* in() { return numbers<float>(512); }
static float* out() { return zeros<float>(256); }

const Case kCases[] = {
    {"two_stages_in_one_buffer", [](bool f) { (f ? prologue<true> : prologue<false>)<<<1, 256>>>(in(), out()); }},
    {"place_clamped_and_source_not", [](bool f) { (f ? clamped<true> : clamped<false>)<<<1, 128>>>(in(), out(), 100); }},
    {"bulk_copies_in_one_buffer", [](bool f) { (f ? two_tiles<true> : two_tiles<false>)<<<1, 256>>>(in(), out()); }},
    {"every_warp_brings_another_tile", [](bool f) { (f ? every_warp<true> : every_warp<false>)<<<1, 256>>>(in(), out()); }},
    {"tile_waited_for_by_one_warp", [](bool f) { (f ? one_waits<true> : one_waits<false>)<<<1, 256>>>(in(), out()); }},
    {"tile_brought_over_one_not_waited_for", [](bool f) { (f ? hopes<true> : hopes<false>)<<<1, 256>>>(in(), out()); }},
    {"copy_named_an_mbarrier_too_early", [](bool f) { (f ? another_warp_copies<true> : another_warp_copies<false>)<<<1, 256>>>(in(), out()); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
