// cuLink...: collects PTX and fat binaries; loading the result links them.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/runtime/binary/linked_images.h"
#include "virtual_gpu/runtime/libcuda/driver.h"

struct CUlinkState_st {
  std::vector<std::string> images;
  std::string result;
};

namespace {

// Machine code, which the toolkit's device libraries contain, cannot be executed here.
cudaError_t add(CUlinkState state, CUjitInputType type, const void* data, size_t bytes, const char* name) {
  if (!state || !data) return cudaErrorInvalidValue;
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) {
    std::fprintf(stderr, "virtual GPU: %s is neither PTX nor a fat binary with PTX, so cuLinkAddData refuses it\n",
                 name && *name ? name : "the input of a link");
    return cudaErrorNotSupported;
  }
  // The size of a text may include its end.
  std::string_view image(static_cast<const char*>(data), bytes);
  while (type == CU_JIT_INPUT_PTX && image.ends_with('\0'))
    image.remove_suffix(1);
  state->images.emplace_back(image);
  return cudaSuccess;
}

}  // namespace

extern "C" {

CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* state) {
  return ridge::driver::in_context([&] {
    if (!state) return cudaErrorInvalidValue;
    *state = new CUlinkState_st;
    return cudaSuccess;
  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char* name, unsigned,
                       CUjit_option*, void**) {
  return ridge::driver::in_context([&] { return add(state, type, data, bytes, name); });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned, CUjit_option*, void**) {
  return ridge::driver::in_context([&] {
    if (!path) return cudaErrorInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return cudaErrorFileNotFound;
    const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    return add(state, type, image.data(), image.size(), path);
  });
}

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  return ridge::driver::in_context([&] {
    if (!state || !image) return cudaErrorInvalidValue;
    state->result = ridge::runtime::pack_images(state->images);
    *image = state->result.data();
    if (bytes) *bytes = state->result.size();
    return cudaSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return ridge::driver::in_context([&] {
    delete state;
    return cudaSuccess;
  });
}

}  // extern "C"
