// The file of recorded results: one entry for each lane operation.
//   u8 length, the opcode, u8 kind, then
//     refused   nothing: the assembler knows no such instruction for this GPU
//     hashed    32 hashes (u32), each of 64 cases
//     values    u8 bytes a result (2, 4 or 8), 2048 results, for instructions that are approximate
#pragma once

#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>

#include "tests/hardware/lane_cases.h"

namespace ridge::recorded {

enum class EntryKind : uint8_t { refused = 0, hashed = 1, values = 2 };

struct Entry {
  EntryKind kind = EntryKind::refused;
  std::vector<uint32_t> hashes;
  std::vector<uint64_t> values;
};
using Recording = std::map<std::string, Entry>;

inline int value_bytes(Register reg) {
  return reg == Register::wide ? 8 : reg == Register::word ? 4 : 2;
}

inline void append_entry(std::string& out, std::string_view opcode, const OpcodeKinds& kinds,
                         const Entry& entry) {
  out += static_cast<char>(opcode.size());
  out += opcode;
  out += static_cast<char>(entry.kind);
  for (const uint32_t hash : entry.hashes)
    out.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  if (entry.kind == EntryKind::values) out += static_cast<char>(value_bytes(kinds.dst.reg));
  for (const uint64_t value : entry.values)
    out.append(reinterpret_cast<const char*>(&value), static_cast<size_t>(value_bytes(kinds.dst.reg)));
}

inline Recording read_recording(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(path + " cannot be read; tests/hardware/record_ptx.sh makes it on a GPU");
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  Recording recording;
  size_t at = 0;
  const auto take = [&](size_t count) {
    if (at + count > bytes.size()) throw std::runtime_error(path + " ends in the middle of an entry");
    at += count;
    return bytes.data() + at - count;
  };
  while (at < bytes.size()) {
    const size_t length = static_cast<unsigned char>(*take(1));
    const std::string opcode(take(length), length);
    Entry& entry = recording[opcode];
    entry.kind = static_cast<EntryKind>(*take(1));
    if (entry.kind == EntryKind::hashed) {
      entry.hashes.resize(kChunks);
      std::memcpy(entry.hashes.data(), take(4 * kChunks), 4 * kChunks);
    } else if (entry.kind == EntryKind::values) {
      const size_t each = static_cast<unsigned char>(*take(1));
      for (int i = 0; i < kCases; ++i) {
        uint64_t value = 0;
        std::memcpy(&value, take(each), each);
        entry.values.push_back(value);
      }
    }
  }
  return recording;
}

}  // namespace ridge::recorded
