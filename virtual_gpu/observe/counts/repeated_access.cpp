#include "virtual_gpu/observe/counts/repeated_access.h"

#include <algorithm>
#include <bit>

#include "warp_model/access.h"

namespace ridge::observe {
namespace {

using machine::AccessShape;

// Moving all lanes of a shared access by whole words rotates the banks and preserves conflicts. A
// global line has 128 bytes. An aligned value that all lanes read is in one sector at any address.
uint32_t key_mask_of(const machine::Access& access) {
  if (access.space == machine::AccessSpace::shared) return warp_model::kBankBytes - 1;
  const bool is_one_value = access.shape == AccessShape::uniform &&
                            std::has_single_bit(access.bytes) &&
                            access.bytes <= warp_model::kSectorBytes;
  return is_one_value && access.first % access.bytes == 0 ? access.bytes - 1
                                                          : warp_model::kLineBytes - 1;
}

}  // namespace

void RepeatedAccess::begin(const machine::Access& access) {
  is_known_ = true;
  access_ = access;
  if (access.shape == AccessShape::scattered) {
    std::copy_n(access.addresses, 32, addresses_.begin());
    access_.addresses = addresses_.data();
  }
  if (access.lands_at != nullptr) {
    std::copy_n(access.lands_at, 32, lands_at_.begin());
    access_.lands_at = lands_at_.data();
  }
  key_mask_ = key_mask_of(access);
  times_.assign(key_mask_ + 1, 0);
}

void RepeatedAccess::move(uint64_t by) {
  access_.first += by;
  access_.base += by;
  if (access_.shape != AccessShape::scattered) return;
  for (uint64_t& address : addresses_)
    address += by;
}

}  // namespace ridge::observe
