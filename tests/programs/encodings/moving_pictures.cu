// What a video encoder does: planes of NV12 from pixels, sums of absolute differences of bytes for
// motion vectors, a cosine transform in 8 x 8 blocks with zigzag order, an integral image, error
// diffusion as a wave of warps, and a layered texture that is scaled into a surface.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "check.h"

constexpr int kWidth = 128, kHeight = 64, kPixels = kWidth * kHeight;

__global__ void to_nv12(const uchar4* rgb, uint8_t* luma, uchar2* chroma) {
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x),
            y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  int u = 0, v = 0;
  for (int i = 0; i < 4; ++i) {
    const int at = (y + i / 2) * kWidth + x + i % 2;
    const uchar4 p = rgb[at];
    luma[at] = static_cast<uint8_t>((66 * p.x + 129 * p.y + 25 * p.z + 128) / 256 + 16);
    u += -38 * p.x - 74 * p.y + 112 * p.z;
    v += 112 * p.x - 94 * p.y - 18 * p.z;
  }
  chroma[y / 2 * (kWidth / 2) + x / 2] =
      make_uchar2((u + 512 + 128 * 1024) >> 10, (v + 512 + 128 * 1024) >> 10);
}

// A warp per 16 x 16 macroblock of the second picture: lanes try the places within 8 pixels in the
// first. Unaligned words are put together by byte permutations.
__global__ void motion(const uint8_t* before, const uint8_t* now, int* vectors) {
  const int block_x = blockIdx.x * 16, block_y = blockIdx.y * 16, lane = threadIdx.x;
  unsigned best = ~0u;
  for (int place = lane; place < 17 * 17; place += 32) {
    const int dx = place % 17 - 8, dy = place / 17 - 8, x = block_x + dx, y = block_y + dy;
    if (x < 0 || y < 0 || x + 16 > kWidth || y + 16 > kHeight) continue;
    unsigned sum = 0;
    for (int row = 0; row < 16; ++row) {
      const auto* own = reinterpret_cast<const unsigned*>(now + (block_y + row) * kWidth + block_x);
      const auto* other =
          reinterpret_cast<const unsigned*>(before + ((y + row) * kWidth + x) / 4 * 4);
      const unsigned selector = 0x3210 + 0x1111 * (x & 3);
      for (int word = 0; word < 4; ++word) {
        const unsigned next = x & 3 ? other[word + 1] : 0;
        sum = __vsadu4(own[word], __byte_perm(other[word], next, selector)) + sum;
      }
    }
    best = min(best, sum << 10 | static_cast<unsigned>(place));
  }
  best = __reduce_min_sync(~0u, best);
  if (lane == 0) vectors[blockIdx.y * gridDim.x + blockIdx.x] = static_cast<int>(best % 1024);
}

__constant__ float cosines[64];  // times the scale of each frequency
__constant__ uint8_t zigzag[64];
__global__ void transform(const uint8_t* luma, short* coefficients) {
  __shared__ float tile[8][9], rows[8][9];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = luma[(blockIdx.y * 8 + y) * kWidth + blockIdx.x * 8 + x] - 128.0f;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum = fmaf(tile[y][k], cosines[x * 8 + k], sum);
  rows[y][x] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    sum = fmaf(rows[k][x], cosines[y * 8 + k], sum);
  coefficients[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + zigzag[y * 8 + x]] =
      static_cast<short>(lrintf(sum / 16));
}

// Sums over all pixels above and to the left: rows by scans in a warp, then columns.
__global__ void integral_rows(const uint8_t* luma, unsigned* sums) {
  const int row = blockIdx.x, lane = threadIdx.x;
  const uchar4 p = reinterpret_cast<const uchar4*>(luma + row * kWidth)[lane];
  const uint4 own = make_uint4(p.x, p.x + p.y, p.x + p.y + p.z, p.x + p.y + p.z + p.w);
  unsigned before = own.w;
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned other = __shfl_up_sync(~0u, before, offset);
    if (lane >= offset) before += other;
  }
  before -= own.w;
  reinterpret_cast<uint4*>(sums + row * kWidth)[lane] =
      make_uint4(before + own.x, before + own.y, before + own.z, before + own.w);
}
__global__ void integral_columns(unsigned* sums) {
  unsigned sum = 0;
  for (int y = 0; y < kHeight; ++y)
    sums[y * kWidth + threadIdx.x] = sum += sums[y * kWidth + threadIdx.x];
}

