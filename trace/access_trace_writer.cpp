// Writes a trace file.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "text/replace_file.h"
#include "trace/access_trace.h"
#include "trace/byte_stream.h"
#include "trace/shared_declarations.h"
#include "trace/trace_sections.h"

namespace ridge::trace {

struct AccessTraceWriter::State {
  using Bytes = std::span<const uint8_t>;

  std::filesystem::path file, partial;
  int descriptor = -1;
  uint64_t record_bytes_left = 0, written = 0;
  TraceChecksum checksum;
  std::vector<uint8_t> index;
  bool finished = false;

  explicit State(std::filesystem::path name);
  ~State();
  void write(std::span<const Bytes> pieces);
  void write(Bytes bytes) { write(std::span(&bytes, 1)); }
  void finish();  // writes index and footer, and gives the file its name
  void section(SectionKind kind, Bytes bytes) { section(kind, std::span(&bytes, 1)); }
  void section(SectionKind kind, std::span<const Bytes> pieces) {
    const uint64_t begin = written;
    write(pieces);
    put_fixed(index, static_cast<uint32_t>(kind));
    put_fixed(index, begin);
    put_fixed(index, written - begin);
  }
  void block(const BlockRecords& records) {
    std::vector<uint8_t> heads;
    section(SectionKind::block, BlockSection::pack(records, heads));
  }
};

AccessTraceWriter::State::State(std::filesystem::path name) : file(std::move(name)) {
  // Two processes may record to the same name: each writes its own file until it is complete.
  partial = file;
  partial += fmt::format(".partial-{}", ::getpid());
  descriptor = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw std::runtime_error(
        fmt::format("{}: the trace cannot be made ({}); does the folder exist, and may you write to it?",
                    partial.string(), std::strerror(errno)));
  }
  std::vector<uint8_t> header(kTraceMagic.begin(), kTraceMagic.end());
  put_fixed(header, kTraceVersion);
  put_fixed(header, kNoCompression);
  write(header);
}

AccessTraceWriter::State::~State() {
  if (descriptor >= 0) ::close(descriptor);
  if (finished) return;
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
}

void AccessTraceWriter::State::write(std::span<const Bytes> pieces) {
  std::vector<iovec> left;
  for (const Bytes& piece : pieces) {
    if (piece.empty()) continue;
    left.push_back({const_cast<uint8_t*>(piece.data()), piece.size()});
    checksum.add(piece);
  }
  for (size_t at = 0; at < left.size();) {
    ssize_t went =
        ::writev(descriptor, &left[at], static_cast<int>(std::min<size_t>(left.size() - at, IOV_MAX)));
    if (went < 0 && errno == EINTR) continue;
    if (went < 0) {
      throw std::runtime_error(
          fmt::format("{}: writing the trace failed after {} bytes ({}); free some space or choose another folder",
                      partial.string(), written, std::strerror(errno)));
    }
    written += static_cast<uint64_t>(went);
    for (; at < left.size() && static_cast<size_t>(went) >= left[at].iov_len; ++at)
      went -= static_cast<ssize_t>(left[at].iov_len);
    if (at == left.size()) break;
    left[at].iov_base = static_cast<uint8_t*>(left[at].iov_base) + went;
    left[at].iov_len -= static_cast<size_t>(went);
  }
}

void AccessTraceWriter::State::finish() {
  const uint64_t index_offset = written;
  write(index);
  std::vector<uint8_t> footer;
  put_fixed(footer, index_offset);
  checksum.add(footer);
  put_fixed(footer, checksum.value());
  footer.insert(footer.end(), kTraceEndMagic.begin(), kTraceEndMagic.end());
  write(footer);
  if (::close(std::exchange(descriptor, -1)) != 0) {
    throw std::runtime_error(
        fmt::format("{}: writing the trace failed at its end ({}); free some space or choose another folder",
                    partial.string(), std::strerror(errno)));
  }
  text::replace_file(partial, file);
  finished = true;
}

