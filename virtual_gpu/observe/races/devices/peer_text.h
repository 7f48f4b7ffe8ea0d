// What is reported of a race between devices.
#pragma once

#include <cstdint>
#include <string>

#include "virtual_gpu/machine/memory/memory.h"
#include "virtual_gpu/observe/races/devices/peer_shadow.h"

namespace ridge::observe {

struct PeerConflict {
  uint64_t address = 0;
  PeerAccess mine, other;
  uint32_t lane = 0;  // of mine
  // The flag that was meant to order them, as far as it is known: what is wrong with it, where it
  // was written and read.
  enum class Flaw : uint8_t { none, not_released, not_acquired, narrow_scope } flaw = Flaw::none;
  uint64_t flag_address = 0;
  uint32_t flag_task = 0, flag_written_at = 0, flag_read_at = 0;
};

[[noreturn]] void throw_peer_race(const PeerShadow& shadow, const PeerConflict& conflict,
                                  const machine::DeviceMemory& memory);
// ", which polls byte 64 of ...": the flag, its value and who set it last.
std::string polled_text(PeerShadow& shadow, uint64_t address, const machine::DeviceMemory& memory);
// The same for a copy by the runtime: `mine` is the copy's.
std::string copy_race_text(const PeerShadow& shadow, const PeerConflict& conflict,
                           const machine::DeviceMemory& memory);

}  // namespace ridge::observe