// Floyd and Steinberg's error diffusion. Row y needs the errors of row y - 1 up to one pixel ahead:
// warp w has rows w, w + 4, ... and follows the warp above at a distance. Only lane 0 works; the
// progress of rows is in shared memory.
__global__ void dither(const uint8_t* luma, int* errors, uint8_t* out) {
  __shared__ int done[kHeight];
  for (int i = threadIdx.x; i < kHeight; i += blockDim.x)
    done[i] = 0;
  __syncthreads();
  volatile int* progress = done;
  if (threadIdx.x % 32 != 0) return;
  for (int y = threadIdx.x / 32; y < kHeight; y += blockDim.x / 32) {
    int from_left = 0;
    for (int x = 0; x < kWidth; ++x) {
      if (y > 0) {
        while (progress[y - 1] < min(x + 2, kWidth)) {
        }
        __threadfence_block();
      }
      const volatile int* above = errors + (y - 1) * kWidth + x;
      int value = luma[y * kWidth + x] * 16 + from_left;
      if (y > 0)
        value += 5 * above[0] + (x > 0 ? above[-1] : 0) + (x + 1 < kWidth ? 3 * above[1] : 0);
      const bool white = value >= 128 * 16;
      out[y * kWidth + x] = white ? 255 : 0;
      const int error = (value - (white ? 255 * 16 : 0)) / 16;
      static_cast<volatile int*>(errors)[y * kWidth + x] = error;
      from_left = 7 * error;
      __threadfence_block();
      progress[y] = x + 1;
    }
  }
}

// Both layers at half the size, filtered between four texels, mixed with weights.
__global__ void mix(cudaTextureObject_t layers, cudaSurfaceObject_t surface) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
  const float u = (2 * x + 1.0f) / kWidth, v = (2 * y + 1.0f) / kHeight;
  const float a = tex2DLayered<float>(layers, u, v, 0), b = tex2DLayered<float>(layers, u, v, 1);
  surf2Dwrite(static_cast<unsigned char>(lrintf(255 * (0.75f * a + 0.25f * b))), surface, x, y);
}

uint32_t hash(const void* data, size_t bytes) {
  uint32_t value = 2166136261u;
  for (size_t i = 0; i < bytes; ++i)
    value = (value ^ static_cast<const uint8_t*>(data)[i]) * 16777619u;
  return value;
}
template <typename T>
std::vector<T> read(const T* device, size_t count) {
  std::vector<T> host(count);
  to_host(host.data(), device, count);
  return host;
}