AccessTraceWriter::AccessTraceWriter(std::filesystem::path file, const TraceLaunch& launch,
                                     uint64_t limit_bytes)
    : state_(std::make_unique<State>(std::move(file))) {
  state_->record_bytes_left = limit_bytes;
  state_->section(SectionKind::launch, pack_launch(launch));
  state_->section(SectionKind::sources, pack_sources(launch.sources));
  state_->section(SectionKind::ptx, pack_lines(launch.ptx_lines));
  state_->section(SectionKind::instructions, pack_instructions(launch.instructions));
}

AccessTraceWriter::~AccessTraceWriter() = default;

void AccessTraceWriter::add_block(const BlockRecords& records) {
  if (records.packed_bytes() <= state_->record_bytes_left) {
    state_->record_bytes_left -= records.packed_bytes();
    return state_->block(records);
  }
  BlockRecords empty(records.block());
  empty.count_dropped(records.size() + records.dropped());
  state_->block(empty);
}

void AccessTraceWriter::finish(const TraceEnd& end) {
  State& state = *state_;
  state.section(SectionKind::arrays, pack_arrays(end.arrays));
  state.section(SectionKind::placement, pack_placement(end.placement));
  if (end.report) {
    const std::string line = to_json_line(*end.report);
    state.section(SectionKind::report, {reinterpret_cast<const uint8_t*>(line.data()), line.size()});
  }
  state.finish();
}

namespace {

// The trace's sources, and those of `known` that its instructions name and that it lacks.
std::vector<TraceSource> completed_sources(const std::vector<RawSection>& sections,
                                           const std::vector<TraceSource>& known) {
  std::set<std::string> named;
  std::vector<TraceSource> sources;
  for (const RawSection& section : sections) {
    if (section.kind == SectionKind::sources) sources = unpack_sources(section.bytes);
    if (section.kind != SectionKind::instructions) continue;
    for (TraceInstruction& one : unpack_instructions(section.bytes))
      named.insert(std::move(one.file));
  }
  for (const TraceSource& source : sources)
    named.erase(source.path);
  for (const TraceSource& source : known)
    if (named.erase(source.path) > 0) sources.push_back(source);
  return sources;
}

}  // namespace

void annotate_trace(const std::filesystem::path& file, const TraceNotes& notes,
                    const std::vector<TraceSource>& sources) {
  const TraceBytes bytes = read_whole_trace(file);
  uint32_t version = 0;
  const std::vector<RawSection> sections = find_sections(bytes.all(), version);
  if (version == 1) {
    throw std::runtime_error(
        fmt::format("{}: the trace has version {}, and notes can be added from version 2 on; record it again",
                    file.string(), version));
  }
  const std::vector<TraceSource> completed =
      sources.empty() ? std::vector<TraceSource>{} : completed_sources(sections, sources);
  AccessTraceWriter::State copy(file);
  for (const RawSection& section : sections) {
    if (section.kind == SectionKind::notes) continue;
    if (section.kind == SectionKind::sources && !completed.empty()) {
      copy.section(section.kind, pack_sources(completed));
    } else if (section.kind == SectionKind::arrays && !completed.empty()) {
      std::vector<TraceArray> arrays = unpack_arrays(section.bytes, version);
      // A constant may be defined in a header without instructions.
      shape_shared_arrays(arrays, sources);
      copy.section(section.kind, pack_arrays(arrays));
    } else {
      copy.section(section.kind, section.bytes);
    }
  }
  copy.section(SectionKind::notes, pack_notes(notes));
  copy.finish();
}

void add_links_to_trace(const std::filesystem::path& file, const DeviceLinks& links) {
  const TraceBytes bytes = read_whole_trace(file);
  uint32_t version = 0;
  AccessTraceWriter::State copy(file);
  for (const RawSection& section : find_sections(bytes.all(), version))
    if (section.kind != SectionKind::device_links) copy.section(section.kind, section.bytes);
  copy.section(SectionKind::device_links, pack_device_links(links));
  copy.finish();
}

}  // namespace ridge::trace
