// `ridge exec --devices`: the traffic between devices is printed at the end, and is in the trace.
#include <fstream>

#include "tests/catch.h"
#include "tests/harness/cli/program_under_test.h"
#include "trace/access_trace.h"

using namespace ridge;
using tests::ridge_in;
using tests::ScratchFolder;

namespace {

// A kernel of device 0 stores 128 lines to device 1, a second one the first 8 bytes of each line;
// then a copy in the other direction.
constexpr const char* kSource = R"(
__global__ void push(const float4* own, float4* other) { other[threadIdx.x] = own[threadIdx.x]; }
__global__ void touch(float2* other) { other[16 * threadIdx.x] = make_float2(1, 2); }
int main() {
  float* data[2];
  for (int rank = 0; rank < 2; ++rank) {
    cudaSetDevice(rank);
    cudaDeviceEnablePeerAccess(1 - rank, 0);
    cudaMalloc(&data[rank], 16384);
    cudaMemset(data[rank], 0, 16384);
    cudaDeviceSynchronize();
  }
  cudaSetDevice(0);
  push<<<1, 1024>>>(reinterpret_cast<float4*>(data[0]), reinterpret_cast<float4*>(data[1]));
  touch<<<1, 128>>>(reinterpret_cast<float2*>(data[1]));
  cudaDeviceSynchronize();
  cudaMemcpyPeer(data[0], 0, data[1], 1, 4096);
  return cudaDeviceSynchronize();
}
)";

}  // namespace

TEST_CASE("exec prints what crossed each link, and the trace has it by launch") {
  const ScratchFolder folder;
  const std::string program = folder.path / "p", source = folder.path / "p.cu";
  std::ofstream(source) << kSource;
  const build::Finished built = ridge_in(folder.path, {"nvcc", source, "-o", program});
  INFO(built.output);
  REQUIRE(built.status == 0);
  const std::filesystem::path file = folder.path / "p.rtrace";
  const build::Finished run = ridge_in(
      folder.path, {"exec", "--devices", "2", "--trace", file.string(), "--", program});
  INFO(run.output);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.output, Catch::Contains("traffic between devices:"));
  CHECK_THAT(run.output, Catch::Contains("device 0 sends 20,480 bytes and receives 4,096"));
  CHECK_THAT(run.output, Catch::Contains("2 (N - 1) / N = 1 times the array"));
  const trace::AccessTrace trace = trace::read_access_trace(file);
  REQUIRE(trace.links.devices == 2);
  CHECK(trace.links.recorded_device == 0);
  CHECK(trace.links.memory.size() == 2);
  REQUIRE(trace.links.steps.size() == 3);
  CHECK_THAT(trace.links.steps[0].name, Catch::Contains("push"));
  CHECK(trace.links.steps[0].links.at(0).requests_by_sectors == std::array<uint64_t, 4>{0, 0, 0, 128});
  CHECK(trace.links.steps[1].launch == 1);
  CHECK(trace.links.steps[1].links.at(0).requests_by_sectors == std::array<uint64_t, 4>{128, 0, 0, 0});
  CHECK(trace.links.steps[2].name == "copies");
  CHECK(trace.links.steps[2].links.at(0).source == 1);
  REQUIRE(trace.report);
  CHECK(trace.report->peer_ideal_bytes == 16384);
  CHECK(trace.report->ideal_bytes == 2 * 16384);
  CHECK(trace.report->dram_read_bytes <= 16384);
  const build::Finished shown = ridge_in(folder.path, {"trace", "--print", file.string()});
  CHECK_THAT(shown.output, Catch::Contains("devices  2, this launch on device 0"));
}
