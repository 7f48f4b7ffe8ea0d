// Textures and surfaces: linear memory, pitched memory and arrays of one to three dimensions and layers,
// point and linear filtering, the four address modes, integers read as fractions, gathers, and surfaces with
// their boundary modes.
#include <vector>

#include "check.h"

cudaTextureObject_t texture_of(const cudaResourceDesc& resource, cudaTextureFilterMode filter,
                               cudaTextureAddressMode mode, bool normalized,
                               cudaTextureReadMode read = cudaReadModeElementType, float border = 0) {
  cudaTextureDesc description{};
  for (auto& own : description.addressMode)
    own = mode;
  description.filterMode = filter;
  description.readMode = read;
  description.normalizedCoords = normalized;
  description.borderColor[0] = border;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "texture object");
  return texture;
}

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

// A row of values behind one coordinate each.
__global__ void at_1d(cudaTextureObject_t texture, const float* x, float* out) {
  out[threadIdx.x] = tex1D<float>(texture, x[threadIdx.x]);
}
__global__ void at_2d(cudaTextureObject_t texture, const float2* at, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void fetch_1d(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, static_cast<int>(threadIdx.x) - 1);
}

template <typename T>
T* on_device(const std::vector<T>& values) {
  T* device = device_array<T>(values.size());
  to_device(device, values.data(), values.size());
  return device;
}

void show(const char* what, const float* device, size_t count) {
  finish(what);
  std::vector<float> values(count);
  to_host(values.data(), device, count);
  printf("%s:", what);
  for (float value : values)
    printf(" %g", value);
  printf("\n");
}

void linear_memory() {
  float* data = on_device<float>({10, 20, 30, 40});
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {data, cudaCreateChannelDesc<float>(), 4 * sizeof(float)};
  cudaTextureObject_t texture = texture_of(resource, cudaFilterModePoint, cudaAddressModeClamp, false);
  float* out = device_array<float>(6);
  fetch_1d<<<1, 6>>>(texture, out);
  show("tex1Dfetch, outside is 0", out, 6);
  check(cudaDestroyTextureObject(texture), "destroy");
}

void one_dimension() {
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  check(cudaMallocArray(&array, &format, 4), "array");
  float data[4] = {8, 16, 32, 64};
  check(cudaMemcpy2DToArray(array, 0, 0, data, sizeof data, sizeof data, 1, cudaMemcpyHostToDevice), "copy");
  std::vector<float> texels = {-1.5f, 0.0f, 0.5f, 1.0f, 1.25f, 3.5f, 4.0f, 9.0f};
  float *x = on_device(texels), *out = device_array<float>(8);
  struct {
    const char* what;
    cudaTextureFilterMode filter;
    cudaTextureAddressMode mode;
  } cases[] = {{"1D point clamp", cudaFilterModePoint, cudaAddressModeClamp},
               {"1D point border", cudaFilterModePoint, cudaAddressModeBorder},
               {"1D linear clamp", cudaFilterModeLinear, cudaAddressModeClamp},
               {"1D linear border", cudaFilterModeLinear, cudaAddressModeBorder}};
  for (const auto& own : cases) {
    at_1d<<<1, 8>>>(texture_of(resource_of(array), own.filter, own.mode, false, cudaReadModeElementType, 100),
                    x, out);
    show(own.what, out, 8);
  }
  std::vector<float> fractions = {-0.375f, -0.125f, 0.125f, 0.25f, 0.875f, 1.125f, 1.375f, 2.125f};
  float* u = on_device(fractions);
  for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
    const char* name = filter == cudaFilterModePoint ? "point" : "linear";
    printf("%s, normalised ", name);
    at_1d<<<1, 8>>>(texture_of(resource_of(array), filter, cudaAddressModeWrap, true), u, out);
    show("wrap", out, 8);
    printf("%s, normalised ", name);
    at_1d<<<1, 8>>>(texture_of(resource_of(array), filter, cudaAddressModeMirror, true), u, out);
    show("mirror", out, 8);
  }
  check(cudaFreeArray(array), "free");
}

__global__ void fractions_of(cudaTextureObject_t texture, float4* out) {
  out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 0.5f);
}
__global__ void bytes_of(cudaTextureObject_t texture, int* out) {
  uchar4 texel = tex2D<uchar4>(texture, threadIdx.x + 0.5f, 0.5f);
  out[threadIdx.x] = texel.x * 1000 + texel.w;
}
__global__ void signed_of(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex1D<float>(texture, threadIdx.x + 0.5f);
}

void integers() {
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  check(cudaMallocArray(&array, &format, 2, 1), "array");
  uchar4 data[2] = {{0, 51, 255, 7}, {255, 102, 0, 9}};
  check(cudaMemcpy2DToArray(array, 0, 0, data, sizeof data, sizeof data, 1, cudaMemcpyHostToDevice), "copy");
  float4* out = device_array<float4>(2);
  fractions_of<<<1, 2>>>(texture_of(resource_of(array), cudaFilterModePoint, cudaAddressModeClamp, false,
                                    cudaReadModeNormalizedFloat),
                         out);
  show("bytes as fractions", reinterpret_cast<float*>(out), 7);
  int *codes = device_array<int>(2), got[2];
  bytes_of<<<1, 2>>>(texture_of(resource_of(array), cudaFilterModePoint, cudaAddressModeClamp, false), codes);
  finish("bytes");
  to_host(got, codes, 2);
  printf("bytes: %d %d\n", got[0], got[1]);

  cudaChannelFormatDesc shorts = cudaCreateChannelDesc<short>();
  check(cudaMallocArray(&array, &shorts, 4), "array");
  short values[4] = {-32768, -32767, 0, 32767};
  check(cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1, cudaMemcpyHostToDevice),
        "copy");
  float* fractions = device_array<float>(4);
  signed_of<<<1, 4>>>(texture_of(resource_of(array), cudaFilterModePoint, cudaAddressModeClamp, false,
                                 cudaReadModeNormalizedFloat),
                      fractions);
  show("shorts as fractions", fractions, 4);
}

