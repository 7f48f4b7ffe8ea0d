// The interface between the harness and the virtual GPU: names of environment variables, and
// nothing else. The virtual GPU is a libcudart that the loader substitutes in a program, so there
// is no function to call.
#pragma once

namespace ridge::trace {

// Appends one JSON line (launch_report.h) per kernel launch to this file.
inline constexpr const char* kReportVariable = "RIDGE_REPORT";
// "1": one line for all launches of a kernel with equal grid and block, written when the program
// ends.
inline constexpr const char* kReportSummaryVariable = "RIDGE_REPORT_SUMMARY";
// "1" while the harness grades: findings go to the report only, the host cannot access device
// memory, and a thread that exits before a barrier of its block is a finding.
inline constexpr const char* kGradedVariable = "RIDGE_GRADED";
// The exit status of a program that returns 0 although one of its kernels faulted (default: 0).
inline constexpr const char* kFaultStatusVariable = "RIDGE_FAULT_STATUS";
// Writes an access trace (access_trace.h) to this file.
inline constexpr const char* kTraceVariable = "RIDGE_TRACE";
// The blocks to record: "first,middle,last,edge" (default), linear indices "0,5,9", "3:2:0" for
// blockIdx (3, 2, 0), "all" (at most 65536). With | as separator also "3,2,0|last".
inline constexpr const char* kTraceBlocksVariable = "RIDGE_TRACE_BLOCKS";
inline constexpr const char* kTraceDefaultBlocks = "first,middle,last,edge";
// The launch to record: the n-th (from 1) of the kernels whose name contains this text. Default:
// any kernel, and the first launch between cudaProfilerStart and Stop, otherwise the first launch.
inline constexpr const char* kTraceKernelVariable = "RIDGE_TRACE_KERNEL";
inline constexpr const char* kTraceLaunchVariable = "RIDGE_TRACE_LAUNCH";
// Largest trace in bytes (default 64 MB).
inline constexpr const char* kTraceLimitVariable = "RIDGE_TRACE_LIMIT";
// "1": nothing runs on the device while host code of the program runs (for graded code).
inline constexpr const char* kHostApartVariable = "RIDGE_HOST_APART";
// "all" (default), "none", or a list of bounds, barrier, deadlock; leak reports memory that was not
// freed.
inline constexpr const char* kChecksVariable = "RIDGE_CHECKS";
// "cold": every launch begins with empty caches, as Nsight Compute's launches do. By default L2
// keeps its content between launches.
inline constexpr const char* kCachesVariable = "RIDGE_CACHES";
// A number above 0: blocks begin and go on in an order that is drawn from it (default: as numbered).
inline constexpr const char* kBlockOrderVariable = "RIDGE_BLOCK_ORDER";
// Host threads (default: all cores).
inline constexpr const char* kThreadsVariable = "RIDGE_THREADS";
// Seconds after which a launch is stopped with the finding time_limit (default: none).
inline constexpr const char* kTimeLimitVariable = "RIDGE_TIME_LIMIT";
// Device description: "H200" (default), "H100", "A100", "RTX4090", "T4"; and the number of devices
// (default 1).
inline constexpr const char* kDeviceVariable = "RIDGE_DEVICE";
inline constexpr const char* kDevicesVariable = "RIDGE_DEVICES";

}  // namespace ridge::trace
