// A whole decode step: the weights of a small transformer, streamed without a pause.
//
// One token for one user: each weight is read once and multiplied by one number, so the memory is
// the bound. But a layer has five phases, and each needs the whole result of the one before
// (model.h). A kernel per phase reads no weights while it starts, while its last block ends, and
// while it loads the vector that it multiplies by.
//
// Rung 4 made the start cheap. Still, a block waits at the barrier and loads its vector behind it,
// and the memory idles through both. Only the vector, a few KB, depends on the phases before. The
// *weights*, nearly all bytes, depend on nothing: their copies can be under way before the barrier.
//
// So each warp has a stream of units of 4 KB (unit_copies.h): all rows of all phases of all layers
// that are its own, in the order in which it needs them. kStages units are in shared memory or on
// the way. The stream does not know where phases end:
//
//     copies     | q  q | keys | out  out | up up up up | down ...      never wait
//     products       | q  q |b| keys |b| out  out |b| up up up up |b|   b: barrier, vector
//
// While a block waits, 128 KB per SM arrive: the next phase begins with its weights at hand.
//
//     ./ridge grade 12-launch-overhead/5-decode-step
#include <algorithm>

#include "grid_barrier.h"
#include "step_attention.h"

namespace {

// The units of this warp, in the order in which it needs them.
struct Stream {
  const Model& model;
  const Split split;
  Stage* const stages;                             // [kStages], of this warp
  Place next = {0, kQuery, first_row(kQuery), 0};  // the unit to start
  int started = 0, taken = 0;                      // units

  // Starts the copy of the next unit, which may belong to a later phase or layer. Behind the last
  // one the group of copies is empty.
  __device__ void start() {
    // TODO (about 10 lines): next.row may be beyond the last row of its phase (rows_of()): then the
    // next phase that has a row for this warp is due, or the next layer. start_unit() into the
    // stage that is free, and go on to the next part of the row (parts_of()), or to the next row
    // (rows_at_once()). Then commit_copies(), also if there was nothing left to start.
  }

  // The next unit. The one that was taken before it is overwritten.
  __device__ const Stage& take() {
    // TODO (about 3 lines): keep kStages - 1 units on the way and return the oldest one, when it is
    // here. How many groups may still be under way then?
    return stages[0];
  }
};

// matrix_of(model, layer, phase) * x, row by row.
__device__ void multiply(Stream& stream, const Model& model, int layer, int phase,
                         const Vector& x) {
  const int lane = threadIdx.x % 32;
  const Matrix matrix = matrix_of(model, layer, phase);
  const float* const before = layer == 0 && phase == kOut ? model.x : residual;
  float* to = phase == kQuery ? query : phase == kUp ? activated : residual;
  if (phase == kDown && layer == model.layers - 1) to = model.out;
  for (int row = warp_of_grid(); row < matrix.rows; row += warps_of_grid()) {
    const float old = phase == kOut || phase == kDown ? before[row] : 0;
    float sum = 0;
    // TODO (about 7 lines): take the units of the row, one after the other. Piece p of this lane
    // has the 8 weights from column 8 (32 p + lane) of its unit on: dot() with the same columns of
    // x, which has matrix.columns elements.
    sum = sum_of_lanes(sum);
    if (lane == 0) to[row] = phase == kUp ? gelu(sum) : old + sum;
  }
}

// The parts of attention that this block has.
__device__ void attention(Stream& stream, const Model& model, Merged& room) {
  const Split split = stream.split;
  for (int item = blockIdx.x; item < model.heads() * split.splits; item += gridDim.x) {
    const int column = item / split.splits * kHead + threadIdx.x % 8 * 8;  // the lane's first
    const Eight q = {four_at(query, column), four_at(query, column + 4)};
    Seen seen;
    for (int step = 0; step < split.steps; ++step) {
      const int there = model.past - first_key(split, item, step);
      attend(seen, stream.take(), q, there);
    }
    store_part(room, seen, item);
  }
}

__global__ void __launch_bounds__(kThreads, 1) decode_layers(const Model model) {
  extern __shared__ __align__(16) unsigned char bytes[];
  Memory& memory = *reinterpret_cast<Memory*>(bytes);
  Vector& x = memory.x;
  Stream stream{model, split_of(model), memory.stages[threadIdx.x / 32]};
  // TODO (2 lines): let the first kStages - 1 units be on the way.
  unsigned barrier = 0;  // the number of barriers so far
  for (int layer = 0; layer < model.layers; ++layer) {
    load_normalized(x, layer == 0 ? model.x : residual, model.width);
    multiply(stream, model, layer, kQuery, x);
    // TODO (about 11 lines): attention(); kOut of what load_attended() puts into x; kUp of the norm
    // of `residual`; kDown of what load_activated() puts into x. Between which of them must all
    // blocks have arrived (grid_barrier(++barrier))? Must they behind the last phase of all?
  }
  reset_grid_barrier();
}

}  // namespace

extern "C" void decode_step(const float* x, const __nv_bfloat16* w_query,
                            const __nv_bfloat16* w_out, const __nv_bfloat16* w_up,
                            const __nv_bfloat16* w_down, const __nv_bfloat16* keys,
                            const __nv_bfloat16* values, float* out, int layers, int width,
                            int hidden, int past, cudaStream_t stream) {
  static const int sms = [] {  // once: such calls take longer than the launch
    cudaFuncSetAttribute(decode_layers, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         sizeof(Memory));
    int device = 0, count = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
  }();
  Model model{x, w_query, w_out, w_up, w_down, keys, values, out, layers, width, hidden, past};
  const int needed = (std::max(width, hidden) + kWarps - 1) / kWarps;  // blocks that have a row
  void* arguments[] = {&model};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(decode_layers),
                              dim3(std::min(needed, sms)), dim3(kThreads), arguments,
                              sizeof(Memory), stream);
}
