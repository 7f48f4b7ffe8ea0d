// Dynamic programming: tables that are filled by diagonals, rows or pivots.
#include "everyday.h"

// One block, one anti-diagonal per step.
__global__ void longest_common_subsequence(const char* a, const char* b, int* table, int count) {
  const int pitch = count + 1;
  for (int diagonal = 2; diagonal <= 2 * count; ++diagonal) {
    const int first = max(1, diagonal - count), last = min(count, diagonal - 1);
    for (int i = first + threadIdx.x; i <= last; i += blockDim.x) {
      const int j = diagonal - i;
      if (a[i - 1] == b[j - 1])
        table[i * pitch + j] = table[(i - 1) * pitch + j - 1] + 1;
      else
        table[i * pitch + j] = max(table[(i - 1) * pitch + j], table[i * pitch + j - 1]);
    }
    __syncthreads();
  }
}

__global__ void floyd_warshall_step(int* distance, int n, int k) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) {
    const int through = distance[i * n + k] + distance[k * n + j];
    if (through < distance[i * n + j]) distance[i * n + j] = through;
  }
}

// The diagonal tile of a blocked Floyd-Warshall.
__global__ void floyd_warshall_tile(int* distance, int n, int tile_index) {
  __shared__ int tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  const int at = (tile_index * 32 + y) * n + tile_index * 32 + x;
  tile[y][x] = distance[at];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    tile[y][x] = min(tile[y][x], tile[y][k] + tile[k][x]);
    __syncthreads();
  }
  distance[at] = tile[y][x];
}

// A tile of 16 by 16 scores, filled along its diagonals.
__global__ void needleman_wunsch(const int* reference, int* scores, int columns, int penalty, int strip) {
  __shared__ int score[17][17];
  __shared__ int match[16][16];
  const int t = threadIdx.x, bx = blockIdx.x, by = strip - 1 - bx;
  const int base = columns * 16 * by + 16 * bx + columns + 1;
  if (t == 0) score[0][0] = scores[base - columns - 1];
  for (int y = 0; y < 16; ++y)
    match[y][t] = reference[base + y * columns + t];
  __syncthreads();
  score[t + 1][0] = scores[base + t * columns - 1];
  score[0][t + 1] = scores[base - columns + t];
  __syncthreads();
  for (int m = 0; m < 16; ++m) {
    if (t <= m) {
      const int x = t + 1, y = m - t + 1;
      score[y][x] = max(score[y - 1][x - 1] + match[y - 1][x - 1], max(score[y][x - 1], score[y - 1][x]) - penalty);
    }
    __syncthreads();
  }
  for (int m = 14; m >= 0; --m) {
    if (t <= m) {
      const int x = t + 16 - m, y = 16 - t;
      score[y][x] = max(score[y - 1][x - 1] + match[y - 1][x - 1], max(score[y][x - 1], score[y - 1][x]) - penalty);
    }
    __syncthreads();
  }
  for (int y = 0; y < 16; ++y)
    scores[base + y * columns + t] = score[y + 1][t + 1];
}

// Cheapest way down a grid: `rows` rows per launch, in shared memory.
__global__ void path_rows(const int* wall, const int* from, int* to, int columns, int rows) {
  __shared__ int previous[256], result[256];
  const int t = threadIdx.x, inner = 256 - 2 * rows;
  const int x = blockIdx.x * inner - rows + t;
  const bool valid = x >= 0 && x < columns;
  const int left = max(t - 1, x - t < 0 ? -(x - t) : 0), right = min(t + 1, min(255, columns - 1 - (x - t)));
  if (valid) previous[t] = from[x];
  __syncthreads();
  bool computed = false;
  for (int i = 0; i < rows; ++i) {
    computed = false;
    if (t >= i + 1 && t <= 254 - i && valid) {
      computed = true;
      int shortest = min(previous[left], previous[t]);
      shortest = min(shortest, previous[right]);
      result[t] = shortest + wall[columns * i + x];
    }
    __syncthreads();
    if (i == rows - 1) break;
    if (computed) previous[t] = result[t];
    __syncthreads();
  }
  if (computed) to[x] = result[t];
}

__global__ void knapsack_item(const int* before, int* after, int weight, int value, int capacity) {
  const int c = global_index();
  if (c > capacity) return;
  const int without = before[c];
  after[c] = c >= weight ? max(without, before[c - weight] + value) : without;
}

