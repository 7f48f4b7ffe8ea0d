// What Hopper adds to a matrix product, an instruction a function: barriers that count bytes (mbarrier), the
// copy engine (TMA), and products of a whole warpgroup (wgmma). CUDA C++ has no words for these, so each
// function is one line of PTX. Rungs 4 to 11 are written with them; there is nothing here to edit, and all of
// it to read. The names in `code font` of the chapter's part on these rungs are those of this file.
#pragma once

#include <cuda.h>  // CUtensorMap
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

// ---- shared memory ----

// A place in shared memory as these instructions want it: 32 bits, counted from the start of the block's
// window.
__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// Dynamic shared memory begins at a multiple of 16 bytes; swizzled tiles want 1024. Launch with 1024 bytes
// more.
template <typename Layout>
__device__ Layout& aligned_1024(unsigned char* memory) {
  return *reinterpret_cast<Layout*>(memory + (1024 - shared_address(memory) % 1024) % 1024);
}

// ---- mbarrier: wait for bytes ----

// An mbarrier is 8 bytes of shared memory. A *phase* of it ends when it has had its arrivals AND all the
// bytes that were announced have come; then the next phase begins by itself, with the same number of
// arrivals.
//
//     phase        0          1          2          3
//     parity       0          1          0          1
//              ----------|----------|----------|-------->  time
//                        ^          ^ wait(bar, 1) goes on from here
//                        wait(bar, 0) goes on from here
//
// So the n-th use of a barrier, counted from 0, is waited for with parity n % 2 (and before the next phase
// ends). A new barrier is in phase 0, and wait(bar, 1) goes on at once: the phase "before" is taken as ended.
__device__ inline void init(uint64_t* bar, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(arrivals) : "memory");
}

// After the inits and before the barrier of the block (or cluster): the copy engine and other blocks see
// them.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// One arrival, which announces that so many bytes will come.
__device__ inline void expect_bytes(uint64_t* bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
               : "memory");
}

// One arrival, and no bytes.
__device__ inline void arrive(uint64_t* bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}

// try_wait sleeps in hardware for a while; it may come back too early, hence the loop.
__device__ inline void wait(uint64_t* bar, int parity) {
  asm volatile(
      "{ .reg .pred ended; again%=: mbarrier.try_wait.parity.shared.b64 ended, [%0], %1; @!ended bra "
      "again%=; }" ::"r"(shared_address(bar)),
      "r"(parity)
      : "memory");
}

// ---- TMA: the copy engine ----

// One thread asks for a whole box of a matrix; the engine computes the addresses, and fills what lies outside
// the matrix with zeros. Those count among the bytes, so a box always brings all of its bytes. With
// SWIZZLE_128B the 16-byte pieces of a row change places, by the row's number modulo 8 (here 64 bf16 = 128
// bytes a row):
//
//     in the matrix           in shared memory: piece p of row r at p ^ r
//     row 0   0 1 2 3 4 5 6 7     0 1 2 3 4 5 6 7
//     row 1   0 1 2 3 4 5 6 7     1 0 3 2 5 4 7 6
//     row 2   0 1 2 3 4 5 6 7     2 3 0 1 6 7 4 5         a column of pieces lies in all 32 banks
//     ...                         ...
//     row 7   0 1 2 3 4 5 6 7     7 6 5 4 3 2 1 0
//
// x counts elements along the row (k), y rows. The engine arrives with the bytes at `bar`.
__device__ inline void load_box(void* to, const CUtensorMap* map, int x, int y, uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
      "[%4];" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(bar))
      : "memory");
}

// The same box to every block of the cluster whose bit is set in `blocks`: at the same place of its shared
// memory, and counted at its own barrier of that place. It is read from L2 once.
__device__ inline void load_box_for(uint16_t blocks, void* to, const CUtensorMap* map, int x, int y,
                                    uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(bar)), "h"(blocks)
      : "memory");
}

// The other way. What threads wrote must be published to the engine first; outside the matrix nothing is
// stored.
__device__ inline void publish_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void store_box(const CUtensorMap* map, const void* from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(shared_address(from)), "r"(x), "r"(y)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Until the engine has read the boxes that this thread stored, but for the last kPending.
template <int kPending>
__device__ void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// ---- wgmma: products of 64 rows by a warpgroup ----

// Four warps together start d += a b^T and go on; the tensor cores read a and b from shared memory by
// themselves. An operand is told by a *descriptor*, 64 bits:
//
//     bits   0-13  address of the tile / 16          (it begins at a multiple of 1024 bytes)
//           16-29  1: not used for swizzled rows of 128 bytes
//           32-45  64: from 8 rows to the next 8 are 1024 bytes, / 16
//           62-63  1: the 128-byte swizzle, as the copy engine made it
//
// A k of 16 bf16 is 32 bytes of each row: 2 more in the address field for each such step.
__device__ inline uint64_t describe(const void* tile) {
  return (shared_address(tile) & 0x3ffff) >> 4 | uint64_t{1} << 16 | uint64_t{64} << 32 | uint64_t{1} << 62;
}

// Before the first product of a batch: d's registers are as the program left them.
__device__ inline void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// What was started since the last commit is one batch.
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Until every batch but the last has ended. d is still being written: do not touch it.
__device__ inline void wait_products_but_last() {
  asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
}
// Until all have ended. The empty statements tell the compiler that d changes here: it must not read d
// before.
template <int kCount>
__device__ void wait_products(float (&d)[kCount]) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    asm volatile("" : "+f"(d[i])::"memory");
}