int main() {
  std::vector<uchar4> pictures[2];
  for (int which = 0; which < 2; ++which) {
    for (int i = 0; i < kPixels; ++i) {
      const int x = i % kWidth + 3 * which, y = i / kWidth - 2 * which;
      pictures[which].push_back(
          make_uchar4((x * x + 3 * y) % 256, (x ^ y) * 5 % 256, (x * y / 7 + 11 * x) % 256, 0));
    }
  }
  uint8_t* luma[2];
  for (int which = 0; which < 2; ++which) {
    uchar4* rgb = device_array<uchar4>(kPixels);
    uchar2* chroma = device_array<uchar2>(kPixels / 4);
    luma[which] = device_array<uint8_t>(kPixels);
    to_device(rgb, pictures[which].data(), kPixels);
    to_nv12<<<dim3(kWidth / 32, kHeight / 16), dim3(16, 8)>>>(rgb, luma[which], chroma);
    finish("to_nv12");
    printf("luma %08x, chroma %08x\n", hash(read(luma[which], kPixels).data(), kPixels),
           hash(read(chroma, kPixels / 4).data(), kPixels / 2));
  }
  constexpr int kBlocks = kPixels / 256;
  int* vectors = device_array<int>(kBlocks);
  motion<<<dim3(kWidth / 16, kHeight / 16), 32>>>(luma[0], luma[1], vectors);
  finish("motion");
  int followed = 0;
  for (int vector : read(vectors, kBlocks))
    followed += vector % 17 - 8 == 3 && vector / 17 - 8 == -2;
  printf("macroblocks that follow the motion: %d of %d\n", followed, kBlocks);

  float table[64];
  uint8_t order[64];
  for (int k = 0; k < 64; ++k) {  // cosines rounded to multiples of 1/1024: all sums are exact
    static const int kCosines[] = {1024, 1004, 946, 851, 724, 569, 392, 200};
    const int frequency = k / 8, angle = frequency * (2 * (k % 8) + 1) % 32,
              folded = angle > 16 ? 32 - angle : angle;
    table[k] = (folded == 8 ? 0 : folded < 8 ? kCosines[folded] : -kCosines[16 - folded]) / 1024.0f;
  }
  for (int s = 0, next = 0; s < 15; ++s) {
    for (int i = 0; i <= s; ++i) {
      const int y = s % 2 ? i : s - i, x = s - y;
      if (x < 8 && y < 8) order[y * 8 + x] = static_cast<uint8_t>(next++);
    }
  }
  check(cudaMemcpyToSymbol(cosines, table, sizeof table), "cosines");
  check(cudaMemcpyToSymbol(zigzag, order, sizeof order), "zigzag");
  short* coefficients = device_array<short>(kPixels);
  transform<<<dim3(kWidth / 8, kHeight / 8), dim3(8, 8)>>>(luma[0], coefficients);
  finish("transform");
  printf("coefficients %08x\n", hash(read(coefficients, kPixels).data(), kPixels * sizeof(short)));

  unsigned* sums = device_array<unsigned>(kPixels);
  integral_rows<<<kHeight, 32>>>(luma[0], sums);
  integral_columns<<<1, kWidth>>>(sums);
  int* errors = device_array<int>(kPixels);
  uint8_t* dithered = device_array<uint8_t>(kPixels);
  dither<<<1, 128>>>(luma[0], errors, dithered);
  finish("dither");
  const std::vector<unsigned> all = read(sums, kPixels);
  unsigned expected = 0;
  for (uint8_t value : read(luma[0], kPixels))
    expected += value;
  printf("integral image %08x, last %s; dithered %08x\n",
         hash(all.data(), kPixels * sizeof(unsigned)), all.back() == expected ? "right" : "wrong",
         hash(read(dithered, kPixels).data(), kPixels));

  cudaArray_t layers, half;
  cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
  check(cudaMalloc3DArray(&layers, &bytes, make_cudaExtent(kWidth, kHeight, 2), cudaArrayLayered),
        "layers");
  check(cudaMallocArray(&half, &bytes, kWidth / 2, kHeight / 2, cudaArraySurfaceLoadStore), "half");
  for (int which = 0; which < 2; ++which) {
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(luma[which], kWidth, kWidth, kHeight);
    copy.dstArray = layers;
    copy.dstPos = make_cudaPos(0, 0, which);
    copy.extent = make_cudaExtent(kWidth, kHeight, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    check(cudaMemcpy3D(&copy), "copy");
  }
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = layers;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeMirror;
  how.filterMode = cudaFilterModeLinear;
  how.readMode = cudaReadModeNormalizedFloat;
  how.normalizedCoords = 1;
  cudaTextureObject_t texture;
  check(cudaCreateTextureObject(&texture, &resource, &how, nullptr), "texture");
  resource.res.array.array = half;
  cudaSurfaceObject_t surface;
  check(cudaCreateSurfaceObject(&surface, &resource), "surface");
  mix<<<dim3(kWidth / 64, 1), dim3(32, kHeight / 2)>>>(texture, surface);
  finish("mix");
  std::vector<uint8_t> mixed(kPixels / 4);
  check(cudaMemcpy2DFromArray(mixed.data(), kWidth / 2, half, 0, 0, kWidth / 2, kHeight / 2,
                              cudaMemcpyDeviceToHost),
        "mixed");
  unsigned long long brightness = 0;
  for (uint8_t value : mixed)
    brightness += value;
  printf("mixed %08x, brightness %llu\n", hash(mixed.data(), mixed.size()), brightness);
  return 0;
}
