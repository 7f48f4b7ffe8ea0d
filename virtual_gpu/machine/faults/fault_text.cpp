#include "virtual_gpu/machine/faults/fault_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "text/demangled.h"
#include "virtual_gpu/machine/memory/address_windows.h"
#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {
namespace {

// Further away than this, an address has nothing to do with the nearest array.
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

// "4 bytes at index 1000 of an array of 1000 elements of 4 bytes"
std::string element_text(const BadAccess& bad, const Allocation& a) {
  const int64_t offset = static_cast<int64_t>(bad.address - a.begin);
  if (!bad.is_bulk && offset % bad.bytes == 0 && a.bytes % bad.bytes == 0 && a.bytes > 0) {
    return fmt::format("{} at index {} of an array that holds {} of {}", counted(bad.bytes, "byte"),
                       offset / bad.bytes, counted(a.bytes / bad.bytes, "element"),
                       counted(bad.bytes, "byte"));
  }
  return fmt::format("{} at byte {} of an array of {}", counted(bad.bytes, "byte"), offset,
                     counted(a.bytes, "byte"));
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
               "and `extern __shared__` has what the third number in <<< >>> gives it"};
}

FaultText outside_window(const BadAccess& bad) {
  const auto offset = static_cast<int64_t>(bad.address);
  if (bad.space == AccessSpace::shared) {
    if (bad.limit == 0) {
      return {fmt::format("{} {} of shared memory, and this launch has none", verb(bad.kind),
                          counted(bad.bytes, "byte")),
              "give the launch its dynamic shared memory: kernel<<<grid, block, bytes>>>"};
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
            "number in <<< >>>"};
  }
  return {fmt::format("{} {} at offset {} of {} memory, of which the thread has {}", verb(bad.kind),
                      counted(bad.bytes, "byte"), offset, space_name(bad.space), counted(bad.limit, "byte")),
          bad.space == AccessSpace::local ? "an index into an array of the thread is too large or negative"
                                          : "a kernel parameter was read past its end"};
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
            "a pointer given to the kernel was never set: look at the launch, and at whether cudaMalloc "
            "succeeded"};
  }
  if (const AddressWindows& windows = address_windows();
      bad.address >= windows.begin && bad.address < windows.end) {
    const char* what = bad.address >= windows.function    ? "the address of a function"
                       : bad.address >= windows.parameter ? "an address among a kernel's parameters"
                       : bad.address >= windows.local ? "an address of a thread's own variable (local memory)"
                                                      : "an address of a block's shared memory";
    return {fmt::format("Out of bounds: \x01 {} {} of global memory through {}, {:#x}", verb(bad.kind),
                        counted(bad.bytes, "byte"), what, bad.address),
            "a pointer to a local or __shared__ variable serves its own thread or block only, and no other "
            "kernel: "
            "what others are to read belongs in global memory"};
  }
  if (!bad.nearest ||
      (bad.address < bad.nearest->begin
           ? bad.nearest->begin - bad.address
           : bad.address - bad.nearest->begin -
                 std::min(bad.nearest->bytes, bad.address - bad.nearest->begin)) > kRelatedBytes) {
    return {fmt::format("Out of bounds: \x01 {} {} at address {:#x}, which belongs to no device memory",
                        verb(bad.kind), counted(bad.bytes, "byte"), bad.address),
            "pass memory from cudaMalloc (a pointer from malloc, new or a local variable of the host is not "
            "the device's), and "
            "check the index for overflow"};
  }
  const Allocation& a = *bad.nearest;
  if (bad.unreachable_from && !a.freed && bad.address >= a.begin && bad.address < a.begin + a.bytes) {
    return {
        fmt::format("Out of bounds: \x01 {} {} in memory of device {}, which device {} has no access to: {}",
                    verb(bad.kind), counted(bad.bytes, "byte"), bad.unreachable_owner, *bad.unreachable_from,
                    array_text(a)),
        fmt::format("call cudaDeviceEnablePeerAccess({}, 0) while device {} is current, or copy with "
                    "cudaMemcpyPeer",
                    bad.unreachable_owner, *bad.unreachable_from)};
  }
  if (a.freed && bad.address >= a.begin && bad.address < a.begin + a.bytes) {
    return {fmt::format("Out of bounds: \x01 {} {} that was freed: {} came before this access ({})",
                        verb(bad.kind), element_text(bad, a), a.freed_text(), array_text(a)),
            "free the array after the kernel has finished, and do not use the pointer again"};
  }
  const bool before = bad.address < a.begin;
  return {fmt::format("Out of bounds: \x01 {} {}: {} ({})", verb(bad.kind), element_text(bad, a),
                      distance_text(bad, a), array_text(a)),
          before ? "the index is negative: check subtractions at the border (i - 1 at i = 0), and unsigned "
                   "arithmetic"
                 : "guard the access with the size, e.g. `if (i < n)`: the last block usually has more "
                   "threads than there are elements left"};
}

FaultText misaligned_text(const BadAccess& bad) {
  return {
      fmt::format("Misaligned: \x01 {} {} at {} address {:#x}, which is not a multiple of {}", verb(bad.kind),
                  counted(bad.bytes, "byte"), space_name(bad.space), bad.address, bad.bytes),
      fmt::format("a vector access (float2, float4, ...) needs an address that is a multiple of its size: {} "
                  "bytes past a "
                  "multiple here; check the offset and the row length",
                  bad.address % bad.bytes)};
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
                     text::demangled(program.info.name), source.text, advice);
}

}  // namespace ridge::machine
