// The sections of an .rtrace file, between their values and their bytes. Internal to trace: access_trace.h
// describes the format, this and byte_stream.h are it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace/access_trace.h"

namespace ridge::trace {

inline constexpr std::string_view kTraceMagic =
    "RTRACE\r\n";  // the line end shows when a file went through a text mode
inline constexpr std::string_view kTraceEndMagic = "RTRACEND";
inline constexpr uint32_t kNoCompression = 0;
inline constexpr size_t kTraceHeaderBytes = 16, kTraceFooterBytes = 24, kIndexEntryBytes = 20;

enum class SectionKind : uint32_t {
  launch = 1,
  sources = 2,
  ptx = 3,
  instructions = 4,
  block = 5,
  arrays = 6
};

std::vector<uint8_t> pack_launch(const TraceLaunch& launch);
std::vector<uint8_t> pack_sources(const std::vector<TraceSource>& sources);
std::vector<uint8_t> pack_lines(const std::vector<std::string>& lines);
std::vector<uint8_t> pack_instructions(const std::vector<TraceInstruction>& instructions);
std::vector<uint8_t> pack_arrays(const std::vector<TraceArray>& arrays);

// All throw std::runtime_error when the bytes do not make sense.
void unpack_launch(std::span<const uint8_t> bytes, TraceLaunch& launch);  // all but the three lists
std::vector<TraceSource> unpack_sources(std::span<const uint8_t> bytes);
std::vector<std::string> unpack_lines(std::span<const uint8_t> bytes);
std::vector<TraceInstruction> unpack_instructions(std::span<const uint8_t> bytes);
std::vector<TraceArray> unpack_arrays(std::span<const uint8_t> bytes);

struct BlockSection {
  static std::vector<uint8_t> pack(const BlockRecords& records);
  // Only the columns: check_records() looks at what is in them.
  static BlockRecords unpack(std::span<const uint8_t> bytes);
};

// Walks over every record: it is in the launch's grid, block and instructions, and the columns end together.
void check_records(const BlockRecords& records, const TraceLaunch& launch);

}  // namespace ridge::trace