__global__ void gather_2d(cudaTextureObject_t texture, float4* out) {
  out[0] = tex2Dgather<float4>(texture, 1.0f, 1.0f, 0);
}

void two_dimensions() {
  constexpr int width = 4, height = 3;
  std::vector<float> image(width * height);
  for (int i = 0; i < width * height; ++i)
    image[i] = static_cast<float>((i / width) * 16 + i % width);
  std::vector<float2> places = {{0.5f, 0.5f}, {1.0f, 1.0f}, {1.25f, 0.5f},
                                {3.9f, 2.9f}, {-5, 1.5f},   {2.5f, 99}};
  float2* at = on_device(places);
  float* out = device_array<float>(places.size());

  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  check(cudaMallocArray(&array, &format, width, height, cudaArrayTextureGather), "array");
  check(cudaMemcpy2DToArray(array, 0, 0, image.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice),
        "copy");
  at_2d<<<1, 6>>>(texture_of(resource_of(array), cudaFilterModePoint, cudaAddressModeClamp, false), at, out);
  show("2D point", out, 6);
  at_2d<<<1, 6>>>(texture_of(resource_of(array), cudaFilterModeLinear, cudaAddressModeClamp, false), at, out);
  show("2D linear", out, 6);
  float4* four = device_array<float4>(1);
  gather_2d<<<1, 1>>>(texture_of(resource_of(array), cudaFilterModePoint, cudaAddressModeClamp, false), four);
  show("gather", reinterpret_cast<float*>(four), 4);

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  auto& plane = resource.res.pitch2D;
  void* memory = nullptr;
  check(cudaMallocPitch(&memory, &plane.pitchInBytes, width * sizeof(float), height), "pitched");
  check(cudaMemcpy2D(memory, plane.pitchInBytes, image.data(), width * 4, width * 4, height,
                     cudaMemcpyHostToDevice),
        "copy");
  plane.devPtr = memory;
  plane.desc = format;
  plane.width = width;
  plane.height = height;
  at_2d<<<1, 6>>>(texture_of(resource, cudaFilterModeLinear, cudaAddressModeClamp, false), at, out);
  show("pitched linear", out, 6);
  std::vector<float> back(4);
  check(cudaMemcpy2DFromArray(back.data(), 8, array, 8, 1, 8, 2, cudaMemcpyDeviceToHost), "copy back");
  printf("a corner: %g %g %g %g\n", back[0], back[1], back[2], back[3]);
}

__global__ void at_3d(cudaTextureObject_t texture, float* out) {
  out[0] = tex3D<float>(texture, 0.5f, 0.5f, 0.5f);
  out[1] = tex3D<float>(texture, 1.0f, 1.0f, 1.0f);
  out[2] = tex3D<float>(texture, 1.5f, 1.5f, 1.25f);
}
__global__ void at_layer(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(texture, 1.5f, 0.5f, threadIdx.x);
}

void three_dimensions() {
  float data[8] = {0, 1, 10, 11, 100, 101, 110, 111};
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  float* out = device_array<float>(3);
  for (unsigned flags : {unsigned{cudaArrayDefault}, unsigned{cudaArrayLayered}}) {
    cudaArray_t array;
    check(cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 2, 2), flags), "array");
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(data, 2 * sizeof(float), 2, 2);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    check(cudaMemcpy3D(&copy), "copy");
    cudaTextureObject_t texture =
        texture_of(resource_of(array), cudaFilterModeLinear, cudaAddressModeClamp, false);
    if (flags == cudaArrayDefault) {
      at_3d<<<1, 1>>>(texture, out);
      show("3D linear", out, 3);
    } else {
      at_layer<<<1, 2>>>(texture, out);
      show("layers", out, 2);
    }
  }
}

__global__ void write_surface(cudaSurfaceObject_t surface) {
  int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(x + 10 * y, surface, x * 4, y);
}
__global__ void read_surface(cudaSurfaceObject_t surface, int* out) {
  out[0] = surf2Dread<int>(surface, 4, 1);
  out[1] = surf2Dread<int>(surface, 400, 1, cudaBoundaryModeClamp);
  out[2] = surf2Dread<int>(surface, 4, 7, cudaBoundaryModeZero);
  surf2Dwrite(77, surface, -4, 0, cudaBoundaryModeZero);
  out[3] = surf2Dread<int>(surface, 12, 0);
}

void surfaces() {
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  check(cudaMallocArray(&array, &format, 4, 2, cudaArraySurfaceLoadStore), "array");
  cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t surface = 0;
  check(cudaCreateSurfaceObject(&surface, &resource), "surface");
  write_surface<<<1, dim3(4, 2)>>>(surface);
  int *out = device_array<int>(4), got[4];
  read_surface<<<1, 1>>>(surface, out);
  finish("surface");
  to_host(got, out, 4);
  printf("surface: %d %d %d %d\n", got[0], got[1], got[2], got[3]);
  check(cudaDestroySurfaceObject(surface), "destroy");
}

int main() {
  linear_memory();
  one_dimension();
  integers();
  two_dimensions();
  three_dimensions();
  surfaces();
}
