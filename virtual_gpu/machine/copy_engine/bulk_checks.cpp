// The requirements of the copy engine, checked when a copy is issued, so that the message names the
// line.
#include <fmt/format.h>

#include "virtual_gpu/machine/copy_engine/copy_engine.h"
#include "virtual_gpu/machine/faults/fault_text.h"

namespace ridge::machine {

void CopyEngine::bulk_fault(Fault::Kind kind, int lane, const std::string& what,
                            const std::string& advice) const {
  context_.fault(kind, context_.culprit(lane), what, advice);
}

void CopyEngine::check_bulk_shared(const char* what, AccessKind kind, uint64_t offset,
                                   uint64_t bytes, uint32_t alignment, int lane) const {
  if (offset % alignment != 0) {
    bulk_fault(
        Fault::Kind::misaligned, lane,
        fmt::format("Misaligned: \x01 gives the copy engine a {} at offset {:#x} of shared memory, "
                    "which is not a multiple of {}",
                    what, offset, alignment),
        fmt::format("declare it __align__({}), and when several share one array, make the size of "
                    "each a multiple of {}",
                    alignment, alignment));
  }
  if (offset + bytes <= context_.launch.shared_bytes) return;
  const BadAccess bad{
      kind, AccessSpace::shared, offset, static_cast<uint32_t>(bytes), context_.launch.shared_bytes,
      {}};
  const FaultText text = out_of_bounds_text(bad);
  bulk_fault(
      Fault::Kind::out_of_bounds, lane, text.what,
      fmt::format(
          "a bulk copy moves all its bytes at once, {} here: compare them with the size of the "
          "__shared__ array, or with the third number in <<< >>>",
          bytes));
}

bool CopyEngine::is_live(uint64_t begin, uint64_t end) const {
  DeviceMemory::Range range = spaces_.reachable_range(begin);
  if (!context_.launch.config.bounds_checks && (range.end == 0 || end > range.end))
    range = context_.launch.memory.reserved();
  return range.end != 0 && begin >= range.begin && end <= range.end && begin <= end;
}

void CopyEngine::check_bulk_global(const BulkCopy& copy, AccessKind kind, int lane) const {
  if (copy.box == nullptr) {
    if (copy.global % 16 != 0) {
      bulk_fault(
          Fault::Kind::misaligned, lane,
          fmt::format(
              "Misaligned: \x01 gives the copy engine global address {:#x}, which is {} bytes "
              "past a multiple of 16",
              copy.global, copy.global % 16),
          "bulk copies begin at a multiple of 16 bytes: choose the tile's size and the row length so "
          "that every tile does");
    }
    if (copy.bytes == 0 || is_live(copy.global, copy.global + copy.bytes)) return;
    const BadAccess bad{kind,        AccessSpace::global,
                        copy.global, copy.bytes,
                        0,           context_.launch.memory.nearest(copy.global),
                        true};
    bulk_fault(
        Fault::Kind::out_of_bounds, lane, out_of_bounds_text(bad).what,
        "a bulk copy moves all its bytes: give the last one the size that is left, or pad the array");
  }
  const TensorExtent all = extent(*copy.box);
  if (all.end == 0 || is_live(all.begin, all.end)) return;
  // The rows may be in several allocations; check each.
  for_each_row(*copy.box, [&](const TensorRow& row) {
    if (row.inside == 0 || is_live(row.global, row.global + row.inside)) return;
    const BadAccess bad{kind,       AccessSpace::global,
                        row.global, row.inside,
                        0,          context_.launch.memory.nearest(row.global),
                        true};
    bulk_fault(
        Fault::Kind::out_of_bounds, lane, out_of_bounds_text(bad).what,
        "the tensor map describes more than the array contains: compare its address, globalDim "
        "and globalStrides with the allocation (only what is outside globalDim is filled or "
        "skipped)");
  });
}

// The instruction and the map must agree.
void CopyEngine::check_bulk_box(const BulkOp& op, const TensorLayout& layout, int lane) const {
  if (op.rank != layout.rank) {
    bulk_fault(Fault::Kind::invalid_launch, lane,
               fmt::format("Tensor map: \x01 copies {} dimensions with a tensor map of rank {}",
                           op.rank, layout.rank),
               "use the instruction with as many coordinates as the map was encoded with");
  }
  if (op.is_im2col != (layout.mode == TensorMode::im2col)) {
    bulk_fault(Fault::Kind::invalid_launch, lane,
               fmt::format("Tensor map: \x01 copies in {} mode with a map made by {}",
                           op.is_im2col ? "im2col" : "tile",
                           op.is_im2col ? "cuTensorMapEncodeTiled" : "cuTensorMapEncodeIm2col"),
               "use the instruction's form that fits the map");
  }
  if (layout.interleave != TensorInterleave::none) {
    bulk_fault(Fault::Kind::unknown_instruction, lane,
               "Tensor map: \x01 copies an interleaved tensor, which the virtual GPU cannot do",
               "encode the tensor with CU_TENSOR_MAP_INTERLEAVE_NONE, or run this kernel on a GPU");
  }
}

// An H200 returns cudaErrorIllegalInstruction for a tile whose first coordinate is not a multiple of
// 16 bytes, whatever the type, the box and the swizzle (observed with loads of u8, f16 and f32), an
// H100 for such a channel of an im2col copy, and for a first pixel outside the box of pixels
// (observed, in each direction). The manual says neither.
void CopyEngine::check_bulk_start(const TensorBox& box, int lane) const {
  const TensorLayout& t = box.layout;
  const int64_t bytes = int64_t{box.start[0]} * element_bytes(t.element);
  if (bytes % 16 != 0) {
    bulk_fault(
        Fault::Kind::misaligned, lane,
        fmt::format(
            "Misaligned: \x01 copies a tile whose first coordinate is {}, which is {} bytes from the row's "
            "beginning; a tile begins at a multiple of 16 bytes",
            box.start[0], bytes),
        fmt::format(
            "let the first coordinate be a multiple of {} elements: begin the tile earlier, make it wider, "
            "and skip what is too much in shared memory",
            16 / element_bytes(t.element)));
  }
  if (t.mode != TensorMode::im2col) return;
  for (uint32_t i = 1; i + 1 < t.rank; ++i) {
    const int64_t first = t.lower[i - 1], last = static_cast<int64_t>(t.dims[i]) - 1 + t.upper[i - 1];
    if (box.start[i] >= first && box.start[i] <= last) continue;
    bulk_fault(Fault::Kind::invalid_launch, lane,
               fmt::format("Tensor map: \x01 begins at coordinate {} of dimension {}, which is outside the box of "
                           "pixels, {} to {}: an im2col copy begins at a place of the filter's first point",
                           box.start[i], i, first, last),
               "compare the start with pixelBoxLowerCorner and with the dimension less 1 plus "
               "pixelBoxUpperCorner; the point of the filter belongs into the offsets");
  }
}

}  // namespace ridge::machine
