// The encoders of tensor maps: NVIDIA's rules, one at a time, and the messages.
#include "virtual_gpu/machine/copy_engine/tensor_map.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>

#include "tests/catch.h"
#include "virtual_gpu/runtime/driver/driver_functions.h"

using namespace ridge;

namespace {

struct Arguments {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  cuuint32_t rank = 2;
  uint64_t address = 0x7f0000001000;
  cuuint64_t dims[5] = {1024, 512, 8, 4, 2};
  cuuint64_t strides[4] = {2048, 2048 * 512, 2048 * 512 * 8, 2048ull * 512 * 8 * 4};
  cuuint32_t box[5] = {64, 128, 2, 2, 2};
  cuuint32_t element_strides[5] = {1, 1, 1, 1, 1};
  int lower[3] = {-1, -1, -1}, upper[3] = {-1, -1, -1};
  cuuint32_t channels = 64, pixels = 128;
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};

struct Encoded {
  CUresult result;
  std::string said;
  CUtensorMap map;
};

Encoded watching_stderr(const std::function<CUresult(CUtensorMap*)>& encode) {
  Encoded e{};
  std::fflush(stderr);
  FILE* file = std::tmpfile();
  const int kept = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  e.result = encode(&e.map);
  dup2(kept, STDERR_FILENO);
  close(kept);
  std::rewind(file);
  char buffer[1024];
  e.said.assign(buffer, std::fread(buffer, 1, sizeof buffer, file));
  std::fclose(file);
  return e;
}

Encoded tiled(const std::function<void(Arguments&)>& change = [](Arguments&) {}) {
  Arguments a;
  change(a);
  return watching_stderr([&](CUtensorMap* map) {
    return runtime::encode_tiled(map, a.type, a.rank, reinterpret_cast<void*>(a.address), a.dims, a.strides,
                                 a.box, a.element_strides, a.interleave, a.swizzle, a.promotion, a.fill);
  });
}

Encoded im2col(const std::function<void(Arguments&)>& change) {
  Arguments a;
  a.rank = 4;
  change(a);
  return watching_stderr([&](CUtensorMap* map) {
    return runtime::encode_im2col(map, a.type, a.rank, reinterpret_cast<void*>(a.address), a.dims, a.strides,
                                  a.lower, a.upper, a.channels, a.pixels, a.element_strides, a.interleave,
                                  a.swizzle, a.promotion, a.fill);
  });
}

machine::TensorLayout layout_of(const CUtensorMap& map) {
  machine::TensorMap bytes;
  std::memcpy(bytes.bytes.data(), &map, sizeof map);
  return machine::unpacked(bytes).value();
}

}  // namespace

TEST_CASE("a valid tiled map holds its parameters and prints nothing") {
  const Encoded e = tiled();
  REQUIRE(e.result == CUDA_SUCCESS);
  CHECK(e.said == "");
  const machine::TensorLayout t = layout_of(e.map);
  CHECK(t.element == machine::TensorElement::bf16);
  CHECK(t.rank == 2);
  CHECK(t.address == 0x7f0000001000);
  CHECK(t.dims[1] == 512);
  CHECK(t.strides[0] == 2048);
  CHECK(t.box[1] == 128);
  CHECK(t.swizzle_span() == 128);
  CHECK(t.copy_bytes() == 64 * 128 * 2);
}

