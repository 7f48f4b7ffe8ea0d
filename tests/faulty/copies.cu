// Copies that go on beside the threads: started too early, read too early, overwritten too early.
#include "faulty.h"
#include "hopper.h"

__device__ void copy_4(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" ::"r"(place_of(to)), "l"(from) : "memory");
}
template <int kNewer>
__device__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kNewer) : "memory");
}

// The copy of the next tile may overwrite what slower warps still add up; its wait comes long after.
// case next_copy_starts_before_the_barrier: race
// cause next_copy_starts_before_the_barrier: copy_too_early
// says next_copy_starts_before_the_barrier: put a __syncthreads() between the last read of the buffer and the copy
template <bool kFixed>
__global__ void two_tiles(const float* in, float* out) {
  __shared__ float tiles[2][256];
  const int t = threadIdx.x;
  copy_4(&tiles[0][t], in + t);
  float total = 0;
  for (int k = 0; k < 4; ++k) {
    if (k < 3) copy_4(&tiles[(k + 1) % 2][t], in + (k + 1) * 256 + t);
    if (k < 3)
      wait_for_copies<1>();
    else
      wait_for_copies<0>();
    __syncthreads();
    for (int i = 0; i < 256; i += 32) total += tiles[k % 2][(t + i) % 256];  // <- next_copy_starts_before_the_barrier
    if (kFixed) __syncthreads();
  }
  out[t] = total;
}

// case last_tile_not_waited_for: race
// cause last_tile_not_waited_for: wait_lets_group_through
template <bool kFixed>
__global__ void one_group_too_few(const float* in, float* out) {
  __shared__ float tiles[2][256];
  const int t = threadIdx.x;
  float total = 0;
  copy_4(&tiles[0][t], in + t);
  copy_4(&tiles[1][t], in + 256 + t);
  for (int k = 0; k < 2; ++k) {
    if (kFixed && k == 1)
      wait_for_copies<0>();
    else
      wait_for_copies<1>();
    __syncthreads();
    total += tiles[k][255 - t];  // <- last_tile_not_waited_for
  }
  out[t] = total;
}

// case own_copy_not_waited_for: race
template <bool kFixed>
__global__ void private_copy(const float* in, float* out) {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  tile[t] = 1;
  copy_4(&tile[t], in + t);
  if (kFixed) wait_for_copies<0>();
  out[t] = tile[t];  // <- own_copy_not_waited_for
}

__device__ unsigned initialised(unsigned long long* mbarrier, int count) {
  const unsigned b = place_of(mbarrier);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(b), "r"(count) : "memory");
  return b;
}

// case tile_brought_anew_while_others_read: race
// says tile_brought_anew_while_others_read: starts a copy into element
// says tile_brought_anew_while_others_read: nothing makes the copy wait for that
template <bool kFixed>
__global__ void one_tile(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long object;
  const unsigned full = initialised(&object, 1);
  __syncthreads();
  const int t = threadIdx.x;
  float total = 0;
  for (int k = 0; k < 2; ++k) {
    if (t == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(full) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tile)), "l"(in + k * 256), "r"(full) : "memory");  // <- tile_brought_anew_while_others_read
    }
    wait(full, k & 1);
    total += tile[255 - t];
    if (kFixed) __syncthreads();
  }
  out[t] = total;
}

// case tile_of_the_last_turn_read: race
// says tile_of_the_last_turn_read: for the mbarrier `object` with parity 0 for the second time in a row
// cause tile_of_the_last_turn_read: wait_passed_at_once
template <bool kFixed>
__global__ void always_the_first_parity(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long object;
  const unsigned full = initialised(&object, 1);
  __syncthreads();
  const int t = threadIdx.x;
  float total = 0;
  for (int k = 0; k < 2; ++k) {
    if (t == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(full) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tile)), "l"(in + k * 256), "r"(full) : "memory");
    }
    __syncthreads();
    wait(full, kFixed ? k & 1 : 0);
    total += tile[t];  // <- tile_of_the_last_turn_read
    __syncthreads();
  }
  out[t] = total;
}

// The phase ends with the arrival, and the copy's bytes count for the next.
// case bytes_not_expected: race
// cause bytes_not_expected: copy_not_waited
template <bool kFixed>
__global__ void arrives_without_bytes(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  __shared__ unsigned long long object;
  const unsigned full = initialised(&object, 1);
  __syncthreads();
  const int t = threadIdx.x;
  if (t == 0) {
    if (kFixed)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(full) : "memory");
    else
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(full) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tile)), "l"(in), "r"(full) : "memory");
  }
  wait(full, 0);
  out[t] = tile[t];  // <- bytes_not_expected
}