// Edit distance of one pair of words per thread; the row is in local memory.
__global__ void edit_distances(const char* words, int* out, int pairs) {
  const int pair = global_index();
  if (pair >= pairs) return;
  const char* a = words + pair * 16;
  const char* b = a + 8;
  int row[9];
  for (int j = 0; j <= 8; ++j)
    row[j] = j;
  for (int i = 1; i <= 8; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= 8; ++j) {
      const int kept = row[j];
      row[j] = a[i - 1] == b[j - 1] ? diagonal : 1 + min(diagonal, min(row[j], row[j - 1]));
      diagonal = kept;
    }
  }
  out[pair] = row[8];
}

__global__ void matrix_chain(const int* sizes, int* cost, int n, int length) {
  const int i = global_index();
  if (i + length >= n) return;
  const int j = i + length;
  int best = 1 << 30;
  for (int k = i; k < j; ++k) {
    const int here = cost[i * n + k] + cost[(k + 1) * n + j] + sizes[i] * sizes[k + 1] * sizes[j + 1];
    if (here < best) best = here;
  }
  cost[i * n + j] = best;
}

// Scores of a banded local alignment, a warp per pair: neighbours come by shuffles.
__global__ void smith_waterman_warp(const char* query, const char* text, int* best, int length) {
  const int lane = threadIdx.x & 31, pair = global_index() / 32;
  const char mine = query[pair * 32 + lane];
  int left = 0, up = 0, diagonal = 0, most = 0;
  for (int step = 0; step < length + 31; ++step) {
    const int column = step - lane;
    up = __shfl_up_sync(0xffffffffu, left, 1);
    if (lane == 0) up = 0;
    int score = 0;
    if (column >= 0 && column < length) {
      const int same = text[pair * length + column] == mine ? 3 : -2;
      score = max(0, max(diagonal + same, max(left, up) - 1));
      most = max(most, score);
    }
    diagonal = up;
    left = score;
  }
  for (int offset = 16; offset > 0; offset /= 2)
    most = max(most, __shfl_xor_sync(0xffffffffu, most, offset));
  if (lane == 0) best[pair] = most;
}

// Most probable state of every time step: each thread is a state.
__global__ void viterbi(const float* transition, const float* emission, const int* observed, float* out, int steps) {
  __shared__ float now[64];
  const int state = threadIdx.x;
  now[state] = emission[state];
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    float best = -1e30f;
    for (int from = 0; from < 64; ++from)
      best = fmaxf(best, now[from] + transition[from * 64 + state]);
    best += emission[observed[blockIdx.x * steps + step] * 64 + state];
    __syncthreads();
    now[state] = best;
    __syncthreads();
  }
  out[blockIdx.x * 64 + state] = now[state];
}

int main() {
  const auto letter = [](size_t i) { return 'a' + number_at(i) % 4; };
  char* text = device_values<char>(8192, letter);
  int* out = device_array<int>(1 << 15);
  longest_common_subsequence<<<1, 64>>>(text, text + 1000, device_array<int>(101 * 101), 100);
  int* distance = random_integers(128 * 128, 1000);
  floyd_warshall_step<<<dim3(8, 8), dim3(16, 16)>>>(distance, 120, 7);
  floyd_warshall_tile<<<1, dim3(32, 32)>>>(distance, 128, 1);
  needleman_wunsch<<<6, 16>>>(random_integers(129 * 129, 20), device_array<int>(129 * 129), 129, 10, 6);
  path_rows<<<9, 256>>>(random_integers(2000 * 10, 10), random_integers(2000, 10), out, 2000, 10);
  knapsack_item<<<16, 128>>>(random_integers(2001, 100), out, 37, 50, 2000);
  edit_distances<<<4, 128>>>(text, out, 500);
  matrix_chain<<<2, 64>>>(random_integers(130, 30), device_array<int>(100 * 100), 100, 20);
  smith_waterman_warp<<<8, 128>>>(text, text + 2048, out, 60);
  viterbi<<<8, 64>>>(random_reals(64 * 64), random_reals(16 * 64), random_integers(8 * 12, 16),
                     reinterpret_cast<float*>(out), 12);
  finish();
}
