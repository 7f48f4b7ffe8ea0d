// How the harness and the virtual GPU speak to each other: names of environment variables, and
// nothing else. The virtual GPU is a libcudart that the loader puts under a program, so there is no
// function to call.
#pragma once

namespace ridge::trace {

// Append one JSON line (launch_report.h) a kernel launch to this file.
inline constexpr const char* kReportVariable = "RIDGE_REPORT";
// "1": one line for all launches of a kernel with one grid and block, written when the program ends.
inline constexpr const char* kReportSummaryVariable = "RIDGE_REPORT_SUMMARY";
// "1" while the harness grades: findings go to the report only, the host cannot access device memory, and a
// thread that ends before a barrier of its block is a finding.
inline constexpr const char* kGradedVariable = "RIDGE_GRADED";
// The exit status of a program that ends with 0 although one of its kernels faulted (default: 0).
inline constexpr const char* kFaultStatusVariable = "RIDGE_FAULT_STATUS";
// Write an access trace (access_trace.h) to this file.
inline constexpr const char* kTraceVariable = "RIDGE_TRACE";
// The blocks to record: "first,middle,last,edge" (default), linear indices "0,5,9", "3:2:0" for
// blockIdx (3, 2, 0), "all" (of at most 65536); with | between them also "3,2,0|last".
inline constexpr const char* kTraceBlocksVariable = "RIDGE_TRACE_BLOCKS";
inline constexpr const char* kTraceDefaultBlocks = "first,middle,last,edge";
// The launch to record: of kernels whose name holds this text (default: any), and the n-th of
// those, from 1 (default: the first between cudaProfilerStart and Stop, else the first of all).
inline constexpr const char* kTraceKernelVariable = "RIDGE_TRACE_KERNEL";
inline constexpr const char* kTraceLaunchVariable = "RIDGE_TRACE_LAUNCH";
// Largest trace in bytes (default 64 MB).
inline constexpr const char* kTraceLimitVariable = "RIDGE_TRACE_LIMIT";
// "1": while host code of the program runs, nothing runs on the device (graded code).
inline constexpr const char* kHostApartVariable = "RIDGE_HOST_APART";
// "all" (default), "none", or a list of bounds, barrier, deadlock; leak reports what was not freed.
inline constexpr const char* kChecksVariable = "RIDGE_CHECKS";
// "cold": every launch begins with empty caches, as Nsight Compute's launches do. Otherwise L2
// keeps what it has.
inline constexpr const char* kCachesVariable = "RIDGE_CACHES";
// Host threads (default: all cores).
inline constexpr const char* kThreadsVariable = "RIDGE_THREADS";
// Seconds after which a launch is stopped with a time-limit finding (default: none).
inline constexpr const char* kTimeLimitVariable = "RIDGE_TIME_LIMIT";
// Device description: "H200" (default), "H100", "A100", "RTX4090", "T4"; and how many of them
// (default 1).
inline constexpr const char* kDeviceVariable = "RIDGE_DEVICE";
inline constexpr const char* kDevicesVariable = "RIDGE_DEVICES";

}  // namespace ridge::trace
