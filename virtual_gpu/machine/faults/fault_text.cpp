#include "virtual_gpu/machine/faults/fault_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "text/demangled.h"
#include "virtual_gpu/machine/memory/address_windows.h"
#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {
namespace {

// Addresses farther away than this are unrelated to the nearest array.
constexpr uint64_t kRelatedBytes = 1 << 20;

std::string verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "reads";
    case AccessKind::store:
      return "writes";
    default:
      return "updates";
  }
}

std::string counted(uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string array_text(const Allocation& a) {
  return fmt::format("{}, allocation #{} of {} at {:#x}", a.origin_text(), a.serial, counted(a.bytes, "byte"),
                     a.begin);
}

// "the array passed as parameter 2", or "an array".
std::string name_of(const BadAccess& bad) {
  return bad.parameter >= 0 ? fmt::format("the array passed as parameter {}", bad.parameter + 1)
                            : std::string("an array");
}

// True when the address is too far from the nearest array to have been meant for it.
bool is_unrelated(const BadAccess& bad, const Allocation& a) {
  if (bad.parameter >= 0) return false;
  const uint64_t end = a.begin + a.bytes;
  const uint64_t distance = bad.address < a.begin ? a.begin - bad.address : bad.address - std::min(bad.address, end);
  return distance > kRelatedBytes;
}

bool is_in_elements(const BadAccess& bad, int64_t offset, uint64_t bytes) {
  return !bad.is_bulk && offset % bad.bytes == 0 && bytes % bad.bytes == 0 && bytes > 0;
}

// The index of an access in an array, and the length of the array.
FaultCause index_cause(const char* id, const BadAccess& bad, const std::string& array, int64_t offset,
                       uint64_t bytes) {
  FaultCause cause{id, {{"verb", verb(bad.kind)}, {"array", array}}};
  const uint32_t unit = is_in_elements(bad, offset, bytes) ? bad.bytes : 1;
  cause.values.emplace_back("index", std::to_string(offset / unit));
  cause.values.emplace_back("extent", std::to_string(bytes / unit));
  cause.values.emplace_back("unit", std::to_string(unit));
  if (bad.parameter >= 0) cause.values.emplace_back("parameter", std::to_string(bad.parameter + 1));
  return cause;
}

// "4 bytes at index 1000 of an array of 1000 elements of 4 bytes"
std::string element_text(const BadAccess& bad, const Allocation& a) {
  const int64_t offset = static_cast<int64_t>(bad.address - a.begin);
  if (is_in_elements(bad, offset, a.bytes)) {
    return fmt::format("{} at index {} of {}{}{} of {}", counted(bad.bytes, "byte"), offset / bad.bytes,
                       name_of(bad), bad.parameter >= 0 ? ", which holds " : " that holds ",
                       counted(a.bytes / bad.bytes, "element"), counted(bad.bytes, "byte"));
  }
  return fmt::format("{} at byte {} of {}{}{}", counted(bad.bytes, "byte"), offset, name_of(bad),
                     bad.parameter >= 0 ? ", which holds " : " of ", counted(a.bytes, "byte"));
}

std::string distance_text(const BadAccess& bad, const Allocation& a) {
  if (bad.address < a.begin)
    return fmt::format("{} before its begin", counted(a.begin - bad.address, "byte"));
  const uint64_t end = a.begin + a.bytes;
  if (bad.address < end)
    return fmt::format("its last {} would lie past its end", counted(bad.address + bad.bytes - end, "byte"));
  if (bad.address == end) return "the first byte past its end";
  return fmt::format("{} past its end", counted(bad.address - end, "byte"));
}

const char* space_name(AccessSpace space) {
  switch (space) {
    case AccessSpace::shared:
      return "shared";
    case AccessSpace::local:
      return "local";
    case AccessSpace::param:
      return "parameter";
    case AccessSpace::constant:
      return "constant";
    case AccessSpace::global:
      break;
  }
  return "global";
}

// "reads 4 bytes at index 64 of the __shared__ array `a`, which holds 64 elements of 4 bytes: ..."
FaultText outside_shared_array(const BadAccess& bad) {
  const int64_t at = bad.shared_offset;
  const bool in_elements = at % bad.bytes == 0 && bad.shared_array_bytes % bad.bytes == 0;
  const std::string where =
      in_elements ? fmt::format("index {} of the __shared__ array `{}`, which holds {} of {}", at / bad.bytes,
                                bad.shared_array, counted(bad.shared_array_bytes / bad.bytes, "element"),
                                counted(bad.bytes, "byte"))
                  : fmt::format("byte {} of the __shared__ array `{}`, which has {}", at, bad.shared_array,
                                counted(bad.shared_array_bytes, "byte"));
  return {
      fmt::format("{} {} at {}{}", verb(bad.kind), counted(bad.bytes, "byte"), where,
                  bad.hits.empty()
                      ? fmt::format("; the block has {} of shared memory in all", counted(bad.limit, "byte"))
                      : fmt::format("; what lies there is {}", bad.hits)),
      at < 0 ? "the index is negative: check subtractions at the border (i - 1 at i = 0), and unsigned "
               "arithmetic"
             : "compare the index with the size of the array; a tile with a halo needs room for the halo, "
               "and `extern __shared__` has what the third number in <<< >>> gives it",
      index_cause(at < 0 ? "shared_negative_index" : "shared_index", bad, bad.shared_array, at,
                  bad.shared_array_bytes)};
}

FaultText outside_window(const BadAccess& bad) {
  const auto offset = static_cast<int64_t>(bad.address);
  if (bad.space == AccessSpace::shared) {
    if (bad.limit == 0) {
      return {fmt::format("{} {} of shared memory, and this launch has none", verb(bad.kind),
                          counted(bad.bytes, "byte")),
              "give the launch its dynamic shared memory: kernel<<<grid, block, bytes>>>",
              {"no_shared_memory", {}}};
    }
    if (!bad.shared_array.empty()) return outside_shared_array(bad);
    return {fmt::format("{} {} at offset {} of shared memory{}, of which the block has {}{}", verb(bad.kind),
                        counted(bad.bytes, "byte"), offset,
                        bad.peer_rank == BadAccess::kOwnBlock
                            ? std::string()
                            : fmt::format(" of the block with rank {} in its cluster", bad.peer_rank),
                        counted(bad.limit, "byte"),
                        !bad.is_bulk && bad.limit % bad.bytes == 0 && offset % bad.bytes == 0
                            ? fmt::format(" (index {} where the last is {})", offset / bad.bytes,
                                          bad.limit / bad.bytes - 1)
                            : std::string()),
            "compare the index with the size of the __shared__ array; for `extern __shared__` also the third "
            "number in <<< >>>",
            {"shared_window", {}}};
  }
  return {fmt::format("{} {} at offset {} of {} memory, of which the thread has {}", verb(bad.kind),
                      counted(bad.bytes, "byte"), offset, space_name(bad.space), counted(bad.limit, "byte")),
          bad.space == AccessSpace::local
              ? "look at the index into the thread's own array: it is too large or negative"
              : "read a kernel parameter inside its own bytes only",
          {bad.space == AccessSpace::local ? "local_index" : "parameter", {}}};
}

}  // namespace

