// Hopper's instructions for matrix kernels, one function per PTX instruction: mbarriers that count
// bytes, the copy engine (TMA), warpgroup MMAs (wgmma), register reallocation and clusters. CUDA
// C++ has no syntax for most of them. Rung 11 of lab 05 and rungs 4 to 11 of lab 06 use this file;
// there is nothing to edit. The names in `code font` in the chapters are the names of this file.
#pragma once

#include <cuda.h>  // CUtensorMap
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

// ---- shared memory ----

// The address of a shared variable as these instructions take it: 32 bits, from the start of the
// block's shared window.
__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Dynamic shared memory begins at a multiple of 16 bytes, swizzled tiles need a multiple of 1024:
// launch with 1024 bytes more.
template <typename Layout>
__device__ Layout& aligned_1024(unsigned char* memory) {
  return *reinterpret_cast<Layout*>(memory + (1024 - shared_address(memory) % 1024) % 1024);
}

// ---- mbarrier: wait for arrivals and bytes ----

// An mbarrier is 8 bytes of shared memory. Its current *phase* completes when it has received its
// arrivals and all bytes that were announced. The next phase then begins, with the same number of
// expected arrivals.
//
//     phase        0          1          2          3
//     parity       0          1          0          1
//              ----------|----------|----------|-------->  time
//                        ^          ^ wait(bar, 1) returns from here on
//                        wait(bar, 0) returns from here on
//
// The n-th use of a barrier, counted from 0, is waited for with parity n % 2, before the next phase
// completes. A new barrier is in phase 0, so wait(bar, 1) returns at once.
//
// Every function takes a pointer to the barrier or its shared_address().
__device__ inline void init(uint32_t bar, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(arrivals) : "memory");
}
__device__ inline void init(uint64_t* bar, int arrivals) {
  init(shared_address(bar), arrivals);
}

// After the inits and before the barrier of the block or cluster: makes the mbarriers visible to
// the copy engine and to other blocks.
__device__ inline void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// One arrival that also announces `bytes` bytes.
__device__ inline void expect_bytes(uint32_t bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
               : "memory");
}
__device__ inline void expect_bytes(uint64_t* bar, int bytes) {
  expect_bytes(shared_address(bar), bytes);
}

// One arrival.
__device__ inline void arrive(uint32_t bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ inline void arrive(uint64_t* bar) {
  arrive(shared_address(bar));
}

// try_wait suspends the thread in hardware and may return before the phase has completed, hence the
// loop.
__device__ inline void wait(uint32_t bar, int parity) {
  asm volatile(
      "{ .reg .pred done; again%=: mbarrier.try_wait.parity.shared.b64 done, [%0], %1; "
      "@!done bra again%=; }" ::"r"(bar),
      "r"(parity)
      : "memory");
}
__device__ inline void wait(uint64_t* bar, int parity) {
  wait(shared_address(bar), parity);
}

// ---- TMA: the copy engine ----

// One thread starts the copy of a box of a matrix. The engine computes the addresses and fills what
// lies outside the matrix with zeros; those count as bytes, so a box always brings its full size.
// With SWIZZLE_128B the 16-byte pieces of a row are permuted by the row number modulo 8 (here a row
// is 64 bf16, 128 bytes):
//
//     in the matrix           in shared memory: piece p of row r at p ^ (r % 8)
//     row 0   0 1 2 3 4 5 6 7     0 1 2 3 4 5 6 7
//     row 1   0 1 2 3 4 5 6 7     1 0 3 2 5 4 7 6
//     row 2   0 1 2 3 4 5 6 7     2 3 0 1 6 7 4 5         a column of pieces covers all 32 banks
//     ...                         ...
//     row 7   0 1 2 3 4 5 6 7     7 6 5 4 3 2 1 0
//
// x: the box's first element along the row; y: its first row. The engine reports the bytes to
// `bar`.
__device__ inline void tma_load(uint32_t to, const CUtensorMap* map, int x, int y, uint32_t bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(bar)
      : "memory");
}
__device__ inline void tma_load(void* to, const CUtensorMap* map, int x, int y, uint64_t* bar) {
  tma_load(shared_address(to), map, x, y, shared_address(bar));
}

// The same box for every block of the cluster whose bit is set in `blocks`: it is written to the
// same offset of each block's shared memory, reported to the mbarrier at the same offset, and read
// from L2 once.
__device__ inline void tma_load_multicast(uint16_t blocks, void* to, const CUtensorMap* map, int x,
                                          int y, uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(bar)), "h"(blocks)
      : "memory");
}

// From shared to global memory. fence_proxy_async() makes the threads' writes visible to the engine
// first; nothing is stored outside the matrix.
__device__ inline void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void tma_store(const CUtensorMap* map, const void* from, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
      "r"(shared_address(from)), "r"(x), "r"(y)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Waits until the engine has read the boxes that this thread stored, except the last kPending.
template <int kPending>
__device__ void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// ---- wgmma: an MMA of 64 rows by a warpgroup ----

// The four warps of a warpgroup start d += a * b^T together and continue; the tensor cores read a
// and b from shared memory. A *shared memory descriptor* of 64 bits describes an operand:
//
//     bits   0-13  address of the tile / 16          (the tile begins at a multiple of 1024 bytes)
//           16-29  1: ignored for swizzled rows of 128 bytes
//           32-45  64: 8 rows to the next 8 rows are 1024 bytes, / 16
//           62-63  1: the 128-byte swizzle that the copy engine made
//
// 16 bf16 along k are 32 bytes of each row: add 2 to the address field for each 16 of k.
__device__ inline uint64_t smem_desc(const void* tile) {
  return (shared_address(tile) & 0x3ffff) >> 4 | uint64_t{1} << 16 | uint64_t{64} << 32 |
         uint64_t{1} << 62;
}

// Before the first wgmma of a group: orders it after the thread's earlier accesses to d's
// registers.
__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// The wgmma started since the last commit are one group.
__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits for every group but the newest. d is still being written: do not read or write it.
__device__ inline void wgmma_wait_all_but_last() {
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}
// Waits for all groups. The empty asm statements tell the compiler that d changes here, so that it
// does not read d earlier.
template <int kCount>
__device__ void wgmma_wait_all(float (&d)[kCount]) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    asm volatile("" : "+f"(d[i])::"memory");
}

