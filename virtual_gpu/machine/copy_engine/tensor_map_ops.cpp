// Tensor maps in kernels: read by a copy, changed by tensormap.replace, published by
// tensormap.cp_fenceproxy.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "virtual_gpu/machine/copy_engine/copy_engine.h"
#include "virtual_gpu/machine/copy_engine/tensor_map.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/memory/generic_space.h"

namespace ridge::machine {
namespace {

// tensormap.replace has its own numbering of the types.
constexpr TensorElement kReplaceElements[] = {
    TensorElement::u8,      TensorElement::u16, TensorElement::u32,  TensorElement::s32,
    TensorElement::u64,     TensorElement::s64, TensorElement::f16,  TensorElement::f32,
    TensorElement::f32_ftz, TensorElement::f64, TensorElement::bf16, TensorElement::tf32,
    TensorElement::tf32_ftz};

const char* const kNoMap =
    "pass the map as `const __grid_constant__ CUtensorMap` after cuTensorMapEncodeTiled returned success; a "
    "map in device memory must be copied there whole, and is 64-byte aligned";

}  // namespace

uint64_t CopyEngine::lane_address(const MemoryOp& op, int lane) const {
  Addresses addresses;
  spaces_.find_addresses(op, 1u << lane, addresses);
  return addresses.of(lane);
}

// The host address of the 128 bytes, checked to be a valid place for a map.
std::byte* CopyEngine::tensor_map_bytes(const MemoryOp& op, int lane) const {
  Addresses addresses;
  spaces_.find_addresses(op, 1u << lane, addresses);
  const auto at = [&](MemorySpace space, uint64_t address) -> std::byte* {
    if (space == MemorySpace::local ||
        (space == MemorySpace::shared && op.space == MemorySpace::generic)) {
      bulk_fault(
          Fault::Kind::invalid_launch, lane,
          fmt::format(
              "Tensor map: \x01 uses a tensor map in {} memory, where the copy engine cannot "
              "read it",
              space == MemorySpace::local ? "its thread's local" : "shared"),
          space == MemorySpace::local
              ? "declare the kernel's parameter `const __grid_constant__ CUtensorMap`: without that, and "
                "when it is passed on by value, every thread gets a copy"
              : "publish it in global memory with tensormap.cp_fenceproxy, and give that address");
    }
    if (address % kTensorMapAlignment != 0) {
      bulk_fault(
          Fault::Kind::misaligned, lane,
          fmt::format(
              "Misaligned: \x01 uses a tensor map at address {:#x}, which is not a multiple of "
              "64",
              address),
          kNoMap);
    }
    bool inside = false;
    uint64_t limit = 0;
    if (space == MemorySpace::shared) limit = context_.launch.shared_bytes;
    if (space == MemorySpace::parameter) limit = context_.program.info.parameter_bytes;
    if (space == MemorySpace::shared || space == MemorySpace::parameter)
      inside = address + kTensorMapBytes <= limit;
    else
      inside = is_live(address, address + kTensorMapBytes);
    if (inside) return spaces_.host_address(space, address);
    const AccessSpace observed = space == MemorySpace::shared      ? AccessSpace::shared
                                 : space == MemorySpace::parameter ? AccessSpace::param
                                                                   : AccessSpace::global;
    const BadAccess bad{AccessKind::load, observed, address,
                        kTensorMapBytes,  limit,    context_.launch.memory.nearest(address)};
    bulk_fault(Fault::Kind::out_of_bounds, lane, out_of_bounds_text(bad).what, kNoMap);
  };
  if (op.space == MemorySpace::shared) {
    addresses.strip_own_rank(context_.block->rank);
    return at(MemorySpace::shared, addresses.of(lane));
  }
  if (op.space == MemorySpace::global || op.space == MemorySpace::constant)
    return at(op.space, addresses.of(lane));
  std::byte* found = nullptr;
  spaces_.for_each_space(addresses, 1u << lane, [&](MemorySpace space, Addresses& part, uint32_t) {
    found = at(space, part.of(lane));
  });
  return found;
}

TensorLayout CopyEngine::tensor_layout(const MemoryOp& op, int lane) const {
  TensorMap map;
  std::memcpy(map.bytes.data(), tensor_map_bytes(op, lane), kTensorMapBytes);
  std::optional<TensorLayout> layout = unpacked(map);
  if (!layout) {
    bulk_fault(Fault::Kind::invalid_launch, lane,
               fmt::format("Tensor map: the 128 bytes that \x01 takes for a tensor map are none{}",
                           is_blank(map) ? " (they are all zero)" : ""),
               kNoMap);
  }
  if (const std::string rule = broken_rule(*layout); !rule.empty()) {
    bulk_fault(Fault::Kind::invalid_launch, lane, "Tensor map: \x01 uses a map with " + rule,
               "look at the tensormap.replace that changed it");
  }
  if (layout->address == 0) {
    bulk_fault(Fault::Kind::out_of_bounds, lane,
               "Tensor map: \x01 uses a map whose global address is null",
               "pass the pointer that cudaMalloc returned to the encoder, or set the address with "
               "tensormap.replace first");
  }
  return *layout;
}

void CopyEngine::tensor_map(const MicroOp& op, uint32_t mask) {
  const TensorMapOp& change = context_.program.tensor_maps[op.detail];
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    switch (change.kind) {
      case TensorMapOp::Kind::prefetch:
        tensor_layout(change.map, lane);
        break;
      case TensorMapOp::Kind::replace:
        replace_field(change, lane);
        break;
      case TensorMapOp::Kind::copy:  // executed by the warp together
        std::memcpy(tensor_map_bytes(change.map, lane), tensor_map_bytes(change.source, lane),
                    kTensorMapBytes);
        context_.made_progress = true;
        return;
    }
  }
}