FaultText out_of_bounds_text(const BadAccess& bad) {
  if (bad.space != AccessSpace::global && bad.space != AccessSpace::constant) {
    FaultText text = outside_window(bad);
    text.what = "Out of bounds: \x01 " + text.what;
    return text;
  }
  if (bad.address < 65536) {
    return {fmt::format("Out of bounds: \x01 {} {} through a null pointer (address {:#x})", verb(bad.kind),
                        counted(bad.bytes, "byte"), bad.address),
            "look at the launch and at whether cudaMalloc succeeded: a pointer given to the kernel was never set",
            {"null_pointer", {}}};
  }
  if (const AddressWindows& windows = address_windows();
      bad.address >= windows.begin && bad.address < windows.end) {
    const char* what = bad.address >= windows.function    ? "the address of a function"
                       : bad.address >= windows.parameter ? "an address among a kernel's parameters"
                       : bad.address >= windows.local ? "an address of a thread's own variable (local memory)"
                                                      : "an address of a block's shared memory";
    return {fmt::format("Out of bounds: \x01 {} {} of global memory through {}, {:#x}", verb(bad.kind),
                        counted(bad.bytes, "byte"), what, bad.address),
            "put what other threads, blocks or kernels are to read into global memory: a pointer to a local or "
            "__shared__ variable is good for its own thread or block only",
            {"window_pointer", {}}};
  }
  if (!bad.nearest || is_unrelated(bad, *bad.nearest)) {
    return {fmt::format("Out of bounds: \x01 {} {} at address {:#x}, which belongs to no device memory",
                        verb(bad.kind), counted(bad.bytes, "byte"), bad.address),
            "pass memory from cudaMalloc (a pointer from malloc, new or a local variable of the host is not "
            "the device's), and check the index for overflow",
            {"no_device_memory", {}}};
  }
  const Allocation& a = *bad.nearest;
  if (bad.unreachable_from && !a.freed && bad.address >= a.begin && bad.address < a.begin + a.bytes) {
    return {
        fmt::format("Out of bounds: \x01 {} {} in memory of device {}, which device {} has no access to: {}",
                    verb(bad.kind), counted(bad.bytes, "byte"), bad.unreachable_owner, *bad.unreachable_from,
                    array_text(a)),
        fmt::format("call cudaDeviceEnablePeerAccess({}, 0) while device {} is current, or copy with "
                    "cudaMemcpyPeer",
                    bad.unreachable_owner, *bad.unreachable_from),
        {"other_device", {}}};
  }
  if (a.freed && bad.address >= a.begin && bad.address < a.begin + a.bytes) {
    return {fmt::format("Out of bounds: \x01 {} {} that was freed: {} came before this access ({})",
                        verb(bad.kind), element_text(bad, a), a.freed_text(), array_text(a)),
            "free the array after the kernel has finished, and do not use the pointer again",
            {"freed_array", {}}};
  }
  const bool before = bad.address < a.begin;
  return {fmt::format("Out of bounds: \x01 {} {}: {} ({})", verb(bad.kind), element_text(bad, a),
                      distance_text(bad, a), array_text(a)),
          before ? "the index is negative: check subtractions at the border (i - 1 at i = 0), and unsigned "
                   "arithmetic"
                 : "guard the access with the size, e.g. `if (i < n)`: the last block usually has more "
                   "threads than there are elements left",
          index_cause(before ? "negative_index" : "index", bad, name_of(bad),
                      static_cast<int64_t>(bad.address - a.begin), a.bytes)};
}