TEST_CASE("A map that breaks a rule is an invalid value, and one line tells which rule with the numbers") {
  struct Row {
    std::function<void(Arguments&)> change;
    const char* said;
  };
  const Row rows[] = {
      {[](Arguments& a) { a.rank = 0; }, "a tensor of rank 0: a tile takes ranks 1 to 5"},
      {[](Arguments& a) { a.rank = 6; }, "a tensor of rank 6"},
      {[](Arguments& a) { a.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; },
       "an interleaved layout takes ranks 3"},
      {[](Arguments& a) { a.address += 8; }, "8 bytes past a multiple of 16"},
      {[](Arguments& a) { a.dims[1] = 0; }, "globalDim[1] = 0"},
      {[](Arguments& a) { a.dims[0] = (1ull << 32) + 1; }, "globalDim[0] = 4294967297"},
      {[](Arguments& a) { a.strides[0] = 2056; },
       "globalStrides[0] = 2056 bytes: a stride must be a multiple of 16"},
      {[](Arguments& a) { a.strides[0] = 1ull << 40; },
       "globalStrides[0] = 1099511627776 bytes: a stride must be less"},
      {[](Arguments& a) { a.box[1] = 0; }, "boxDim[1] = 0"},
      {[](Arguments& a) { a.box[1] = 257; }, "boxDim[1] = 257: a side of the box is 1 to 256"},
      {[](Arguments& a) { a.box[0] = 20; }, "boxDim[0] = 20 elements of BFLOAT16 = 40 bytes: the inner side"},
      {[](Arguments& a) { a.box[0] = 128; },
       "= 256 bytes: with SWIZZLE_128B the inner side of the box is at most 128"},
      {[](Arguments& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; },
       "with SWIZZLE_64B the inner side of the box is at most 64"},
      {[](Arguments& a) { a.swizzle = CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B; }, "swizzle 4: this device knows"},
      {[](Arguments& a) { a.element_strides[1] = 0; }, "elementStrides[1] = 0"},
      {[](Arguments& a) { a.element_strides[1] = 9; }, "elementStrides[1] = 9: an element stride is 1 to 8"},
      {[](Arguments& a) { a.type = static_cast<CUtensorMapDataType>(99); }, "data type 99"},
      {[](Arguments& a) { a.type = static_cast<CUtensorMapDataType>(256); }, "data type 255"},
      {[](Arguments& a) { a.interleave = static_cast<CUtensorMapInterleave>(3); }, "interleave 3"},
      {[](Arguments& a) { a.promotion = static_cast<CUtensorMapL2promotion>(4); }, "l2Promotion 4"},
      {[](Arguments& a) { a.fill = static_cast<CUtensorMapFloatOOBfill>(2); }, "oobFill 2"},
      {[](Arguments& a) {
         a.type = CU_TENSOR_MAP_DATA_TYPE_INT32, a.box[0] = 32;
         a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
       },
       "for elements of INT32: only floating-point"},
      {[](Arguments& a) {
         a.rank = 3, a.interleave = CU_TENSOR_MAP_INTERLEAVE_32B, a.address += 16;
         a.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
       },
       "16 bytes past a multiple of 32"},
      {[](Arguments& a) { a.rank = 3, a.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; },
       "SWIZZLE_128B with INTERLEAVE_32B, which takes SWIZZLE_32B"},
  };
  for (const Row& row : rows) {
    const Encoded e = tiled(row.change);
    INFO(row.said);
    CHECK(e.result == CUDA_ERROR_INVALID_VALUE);
    CHECK_THAT(e.said, Catch::Contains("virtual GPU: cuTensorMapEncodeTiled: ") && Catch::Contains(row.said));
    CHECK(std::count(e.said.begin(), e.said.end(), '\n') == 1);
  }
}

TEST_CASE("a map at the limits of the rules is accepted") {
  const std::function<void(Arguments&)> changes[] = {
      [](Arguments& a) { a.box[1] = 256; },
      [](Arguments& a) { a.element_strides[0] = 0; },  // ignored
      [](Arguments& a) { a.element_strides[1] = 8; },
      [](Arguments& a) { a.strides[0] = (1ull << 40) - 16; },
      [](Arguments& a) { a.dims[1] = 1ull << 32; },
      [](Arguments& a) { a.rank = 5; },
      [](Arguments& a) { a.address = 0; },  // a template for tensormap.replace
      [](Arguments& a) { a.rank = 1, a.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE, a.box[0] = 256; },
      [](Arguments& a) { a.box[0] = 8, a.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; },
      [](Arguments& a) { a.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }};
  for (const auto& change : changes) {
    const Encoded e = tiled(change);
    CHECK(e.result == CUDA_SUCCESS);
    CHECK(e.said == "");
  }
}

