// A whole decode step: the weights of a small transformer, streamed without a pause.
//
// Hypothesis: with two units per warp under way at every barrier the memory never idles, and the
// step takes as long as its bytes do.
// What changed from rung 4: a phase multiplies by a matrix; each warp copies its units of all
// phases in one stream, two units ahead of the one that it multiplies.
// What that bought: the memory stays busy through most of each barrier.
//
//     ./ridge grade 12-launch-overhead/5-decode-step --solution
// Measured on an H200: 70.6% of the device copy (course/measured/nvidia-h200).
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
    while (next.layer < model.layers && next.row >= rows_of(model, split, next.phase)) {
      if (++next.phase == kPhases) next.phase = kQuery, ++next.layer;
      next.row = first_row(next.phase);
    }
    if (next.layer < model.layers) {
      start_unit(stages[started++ % kStages], model, split, next);
      if (++next.part == parts_of(model, split, next.phase))
        next.part = 0, next.row += rows_at_once(next.phase);
    }
    commit_copies();
  }

  // The next unit. The one that was taken before it is overwritten.
  __device__ const Stage& take() {
    start();
    wait_for_copies<kStages - 1>();
    return stages[taken++ % kStages];
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
    for (int begin = 0; begin < matrix.columns; begin += kUnit) {
      const Stage& weights = stream.take();
#pragma unroll
      for (int p = 0; p < kPieces; ++p) {
        const int column = begin + (32 * p + lane) * 8;
        if (column < matrix.columns) sum = dot(weights.pieces[p][lane], x.at(column), sum);
      }
    }
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
  for (int i = 0; i < kStages - 1; ++i)
    stream.start();
  unsigned barrier = 0;  // the number of barriers so far
  for (int layer = 0; layer < model.layers; ++layer) {
    load_normalized(x, layer == 0 ? model.x : residual, model.width);
    multiply(stream, model, layer, kQuery, x);
    grid_barrier(++barrier);
    attention(stream, model, memory.merged);
    grid_barrier(++barrier);
    load_attended(x, model.width, stream.split.splits);
    multiply(stream, model, layer, kOut, x);
    grid_barrier(++barrier);
    load_normalized(x, residual, model.width);
    multiply(stream, model, layer, kUp, x);
    grid_barrier(++barrier);
    load_activated(x, model.hidden);
    multiply(stream, model, layer, kDown, x);
    if (layer < model.layers - 1) grid_barrier(++barrier);
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