FaultText misaligned_text(const BadAccess& bad) {
  return {
      fmt::format("Misaligned: \x01 {} {} at {} address {:#x}, which is not a multiple of {}", verb(bad.kind),
                  counted(bad.bytes, "byte"), space_name(bad.space), bad.address, bad.bytes),
      fmt::format("a vector access (float2, float4, ...) needs an address that is a multiple of its size: {} "
                  "bytes past a multiple here; check the offset and the row length",
                  bad.address % bad.bytes),
      {"misaligned", {{"bytes", std::to_string(bad.bytes)}}}};
}

std::string instruction_text(std::string_view text) {
  constexpr size_t kMostInList = 8;
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t close = text.find('}', at);
    const size_t open = close == std::string::npos ? close : text.rfind('{', close);
    if (open == std::string::npos || open < at) return result.append(text.substr(at));
    const std::string_view list = text.substr(open + 1, close - open - 1);
    result += text.substr(at, open - at);
    const auto commas = static_cast<size_t>(std::count(list.begin(), list.end(), ','));
    if (commas < kMostInList)
      result += fmt::format("{{{}}}", list);
    else
      result += fmt::format("{{{}, ...{}}}", list.substr(0, list.find(',')), list.substr(list.rfind(',')));
    at = close + 1;
  }
  return result;
}

std::string dim_text(const Dim3& d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

std::string place_text(const InstructionSource& source) {
  if (source.line == 0 || source.file.empty()) return fmt::format("PTX line {}", source.ptx_line);
  return fmt::format("{}:{}{}", source.file, source.line,
                     source.called_from.empty() ? "" : " (called from " + source.called_from + ")");
}

Dim3 thread_index(const Dim3& block, uint32_t linear) {
  return {linear % block.x, linear / block.x % block.y, linear / block.x / block.y};
}

std::string full_message(const Program& program, uint32_t pc, const Dim3& block, const Dim3& thread,
                         const std::string& what, const std::string& advice) {
  const InstructionSource& source = program.sources[pc];
  const std::string who = fmt::format("thread {} of block {}", dim_text(thread), dim_text(block));
  std::string text = what;
  if (const size_t at = text.find(kPlaceMark); at != std::string::npos)
    text.replace(at, 1, who);
  else
    text += ", in " + who;
  return fmt::format("{}.\n  at {} in {}, executing `{}`\n  try: {}.", text, place_text(source),
                     text::demangled(program.info.name), instruction_text(source.text), advice);
}

}  // namespace ridge::machine
