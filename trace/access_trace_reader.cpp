// Reads a trace file.
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "text/unfilled_bytes.h"
#include "trace/access_trace.h"
#include "trace/byte_stream.h"
#include "trace/trace_sections.h"

namespace ridge::trace {
namespace {

std::string_view letters(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr const char* kNoTrace =
    "this is not an access trace (its first bytes are not RTRACE); `ridge trace` records one";

void check_is_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    if (error && status.type() != std::filesystem::file_type::not_found)
      throw std::runtime_error(fmt::format("the trace cannot be read: {}", error.message()));
    throw std::runtime_error("there is no such trace; `ridge trace` records one");
  }
  if (std::filesystem::is_directory(status))
    throw std::runtime_error("this is a folder; name a trace in it, a file that ends in .rtrace");
  if (!std::filesystem::is_regular_file(status))
    throw std::runtime_error("this is not a file but a pipe or a device; copy the trace to a "
                             "file");
}

}  // namespace

TraceBytes read_whole_trace(const std::filesystem::path& file) {
  check_is_file(file);  // before opening the file: opening a pipe blocks
  errno = 0;
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (size < 0) {
    const int why = errno;
    throw std::runtime_error(
        fmt::format("the trace cannot be read: {}", std::generic_category().message(why ? why : EIO)));
  }
  // Reject a file that is not a trace or too large before reading all of it.
  std::array<uint8_t, kTraceMagic.size()> first{};
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(first.data()), first.size());
  if (letters(first) != kTraceMagic) throw std::runtime_error(kNoTrace);
  constexpr std::streamoff kMost = std::streamoff{4} << 30;
  if (size > kMost)
    throw std::runtime_error(fmt::format(
        "the trace has {:.1f} GB, and up to 4 can be opened: name fewer --blocks, or lower --limit",
        static_cast<double>(size) / (1 << 30)));
  // Allocate without zero-filling, which would take as long as reading.
  const auto bytes = text::unfilled_bytes(static_cast<size_t>(size));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.get()), size);
  if (!stream)
    throw std::runtime_error("the trace could not be read to its end; check that it is a regular file, and that its disk works");
  return {bytes, static_cast<size_t>(size)};
}

TraceBytes copy_of(std::span<const uint8_t> bytes) {
  const auto copy = text::unfilled_bytes(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return {copy, bytes.size()};
}

std::vector<RawSection> find_sections(std::span<const uint8_t> file, uint32_t& version) {
  ByteReader header(file);
  if (file.size() < kTraceHeaderBytes || letters(header.bytes(kTraceMagic.size())) != kTraceMagic)
    throw std::runtime_error(kNoTrace);
  version = header.fixed<uint32_t>();
  const uint32_t compression = header.fixed<uint32_t>();
  if (version > kTraceVersion) {
    throw std::runtime_error(
        fmt::format("the trace has version {} and this program reads up to {}: it was written by a "
                    "newer Ridgepoint; rebuild this one (./ridge) or record again",
                    version, kTraceVersion));
  }
  if (version == 0 || compression != kNoCompression) {
    throw std::runtime_error(fmt::format("the trace is damaged (version {}, compression {}); record it again",
                                         version, compression));
  }
  if (file.size() < kTraceHeaderBytes + kTraceFooterBytes ||
      letters(file.last(kTraceEndMagic.size())) != kTraceEndMagic) {
    throw std::runtime_error(
        fmt::format("the trace is cut off: it has {} bytes and no end mark; record it again", file.size()));
  }
  ByteReader footer(file, file.size() - kTraceFooterBytes);
  const uint64_t index_offset = footer.fixed<uint64_t>();
  const uint64_t expected = footer.fixed<uint64_t>();
  const std::span<const uint8_t> covered = file.first(file.size() - kTraceFooterBytes + sizeof index_offset);
  const uint64_t sum =
      version == 1 ? checksum_of_version_1(covered) : trace_checksum(covered.data(), covered.size());
  if (sum != expected) {
    throw std::runtime_error(fmt::format(
        "the trace is damaged (checksum {:016x}, expected {:016x}); record it again", sum, expected));
  }
  const uint64_t index_end = file.size() - kTraceFooterBytes;
  if (index_offset < kTraceHeaderBytes || index_offset > index_end ||
      (index_end - index_offset) % kIndexEntryBytes != 0) {
    throw std::runtime_error("the index lies outside the file");
  }
  std::vector<RawSection> sections;
  uint64_t end_of_last = kTraceHeaderBytes;  // sections must be in order and must not overlap
  ByteReader index(file.first(index_end), index_offset);
  while (index.remaining() > 0) {
    const uint32_t kind = index.fixed<uint32_t>();
    const uint64_t offset = index.fixed<uint64_t>(), bytes = index.fixed<uint64_t>();
    if (offset < end_of_last || offset > index_offset || bytes > index_offset - offset) {
      throw std::runtime_error("a section lies outside the file or inside another");
    }
    end_of_last = offset + bytes;
    sections.push_back({static_cast<SectionKind>(kind), file.subspan(offset, bytes)});
  }
  return sections;
}

AccessTrace parse_unchecked(const TraceBytes& file) {
  AccessTrace trace;
  bool has_launch = false;
  for (const RawSection& section : find_sections(file.all(), trace.version)) {
    switch (section.kind) {
      case SectionKind::launch:
        unpack_launch(section.bytes, trace.launch);
        has_launch = true;
        break;
      case SectionKind::sources:
        trace.launch.sources = unpack_sources(section.bytes);
        break;
      case SectionKind::ptx:
        trace.launch.ptx_lines = unpack_lines(section.bytes);
        break;
      case SectionKind::instructions:
        trace.launch.instructions = unpack_instructions(section.bytes);
        break;
      case SectionKind::block:
        trace.blocks.push_back(BlockSection::unpack(section.bytes, trace.version, file.data));
        break;
      case SectionKind::arrays:
        trace.arrays = unpack_arrays(section.bytes, trace.version);
        break;
      case SectionKind::notes:
        trace.notes = unpack_notes(section.bytes);
        break;
      case SectionKind::report:
        trace.report = parse_report(letters(section.bytes));
        break;
      case SectionKind::placement:
        trace.placement = unpack_placement(section.bytes);
        break;
      case SectionKind::device_links:
        trace.links = unpack_device_links(section.bytes);
        break;
    }
  }
  if (!has_launch) throw std::runtime_error("it does not say which kernel it is of");
  name_arrays(trace.arrays, trace.notes);
  return trace;
}

static AccessTrace parse_and_check(const TraceBytes& bytes) {
  AccessTrace trace = parse_unchecked(bytes);
  for (const BlockRecords& records : trace.blocks)
    check_records(records, trace.launch);
  return trace;
}

AccessTrace parse_access_trace(std::span<const uint8_t> bytes) {
  return parse_and_check(copy_of(bytes));
}

const TraceArray* AccessTrace::array_at(RecordSpace space, uint64_t address) const {
  for (const TraceArray& array : arrays) {
    if (array.space == space && address - array.address < array.bytes) return &array;
  }
  return nullptr;
}

uint64_t AccessTrace::records() const {
  uint64_t total = 0;
  for (const BlockRecords& each : blocks)
    total += each.size();
  return total;
}

uint64_t AccessTrace::records_dropped() const {
  uint64_t total = 0;
  for (const BlockRecords& records : blocks)
    total += records.dropped();
  return total;
}

AccessTrace read_access_trace(const std::filesystem::path& file) {
  return with_name_of(file, [&] { return parse_and_check(read_whole_trace(file)); });
}

}  // namespace ridge::trace
