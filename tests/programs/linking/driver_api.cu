// The most used part of the driver API: context, module from PTX, memory, launch by pointers and by a buffer,
// streams and events, cuGetProcAddress; beside kernels of the runtime.
#include <cuda.h>

#include "check.h"

namespace {

const char* const kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 data, .param .u32 count, .param .u32 add)
{
  .reg .pred %p<2>;
  .reg .b32 %r<10>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [count];
  ld.param.u32 %r2, [add];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r6, %r1;
  @%p1 bra done;
  mul.wide.s32 %rd2, %r6, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r7, [%rd3];
  ld.global.u32 %r8, [factor];
  mad.lo.s32 %r9, %r7, %r8, %r2;
  st.global.u32 [%rd3], %r9;
done:
  ret;
}
)";

void must(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  printf("%s: %s\n", what, name ? name : "?");
  exit(1);
}

__global__ void add_one(unsigned* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += 1;
}

}  // namespace

int main() {
  constexpr unsigned count = 100;
  must(cuInit(0), "cuInit");
  CUdevice device;
  must(cuDeviceGet(&device, 0), "cuDeviceGet");
  CUcontext context, found;
  must(cuDevicePrimaryCtxRetain(&context, device), "retain");
  must(cuCtxSetCurrent(context), "set current");
  must(cuCtxGetCurrent(&found), "get current");
  printf("the context is current: %d\n", found == context);

  CUmodule module;
  CUfunction scale;
  must(cuModuleLoadData(&module, kPtx), "module");
  must(cuModuleGetFunction(&scale, module, "scale"), "function");
  CUfunction none;
  printf("no such function: %d\n", cuModuleGetFunction(&none, module, "absent") == CUDA_ERROR_NOT_FOUND);

  CUdeviceptr data, factor;
  size_t factor_bytes;
  must(cuMemAlloc(&data, count * sizeof(unsigned)), "alloc");
  must(cuMemsetD32(data, 7, count), "memset");
  must(cuModuleGetGlobal(&factor, &factor_bytes, module, "factor"), "global");
  const unsigned five = 5;
  CUstream stream;
  CUevent begin, end;
  must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "stream");
  must(cuEventCreate(&begin, 0), "event");
  must(cuEventCreate(&end, 0), "event");
  must(cuEventRecord(begin, stream), "record");
  unsigned n = count, added = 2;
  void* arguments[] = {&data, &n, &added};
  must(cuLaunchKernel(scale, 1, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr), "launch");
  must(cuStreamSynchronize(stream), "synchronize");
  must(cuMemcpyHtoD(factor, &five, factor_bytes), "factor");
  struct {
    CUdeviceptr data;
    unsigned count, add;
  } packed{data, count, 1};
  size_t bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  must(cuLaunchKernel(scale, 2, 1, 1, 64, 1, 1, 0, stream, nullptr, extra), "launch by a buffer");
  must(cuEventRecord(end, stream), "record");
  must(cuEventSynchronize(end), "event");
  float milliseconds = -1;
  must(cuEventElapsedTime(&milliseconds, begin, end), "elapsed");
  add_one<<<1, 128>>>(reinterpret_cast<unsigned*>(data), count);
  finish("add_one");
  unsigned result[count];
  must(cuMemcpyDtoH(result, data, sizeof result), "copy");
  printf("%u %u, time passed: %d, factor of %zu bytes\n", result[0], result[count - 1], milliseconds >= 0, factor_bytes);

  int threads = 0, blocks = 0;
  must(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale), "attribute");
  must(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0), "occupancy");
  printf("%d threads, at least one block: %d\n", threads, blocks > 0);

  void* function = nullptr;
  CUdriverProcAddressQueryResult status;
  must(cuGetProcAddress("cuMemAlloc", &function, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &status), "address");
  CUdeviceptr more = 0;
  must(reinterpret_cast<CUresult (*)(CUdeviceptr*, size_t)>(function)(&more, 64), "alloc by address");
  must(cuMemFree(more), "free");
  must(cuMemFree(data), "free");
  must(cuModuleUnload(module), "unload");
  CUcontext own;
  must(cuCtxCreate(&own, nullptr, 0, device), "create");
  CUdevice current = -1;
  must(cuCtxGetDevice(&current), "device");
  must(cuCtxDestroy(own), "destroy");
  must(cuDevicePrimaryCtxRelease(device), "release");
  printf("device %d\n", current);
}