// case tile_overwritten_while_it_is_stored: race
// cause tile_overwritten_while_it_is_stored: store_not_waited
template <bool kFixed>
__global__ void stores_two_tiles(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  const int t = threadIdx.x;
  for (int k = 0; k < 2; ++k) {
    tile[t] = in[k * 256 + t] * 2;  // <- tile_overwritten_while_it_is_stored
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;\ncp.async.bulk.commit_group;" ::"l"(out + k * 256), "r"(place_of(tile)) : "memory");
      if (kFixed) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}

// case stored_before_all_have_written: race
// says stored_before_all_have_written: starts a copy of element
template <bool kFixed>
__global__ void stores_at_once(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  const int t = threadIdx.x;
  tile[t] = in[t] * 2;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (kFixed) __syncthreads();
  if (t == 0)
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(out), "r"(place_of(tile)) : "memory");  // <- stored_before_all_have_written
}

// case copy_never_committed: race
// cause copy_never_committed: group_not_committed
template <bool kFixed>
__global__ void forgets_to_commit(const float* in, float* out) {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place_of(&tile[t])), "l"(in + t) : "memory");
  if (kFixed) asm volatile("cp.async.commit_group;" ::: "memory");
  wait_for_copies<0>();
  __syncthreads();
  out[t] = tile[255 - t];  // <- copy_never_committed
}

// The thread that waits is not the one that started the copy, so it waits for nothing.
// case store_unfinished_at_exit: race
// cause store_unfinished_at_exit: copy_at_exit
// says store_unfinished_at_exit: exits before anything has waited for it
template <bool kFixed>
__global__ void waits_in_another_thread(const float* in, float* out) {
  __shared__ alignas(16) float tile[256];
  const int t = threadIdx.x;
  tile[t] = in[t] * 2;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0)
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;\ncp.async.bulk.commit_group;" ::"l"(out), "r"(place_of(tile)) : "memory");  // <- store_unfinished_at_exit
  if (t == (kFixed ? 0 : 1)) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// case load_unfinished_at_exit: race
// cause load_unfinished_at_exit: copy_at_exit
// says load_unfinished_at_exit: while the copy still fills it
template <bool kFixed>
__global__ void loads_a_tile_too_many(const float* in, float* out) {
  __shared__ alignas(16) float tiles[2][256];
  __shared__ unsigned long long objects[2];
  const unsigned full[] = {initialised(&objects[0], 1), initialised(&objects[1], 1)};
  __syncthreads();
  const int t = threadIdx.x;
  if (t == 0) {
    for (int k = 0; k < (kFixed ? 1 : 2); ++k) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(full[k]) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(place_of(tiles[k])), "l"(in + k * 256), "r"(full[k]) : "memory");  // <- load_unfinished_at_exit
    }
  }
  wait(full[0], 0);
  out[t] = tiles[0][t];
}

const Case kCases[] = {
    {"store_unfinished_at_exit", [](bool f) { (f ? waits_in_another_thread<true> : waits_in_another_thread<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"load_unfinished_at_exit", [](bool f) { (f ? loads_a_tile_too_many<true> : loads_a_tile_too_many<false>)<<<1, 256>>>(numbers<float>(512), zeros<float>(256)); }},
    {"copy_never_committed", [](bool f) { (f ? forgets_to_commit<true> : forgets_to_commit<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"next_copy_starts_before_the_barrier", [](bool f) { (f ? two_tiles<true> : two_tiles<false>)<<<1, 256>>>(numbers<float>(1024), zeros<float>(256)); }},
    {"last_tile_not_waited_for", [](bool f) { (f ? one_group_too_few<true> : one_group_too_few<false>)<<<1, 256>>>(numbers<float>(512), zeros<float>(256)); }},
    {"own_copy_not_waited_for", [](bool f) { (f ? private_copy<true> : private_copy<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"tile_brought_anew_while_others_read", [](bool f) { (f ? one_tile<true> : one_tile<false>)<<<1, 256>>>(numbers<float>(512), zeros<float>(256)); }},
    {"tile_of_the_last_turn_read", [](bool f) { (f ? always_the_first_parity<true> : always_the_first_parity<false>)<<<1, 256>>>(numbers<float>(512), zeros<float>(256)); }},
    {"bytes_not_expected", [](bool f) { (f ? arrives_without_bytes<true> : arrives_without_bytes<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
    {"tile_overwritten_while_it_is_stored", [](bool f) { (f ? stores_two_tiles<true> : stores_two_tiles<false>)<<<1, 256>>>(numbers<float>(512), zeros<float>(512)); }},
    {"stored_before_all_have_written", [](bool f) { (f ? stores_at_once<true> : stores_at_once<false>)<<<1, 256>>>(numbers<float>(256), zeros<float>(256)); }},
};

int main(int argc, char** argv) { return run_cases(kCases, argc, argv); }