TEST_CASE("An im2col map keeps its corners by dimension, and has rules of its own") {
  const Encoded volume = im2col([](Arguments& a) {
    a.rank = 5, a.lower[0] = -2, a.lower[1] = -3, a.lower[2] = -4, a.upper[2] = 5;
  });
  REQUIRE(volume.result == CUDA_SUCCESS);
  CHECK(layout_of(volume.map).lower == std::array<int32_t, 3>{-2, -3, -4});  // W, H, D
  CHECK(layout_of(volume.map).upper == std::array<int32_t, 3>{-1, -1, 5});
  const Encoded good = im2col([](Arguments& a) { a.lower[0] = -3, a.upper[1] = 2; });
  REQUIRE(good.result == CUDA_SUCCESS);
  const machine::TensorLayout t = layout_of(good.map);
  CHECK(t.mode == machine::TensorMode::im2col);
  // W first, then H: dims[i + 1] is the dimension of lower[i].
  CHECK(t.lower == std::array<int32_t, 3>{-3, -1, 0});
  CHECK(t.upper == std::array<int32_t, 3>{-1, 2, 0});
  CHECK(t.copy_bytes() == 64 * 128 * 2);
  struct Row {
    std::function<void(Arguments&)> change;
    const char* said;
  };
  const Row rows[] = {
      {[](Arguments& a) { a.rank = 2; }, "a tensor of rank 2: im2col takes ranks 3 to 5"},
      {[](Arguments& a) { a.channels = 257; }, "channelsPerPixel = 257"},
      {[](Arguments& a) { a.pixels = 1025; }, "pixelsPerColumn = 1025"},
      {[](Arguments& a) { a.lower[1] = -129; }, "pixelBoxLowerCorner[1] = -129"},
      {[](Arguments& a) { a.upper[0] = 128; }, "with rank 4 they go from -128 to 127"},
      {[](Arguments& a) { a.rank = 5, a.lower[2] = 16; }, "with rank 5 they go from -16 to 15"},
      {[](Arguments& a) { a.dims[1] = 8, a.upper[0] = -9; },
       "pixelBoxUpperCorner[0] = -9 for a dimension of 8: the box of pixels would be empty"},
      {[](Arguments& a) { a.dims[2] = 8, a.upper[1] = -9; },
       "pixelBoxUpperCorner[1] = -9 for a dimension of 8: the box of pixels would be empty"},
      {[](Arguments& a) { a.channels = 128; }, "channelsPerPixel = 128 elements of BFLOAT16 = 256 bytes"}};
  for (const Row& row : rows) {
    const Encoded e = im2col(row.change);
    INFO(row.said);
    CHECK(e.result == CUDA_ERROR_INVALID_VALUE);
    CHECK_THAT(e.said, Catch::Contains(row.said));
  }
}

TEST_CASE("The address of a map can be replaced, by the same rules, and only in a map") {
  CUtensorMap map = tiled().map;
  CHECK(runtime::replace_address(&map, reinterpret_cast<void*>(0x7f0000002000)) == CUDA_SUCCESS);
  CHECK(layout_of(map).address == 0x7f0000002000);
  CHECK(layout_of(map).dims[0] == 1024);
  Encoded e = watching_stderr(
      [&](CUtensorMap*) { return runtime::replace_address(&map, reinterpret_cast<void*>(0x7f0000002004)); });
  CHECK(e.result == CUDA_ERROR_INVALID_VALUE);
  CHECK_THAT(e.said, Catch::Contains("cuTensorMapReplaceAddress") && Catch::Contains("4 bytes past"));
  e = watching_stderr([&](CUtensorMap* blank) { return runtime::replace_address(blank, &map); });
  CHECK(e.result == CUDA_ERROR_INVALID_VALUE);
  CHECK_THAT(e.said, Catch::Contains("no tensor map"));
}

TEST_CASE("A map at an address that is no multiple of 64 is refused") {
  alignas(128) std::byte place[256];
  const Arguments a;
  const Encoded e = watching_stderr([&](CUtensorMap*) {
    return runtime::encode_tiled(reinterpret_cast<CUtensorMap*>(place + 32), a.type, a.rank,
                                 reinterpret_cast<void*>(a.address), a.dims, a.strides, a.box,
                                 a.element_strides, a.interleave, a.swizzle, a.promotion, a.fill);
  });
  CHECK(e.result == CUDA_ERROR_INVALID_VALUE);
  CHECK_THAT(e.said, Catch::Contains("not a multiple of 64"));
}

TEST_CASE("Driver errors have the driver's names and the runtime's descriptions") {
  const auto name = reinterpret_cast<CUresult (*)(CUresult, const char**)>(
      runtime::driver_function("cuGetErrorName").address);
  const auto text = reinterpret_cast<CUresult (*)(CUresult, const char**)>(
      runtime::driver_function("cuGetErrorString").address);
  const char* out = nullptr;
  CHECK(name(CUDA_ERROR_INVALID_VALUE, &out) == CUDA_SUCCESS);
  CHECK(std::string(out) == "CUDA_ERROR_INVALID_VALUE");
  CHECK(text(CUDA_ERROR_OUT_OF_MEMORY, &out) == CUDA_SUCCESS);
  CHECK(std::string(out) == "out of memory");
  CHECK(name(static_cast<CUresult>(12345), &out) == CUDA_ERROR_INVALID_VALUE);
  CHECK(out == nullptr);
}