void CopyEngine::replace_field(const TensorMapOp& op, int lane) {
  std::byte* const bytes = tensor_map_bytes(op.map, lane);
  TensorMap map;
  std::memcpy(map.bytes.data(), bytes, kTensorMapBytes);
  std::optional<TensorLayout> layout = unpacked(map);
  if (!layout && is_blank(map)) {
    layout.emplace();
    layout->dims.fill(1);
    layout->box.fill(1);
  }
  if (!layout) {
    bulk_fault(
        Fault::Kind::invalid_launch, lane,
        "Tensor map: \x01 changes a field of 128 bytes that are no tensor map",
        "copy a map that cuTensorMapEncodeTiled made there first, or set all 128 bytes to zero");
  }
  const uint64_t value = op.wide_value ? context_.row<uint64_t>(op.value)[lane]
                                       : context_.row<uint32_t>(op.value)[lane];
  const auto small = static_cast<uint32_t>(value);
  switch (op.field) {
    case TensorMapField::address:
      layout->address = value;
      break;
    case TensorMapField::rank:  // encoded as rank - 1
      layout->rank = small + 1;
      break;
    case TensorMapField::box:
      layout->box[op.ordinal] = std::min(small, 0xffffu);
      break;
    case TensorMapField::dim:
      layout->dims[op.ordinal] = small == 0 ? uint64_t{1} << 32 : small;
      break;
    case TensorMapField::stride:
      if (op.ordinal < layout->strides.size()) layout->strides[op.ordinal] = value;
      break;
    case TensorMapField::element_stride:
      layout->element_strides[op.ordinal] = std::min(small, 0xffu);
      break;
    case TensorMapField::element:
      layout->element =
          small < std::size(kReplaceElements) ? kReplaceElements[small] : TensorElement{0xff};
      break;
    case TensorMapField::interleave:
      layout->interleave = static_cast<TensorInterleave>(std::min(small, 0xffu));
      break;
    case TensorMapField::swizzle:
      layout->swizzle = std::min(small, 0xffu);
      break;
    case TensorMapField::fill:
      layout->fill = static_cast<TensorFill>(std::min(small, 0xffu));
      break;
  }
  const TensorMap made = packed(*layout);
  std::memcpy(bytes, made.bytes.data(), kTensorMapBytes);
  context_.made_progress = true;
}

}  // namespace ridge::machine
