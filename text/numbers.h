// Formats numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace ridge::text {

std::string with_thousands(uint64_t number);  // "1,048,576"

// In the unit that fits: "4.27 TB/s", "512 GB/s", "0.5 GB/s".
std::string byte_rate(double gigabytes_per_second);
// "780.3 TFLOP/s", "51 GFLOP/s".
std::string operation_rate(double gigaflops);
// The rate that limits the work on a GPU: bytes per second for few operations per byte, otherwise
// operations per second.
std::string work_rate(double gigabytes_per_second, double gigaflops);

}  // namespace ridge::text
