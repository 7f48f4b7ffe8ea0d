#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "trace/access_trace.h"
#include "trace/byte_stream.h"
#include "trace/trace_sections.h"

namespace ridge::trace {

struct AccessTraceWriter::State {
  std::filesystem::path file, partial;
  std::ofstream stream;
  uint64_t record_bytes_left = 0, written = 0, checksum = trace_checksum(nullptr, 0);
  std::vector<uint8_t> index;
  bool finished = false;

  void write(const std::vector<uint8_t>& bytes);
  void section(SectionKind kind, const std::vector<uint8_t>& bytes) {
    put_fixed(index, static_cast<uint32_t>(kind));
    put_fixed(index, written);
    put_fixed(index, uint64_t{bytes.size()});
    write(bytes);
  }
};

namespace {

constexpr uint64_t kFnvStart = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;

uint64_t extend_checksum(uint64_t sum, const uint8_t* data, size_t size) {
  for (size_t k = 0; k < size; ++k)
    sum = (sum ^ data[k]) * kFnvPrime;
  return sum;
}

}  // namespace

uint64_t trace_checksum(const uint8_t* data, size_t size) {
  return extend_checksum(kFnvStart, data, size);
}

void AccessTraceWriter::State::write(const std::vector<uint8_t>& bytes) {
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream) {
    throw std::runtime_error(
        fmt::format("{}: writing the trace failed after {} bytes ({}); free some space or choose "
                    "another folder",
                    partial.string(), written, std::strerror(errno)));
  }
  checksum = extend_checksum(checksum, bytes.data(), bytes.size());
  written += bytes.size();
}

AccessTraceWriter::AccessTraceWriter(std::filesystem::path file, const TraceLaunch& launch,
                                     uint64_t limit_bytes)
    : state_(std::make_unique<State>()) {
  state_->file = std::move(file);
  state_->record_bytes_left = limit_bytes;
  // Two processes may record to one name: each has its own file until it is whole.
  state_->partial = state_->file;
  state_->partial += fmt::format(".partial-{}", ::getpid());
  state_->stream.open(state_->partial, std::ios::binary | std::ios::trunc);
  if (!state_->stream) {
    throw std::runtime_error(
        fmt::format("{}: the trace cannot be made ({}); does the folder exist, and may you write to it?",
                    state_->partial.string(), std::strerror(errno)));
  }
  std::vector<uint8_t> header(kTraceMagic.begin(), kTraceMagic.end());
  put_fixed(header, kTraceVersion);
  put_fixed(header, kNoCompression);
  state_->write(header);
  state_->section(SectionKind::launch, pack_launch(launch));
  state_->section(SectionKind::sources, pack_sources(launch.sources));
  state_->section(SectionKind::ptx, pack_lines(launch.ptx_lines));
  state_->section(SectionKind::instructions, pack_instructions(launch.instructions));
}

AccessTraceWriter::~AccessTraceWriter() {
  if (state_->finished) return;
  state_->stream.close();
  std::error_code ignored;
  std::filesystem::remove(state_->partial, ignored);
}

void AccessTraceWriter::add_block(const BlockRecords& records) {
  if (records.packed_bytes() <= state_->record_bytes_left) {
    state_->record_bytes_left -= records.packed_bytes();
    return state_->section(SectionKind::block, BlockSection::pack(records));
  }
  BlockRecords empty(records.block());
  empty.count_dropped(records.size() + records.dropped());
  state_->section(SectionKind::block, BlockSection::pack(empty));
}

void AccessTraceWriter::finish(const std::vector<TraceArray>& arrays) {
  State& state = *state_;
  state.section(SectionKind::arrays, pack_arrays(arrays));
  const uint64_t index_offset = state.written;
  state.write(state.index);
  std::vector<uint8_t> footer;
  put_fixed(footer, index_offset);
  put_fixed(footer, extend_checksum(state.checksum, footer.data(), footer.size()));
  footer.insert(footer.end(), kTraceEndMagic.begin(), kTraceEndMagic.end());
  state.write(footer);
  state.stream.close();
  if (!state.stream) {
    throw std::runtime_error(
        fmt::format("{}: writing the trace failed at its end ({}); free some space or choose another "
                    "folder",
                    state.partial.string(), std::strerror(errno)));
  }
  std::filesystem::rename(state.partial, state.file);
  state.finished = true;
}

}  // namespace ridge::trace
