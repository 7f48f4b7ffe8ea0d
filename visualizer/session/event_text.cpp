#include "visualizer/session/event_text.h"

#include <fmt/format.h>

#include "visualizer/session/access_text.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

// "the mbarrier full[2], phase 3", "group 4 of the warp's cp.async"; empty: not known.
std::string place_text(const trace::AccessTrace& trace, const trace::TraceRecord& record) {
  using enum trace::PlaceKind;
  const trace::RecordPlace& place = record.place;
  const std::string phase = place.phase ? fmt::format(", phase {}", place.phase) : "";
  const std::string group = place.phase ? fmt::format("group {}", place.phase) : "the group";
  switch (place.kind) {
    case none:
      return {};
    case block_barrier:
      return fmt::format("barrier {} of the block{}", place.id, phase);
    case mbarrier: {
      const std::string of =
          record.owner ? fmt::format(" of block {}", block_name(trace.launch, *record.owner)) : "";
      return fmt::format("the mbarrier {}{}{}", element_name(trace, trace::RecordSpace::shared, place.id), of,
                         phase);
    }
    case copy_group:
      return fmt::format("{} of the warp's asynchronous copies (cp.async)", group);
    case bulk_group:
      return fmt::format("{} of the warp's bulk copies", group);
    case matrix_group:
      return fmt::format("{} of the warp's wgmma", group);
    case cluster_barrier:
      return fmt::format("the cluster's barrier{}", phase);
  }
  return {};
}

}  // namespace

std::string event_text(const trace::AccessTrace& trace, const trace::TraceRecord& record) {
  using enum trace::RecordKind;
  const std::string place = place_text(trace, record);
  switch (record.kind) {
    case divergence:
      return fmt::format(
          "{} lanes took the branch (solid), {} went on (hatched); each way runs by itself, one after the "
          "other",
          warp_model::active_lanes(record.mask), warp_model::active_lanes(record.other_mask));
    case barrier:
      return "a warp that is here waits until all warps of the block are";
    case issue:
      return place.empty() ? "the warp goes on at once; the work runs beside it"
                           : fmt::format("the warp goes on at once; {} tells when it is done", place);
    case init:
      return place.empty() ? "" : fmt::format("{}: from here on it counts arrivals and bytes", place);
    case arrive:
      return place.empty() ? "" : fmt::format("at {}: who waits there goes on when all have arrived", place);
    case commit:
      return place.empty() ? "what was begun since the last one is waited for as one"
                           : fmt::format("{}: what was begun since the last one", place);
    case wait:
      return place.empty() ? "until it is done" : fmt::format("for {}", place);
    case waited:
      return place.empty() ? "" : fmt::format("{} is complete, and what it stands for is there", place);
    default:
      return {};
  }
}

}  // namespace ridge::view
