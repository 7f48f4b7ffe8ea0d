// Any bytes as an access trace. The checksum would stop nearly all of them at the door, so it is made right
// first.
#include <cstring>
#include <stdexcept>
#include <vector>

#include "trace/access_trace.h"
#include "trace/block_timeline.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ridge::trace;
  std::vector<uint8_t> bytes(data, data + size);
  constexpr size_t kAfterSum = 8, kSum = 8;
  if (size >= kAfterSum + kSum) {
    const size_t at = size - kAfterSum - kSum;
    const uint64_t checksum = trace_checksum(bytes.data(), at);
    std::memcpy(&bytes[at], &checksum, kSum);
  }
  try {
    const OpenedTrace opened = open_access_trace(bytes);
    for (size_t block = 0; block < opened.timelines.size(); ++block) {
      RecordCursor cursor(opened.trace->blocks[block]);
      TraceRecord record;
      while (cursor.next(record)) {
      }
      for (size_t at = 0; at < opened.timelines[block].size(); at += 97)
        opened.timelines[block].record(at, record);
    }
    find_scene(*opened.trace, opened.timelines);
  } catch (const std::runtime_error&) {
  }
  return 0;
}
