// CUB for whole programs: the device-wide algorithms that docs/clang.md lists. Labs are compiled
// without this folder.
#pragma once

#include "cub/device/device_radix_sort.cuh"
#include "cub/device/device_reduce.cuh"
#include "cub/device/device_scan.cuh"
#include "cub/device/device_select.cuh"