// Starts d (64 x 128) = a (64 x 16) * b^T (b: 128 x 16), plus the old d if `add`. The immediates
// after the predicate are the scale of a and of b (1 or -1) and whether a or b is stored along m or
// n instead of k.
__device__ inline void wgmma(float (&d)[64], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %66, 0;"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
      "}, %64, %65, add, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
        "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
        "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
        "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
        "+f"(d[63])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// The same for a tile of 64 x 256.
__device__ inline void wgmma(float (&d)[128], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %130, 0;"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, "
      "%120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, add, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
        "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
        "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
        "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
        "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]),
        "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]),
        "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
        "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]),
        "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]),
        "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
        "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]),
        "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]),
        "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]),
        "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// fp8 operands: 32 elements along k, 32 bytes as well. Both operands must be stored along k.
__device__ inline void wgmma_fp8(float (&d)[128], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %130, 0;"
      "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, "
      "%120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, add, 1, 1; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
        "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
        "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
        "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
        "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]),
        "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]),
        "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
        "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]),
        "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]),
        "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
        "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]),
        "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]),
        "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]),
        "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// The accumulator fragment d. Of a 64 x N tile, warp w of the warpgroup holds rows 16 w to 16 w +
// 15; lane l holds
//
//     columns        8 j + 2 (l % 4)   and the next
//     row l / 4         d[4 j]           d[4 j + 1]          of its 16
//     row l / 4 + 8     d[4 j + 2]       d[4 j + 3]
//
// Stores d as bf16, two neighbours per store, except what lies outside C [m][n]; n is even.
template <int kCount>
__device__ void store_accumulators(const float (&d)[kCount], __nv_bfloat16* c, int row0, int col0,
                                   int m, int n) {
  const int lane = threadIdx.x % 32, warp_in_group = threadIdx.x % 128 / 32;
  const int first_row = row0 + warp_in_group * 16 + lane / 4;
  __nv_bfloat16* const rows_of_c[2] = {c + static_cast<int64_t>(first_row) * n,
                                       c + static_cast<int64_t>(first_row + 8) * n};
#pragma unroll
  for (int j = 0; j < kCount / 4; ++j) {
    const int col = col0 + 8 * j + lane % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half)
      if (first_row + 8 * half < m && col < n)
        *reinterpret_cast<__nv_bfloat162*>(rows_of_c[half] + col) =
            __floats2bfloat162_rn(d[4 * j + 2 * half], d[4 * j + 2 * half + 1]);
  }
}

// Stores four 8 x 8 matrices of bf16. Lane l holds two neighbours of row l / 4 of each, as in d;
// lanes 8 i to 8 i + 7 pass the row addresses of matrix i.
__device__ inline void stmatrix_x4(void* row, const uint32_t* pairs) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
      : "memory");
}

// ---- registers, warpgroups and clusters ----

// Register reallocation (setmaxnreg), executed by all four warps of a warpgroup: from here on each
// of its threads has kRegisters, a multiple of 8. dealloc returns registers, alloc waits until they
// are available.
template <int kRegisters>
__device__ void warpgroup_reg_dealloc() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ void warpgroup_reg_alloc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// A barrier of the 128 threads of warpgroup `group` (0, 1, ...). Barrier 0 is that of
// __syncthreads().
__device__ inline void sync_warpgroup(int group) {
  asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
}

// A barrier of all threads of all blocks of the cluster.
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

// One arrival at the same mbarrier of block `rank` of the cluster. It is not .release.cluster:
// before that ptxas inserts a wait for all of the thread's memory accesses, and there are none to
// publish here: only wgmma read the tile, and that has been waited for.
__device__ inline void arrive_remote(uint64_t* bar, int rank) {
  asm volatile(
      "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1; "
      "mbarrier.arrive.shared::cluster.b64 _, [remote]; }" ::"r"(shared_address(bar)),
      "r"(rank)
      : "memory");
}

// ---- on the host: the tensor map, which describes a matrix to the copy engine ----

// matrix: [rows][cols], row-major; a box is box_rows x box_cols, by default 128 bytes wide (64
// bf16, 128 fp8, 32 float) and swizzled. The matrix begins at a multiple of 16 bytes and its rows
// are multiples of 16 bytes apart: this is why sizes are multiples of 4 (float), 8 (bf16) or 16
// (fp8). row_stride: elements from one row to the next; 0: cols. The driver's function encodes the
// 128 opaque bytes; the runtime finds it, so that no -lcuda is needed.
template <typename Element>
CUtensorMap tensor_map(const Element* matrix, int rows, int cols, int box_rows,
                       int box_cols = 128 / sizeof(Element),
                       CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B,
                       int row_stride = 0) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                     &found);
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  constexpr CUtensorMapDataType kType = sizeof(Element) == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                        : sizeof(Element) == 2 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                               : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  CUtensorMap map;
  const cuuint64_t size[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[] = {static_cast<cuuint64_t>(row_stride ? row_stride : cols) *
                                  sizeof(Element)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(box_cols), static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t step[] = {1, 1};  // every element
  encode(&map, kType, 2, const_cast<Element*>(matrix), size, row_bytes, box, step,
         CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
