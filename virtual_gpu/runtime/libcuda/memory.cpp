// Memory: allocation, copies and fills.
#include "virtual_gpu/runtime/libcuda/driver.h"

using namespace ridge::driver;

namespace {

CUresult copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return in_context([&] { return cudaMemcpy(to, from, bytes, kind); });
}

CUresult copy_async(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream stream) {
  return in_context([&] { return cudaMemcpyAsync(to, from, bytes, kind, stream_of(stream)); });
}

template <class Allocate>
CUresult allocate(CUdeviceptr* address, Allocate body) {
  return in_context([&] {
    if (!address) return cudaErrorInvalidValue;
    void* made = nullptr;
    const cudaError_t error = body(&made);
    if (error == cudaSuccess) *address = reinterpret_cast<CUdeviceptr>(made);
    return error;
  });
}

// A fill with elements of 2 or 4 bytes uses a graph's memset node, the runtime's only such
// function.
cudaError_t fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes, size_t width, size_t height,
                 CUstream stream, bool waits) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaMemsetParams parameters{pointer(to), pitch, value, element_bytes, width, height};
  cudaError_t error = cudaGraphCreate(&graph, 0);
  if (error == cudaSuccess) error = cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &parameters);
  if (error == cudaSuccess) error = cudaGraphInstantiate(&exec, graph, 0);
  if (error == cudaSuccess) error = cudaGraphLaunch(exec, stream_of(stream));
  if (error == cudaSuccess && waits) error = cudaStreamSynchronize(stream_of(stream));
  if (exec) cudaGraphExecDestroy(exec);
  if (graph) cudaGraphDestroy(graph);
  return error;
}

CUresult fill_line(CUdeviceptr to, unsigned value, unsigned element_bytes, size_t count, CUstream stream,
                   bool waits) {
  return in_context([&] { return fill(to, 0, value, element_bytes, count, 1, stream, waits); });
}

void* place(CUmemorytype type, const void* host, CUdeviceptr device, size_t y, size_t pitch, size_t x) {
  auto* begin = type == CU_MEMORYTYPE_HOST ? static_cast<char*>(const_cast<void*>(host))
                                           : static_cast<char*>(pointer(device));
  return begin + y * pitch + x;
}

CUresult copy_2d(const CUDA_MEMCPY2D* box, CUstream stream, bool asynchronous) {
  return in_context([&] {
    if (!box || box->srcMemoryType == CU_MEMORYTYPE_ARRAY || box->dstMemoryType == CU_MEMORYTYPE_ARRAY)
      return cudaErrorInvalidValue;
    void* to = place(box->dstMemoryType, box->dstHost, box->dstDevice, box->dstY, box->dstPitch, box->dstXInBytes);
    const void* from =
        place(box->srcMemoryType, box->srcHost, box->srcDevice, box->srcY, box->srcPitch, box->srcXInBytes);
    return asynchronous ? cudaMemcpy2DAsync(to, box->dstPitch, from, box->srcPitch, box->WidthInBytes, box->Height,
                                            cudaMemcpyDefault, stream_of(stream))
                        : cudaMemcpy2D(to, box->dstPitch, from, box->srcPitch, box->WidthInBytes, box->Height,
                                       cudaMemcpyDefault);
  });
}

}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  return allocate(address, [&](void** made) { return cudaMalloc(made, bytes); });
}
CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned) {
  return allocate(address, [&](void** made) { return cudaMallocPitch(made, pitch, width, height); });
}
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned flags) {
  return allocate(address, [&](void** made) { return cudaMallocManaged(made, bytes, flags); });
}
CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return allocate(address, [&](void** made) { return cudaMallocAsync(made, bytes, stream_of(stream)); });
}
CUresult cuMemFree(CUdeviceptr address) {
  return in_context([&] { return cudaFree(pointer(address)); });
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return in_context([&] { return cudaFreeAsync(pointer(address), stream_of(stream)); });
}
CUresult cuMemAllocHost(void** host, size_t bytes) {
  return in_context([&] { return cudaMallocHost(host, bytes); });
}
CUresult cuMemHostAlloc(void** host, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostAlloc(host, bytes, flags); });
}
CUresult cuMemFreeHost(void* host) {
  return in_context([&] { return cudaFreeHost(host); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* host, unsigned flags) {
  return allocate(address, [&](void** made) { return cudaHostGetDevicePointer(made, host, flags); });
}
CUresult cuMemHostRegister(void* host, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostRegister(host, bytes, flags); });
}
CUresult cuMemHostUnregister(void* host) {
  return in_context([&] { return cudaHostUnregister(host); });
}
CUresult cuMemGetInfo(size_t* free_bytes, size_t* total) {
  return in_context([&] { return cudaMemGetInfo(free_bytes, total); });
}
CUresult cuMemGetAddressRange(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address) {
  using Function = CUresult (*)(CUdeviceptr*, size_t*, CUdeviceptr);
  void* function = nullptr;
  if (cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &function, CUDART_VERSION, 0, nullptr) !=
          cudaSuccess ||
      !function)
    return CUDA_ERROR_NOT_SUPPORTED;
  return reinterpret_cast<Function>(function)(begin, bytes, address);
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  return in_context([&] {
    cudaPointerAttributes known;
    if (!value) return cudaErrorInvalidValue;
    const cudaError_t error = cudaPointerGetAttributes(&known, pointer(address));
    if (error != cudaSuccess || known.type == cudaMemoryTypeUnregistered) return cudaErrorInvalidValue;
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<CUmemorytype*>(value) =
            known.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *static_cast<CUdeviceptr*>(value) = reinterpret_cast<CUdeviceptr>(known.devicePointer);
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *static_cast<void**>(value) = known.hostPointer;
        return known.hostPointer ? cudaSuccess : cudaErrorInvalidValue;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<unsigned*>(value) = known.type == cudaMemoryTypeManaged;
        return cudaSuccess;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(value) = known.device;
        return cudaSuccess;
      default:
        return cudaErrorNotSupported;
    }
  });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return copy(pointer(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return copy(to, pointer(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_async(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy_async(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_async(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_async(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* box) {
  return copy_2d(box, nullptr, false);
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* box) {
  return copy_2d(box, nullptr, false);
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* box, CUstream stream) {
  return copy_2d(box, stream, true);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return in_context([&] { return cudaMemset(pointer(to), value, count); });
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill_line(to, value, 2, count, nullptr, true);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill_line(to, value, 4, count, nullptr, true);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return in_context([&] { return cudaMemsetAsync(pointer(to), value, count, stream_of(stream)); });
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill_line(to, value, 2, count, stream, false);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill_line(to, value, 4, count, stream, false);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return in_context([&] { return cudaMemset2D(pointer(to), pitch, value, width, height); });
}

}  // extern "C"
