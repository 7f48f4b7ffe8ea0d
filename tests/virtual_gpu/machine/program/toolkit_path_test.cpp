#include "virtual_gpu/machine/program/toolkit_path.h"

#include "tests/catch.h"

using ridge::machine::is_toolkit_header;

TEST_CASE("the toolkit's headers are told from a program's own, wherever either is installed") {
  struct Case {
    const char* path;
    bool is_toolkits;
  };
  const Case c = GENERATE(
      Case{"/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/cooperative_groups.h", true},
      Case{"/usr/local/cuda/include/cuda_fp16.hpp", true},
      Case{"/opt/cuda-12.9/include/sm_20_intrinsics.hpp", true},
      Case{"/usr/local/cuda-13.0/include/cccl/cub/warp/warp_exchange.cuh", true},
      Case{"/home/me/cccl/thrust/thrust/sort.h", true}, Case{"/usr/include/thrust/sort.h", true},
      Case{"/venv/lib/python3.12/site-packages/nvidia/cu13/include/cuda_runtime.h", true},
      Case{"/home/me/ridgepoint/build/release/share/cuda_headers/ridge_cuda/host/templates.h", true},
      Case{"/home/me/ridgepoint/build/release/share/cuda_program_headers/cub/cub.cuh", true},
      Case{"/home/me/cuda-kernels/include/tile.cuh", false}, Case{"/home/me/cuda/src/tile.cuh", false},
      Case{"/home/me/cuda.d/x/include/tile.cuh", false}, Case{"reduce.cu", false}, Case{"", false});
  CAPTURE(c.path);
  CHECK(is_toolkit_header(c.path) == c.is_toolkits);
}