// Starts d (64 x 128) = a (64 x 16) b^T (b: 128 x 16), plus what d held if `add`. The operands after the
// predicate: factors of a and b (1 or -1), and whether a or b lies along m or n instead of k (no).
__device__ inline void multiply(float (&d)[64], uint64_t a, uint64_t b, bool add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %66, 0;"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
      "}, %64, %65, add, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
        "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
        "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]),
        "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
        "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]),
        "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]),
        "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// The same, 64 x 256.
__device__ inline void multiply(float (&d)[128], uint64_t a, uint64_t b, bool add) {
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
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, add, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
        "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
        "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]),
        "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
        "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]),
        "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]),
        "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]),
        "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
        "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]),
        "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]),
        "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]),
        "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]),
        "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]),
        "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]),
        "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]),
        "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// Of fp8, 32 along k at a time: 32 bytes as well. It knows no operands that lie along m or n.
__device__ inline void multiply_fp8(float (&d)[128], uint64_t a, uint64_t b, bool add) {
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
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, add, 1, 1; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
        "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
        "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]),
        "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
        "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]),
        "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]),
        "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]),
        "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
        "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]),
        "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]),
        "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]),
        "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]),
        "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]),
        "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]),
        "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]),
        "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// Where d lies. Of 64 x N, warp w of the warpgroup holds rows 16 w to 16 w + 15, lane l of it
//
//     columns        8 j + 2 (l % 4)   and the next
//     row l / 4         d[4 j]           d[4 j + 1]          of its 16
//     row l / 4 + 8     d[4 j + 2]       d[4 j + 3]
//
// Stores them as bf16, two neighbours at a time, but for what lies outside C [m][n]; n is even.
template <int kCount>
__device__ void store_sums(const float (&d)[kCount], __nv_bfloat16* c, int row0, int col0, int m, int n) {
  const int lane = threadIdx.x % 32, row = row0 + threadIdx.x % 128 / 32 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < kCount / 4; ++j) {
    const int col = col0 + 8 * j + lane % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = row + 8 * half;
      if (at < m && col < n)
        *reinterpret_cast<__nv_bfloat162*>(c + static_cast<int64_t>(at) * n + col) =
            __floats2bfloat162_rn(d[4 * j + 2 * half], d[4 * j + 2 * half + 1]);
    }
  }
}

// Stores four matrices of 8 x 8 bf16: of each, lane l holds two neighbours of row l / 4, as in d, and the
// lanes 8 i to 8 i + 7 say where the rows of matrix i go.
__device__ inline void store_matrices(void* row, const uint32_t* pairs) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
               "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
               : "memory");
}

// ---- registers, warpgroups and clusters ----

// All four warps of a warpgroup say it: from here on, so many registers a thread. A multiple of 8.
template <int kRegisters>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// Until all 128 threads of warpgroup `group` (0, 1, ...) are here. __syncthreads() is the same with number 0.
__device__ inline void sync_warpgroup(int group) {
  asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
}

// Until all threads of all blocks of the cluster are here.
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// One arrival at the same barrier of block `rank` of the cluster. Not with .release.cluster: before that
// ptxas puts a wait for all of the thread's memory accesses, and here there are none to publish: the tile was
// read by wgmma alone, and that has been waited for.
__device__ inline void arrive_at(uint64_t* bar, int rank) {
  asm volatile(
      "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.shared::cluster.b64 _, "
      "[there]; }" ::"r"(shared_address(bar)),
      "r"(rank)
      : "memory");
}

// ---- on the CPU: what the copy engine is told of a matrix ----

// matrix: [rows][cols], row after row; a box is `box_rows` rows of 128 bytes (64 bf16, 128 fp8), swizzled.
// The function that makes the 128 opaque bytes belongs to the driver; the runtime finds it, so no -lcuda is
// needed. The engine wants the matrix at a multiple of 16 bytes and rows that are multiples of 16 bytes long:
// this is why sizes are multiples of 8 (bf16) or 16 (fp8).
template <typename Element>
CUtensorMap map_of(const Element* matrix, int rows, int cols, int box_rows) {
  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  constexpr bool kFp8 = sizeof(Element) == 1;
  CUtensorMap map;
  const cuuint64_t size[] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[] = {static_cast<cuuint64_t>(cols) * sizeof(Element)};
  const cuuint32_t box[] = {128 / sizeof(Element), static_cast<cuuint32_t>(box_rows)}, step[] = {1, 1};
  encode(&map, kFp8 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2,
         const_cast<Element*>(matrix), size, row_bytes, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
         CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
