#include "visualizer/session/text/event_text.h"

#include <fmt/format.h>

#include "visualizer/session/text/access_text.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

// "the mbarrier full[2], phase 3", "group 4 of the warp's cp.async"; empty: unknown.
std::string place_text(const trace::AccessTrace& trace, const trace::TraceRecord& record) {
  using enum trace::PlaceKind;
  const trace::RecordPlace& place = record.place;
  const std::string phase = place.phase ? fmt::format(", phase {}", place.phase) : "";
  const std::string group = place.phase ? fmt::format("group {}", place.phase) : "the group";
  switch (place.kind) {
    case none:
    case asked_by:
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

// "blocks (0, 0) and (1, 0)"; empty: only the issuing block.
std::string receivers_text(const trace::AccessTrace& trace, const trace::TraceRecord& record) {
  std::string text;
  for (size_t i = 0; i < record.receivers.size(); ++i)
    text += fmt::format("{}{}",
                        i == 0                             ? ""
                        : i + 1 == record.receivers.size() ? " and "
                                                           : ", ",
                        block_name(trace.launch, record.receivers[i]));
  if (text.empty()) return {};
  return fmt::format("the bytes go to block{} {}", record.receivers.size() == 1 ? "" : "s", text);
}

// From the instruction's text: what it orders, and for whom.
std::string fence_text(const trace::AccessTrace& trace, const trace::TraceRecord& record) {
  const std::string_view words = record.instruction < trace.launch.instructions.size()
                                     ? std::string_view(trace.launch.instructions[record.instruction].text)
                                     : std::string_view();
  const auto has = [&](std::string_view part) { return words.find(part) != words.npos; };
  if (has("wgmma.fence"))
    return "the tensor cores see the registers and the shared memory as they are now: an MMA may start";
  if (has("proxy.async"))
    return "what the lanes wrote before is there for copy engines and tensor cores, which do not look at "
           "memory the way threads do";
  if (has("proxy.tensormap")) return "the copy engine sees a tensor map that was changed";
  if (has("mbarrier_init")) return "the cluster sees mbarriers that were made before, and can arrive at them";
  const char* reach = has(".cta")                    ? "the block's threads"
                      : has(".cluster")              ? "the cluster's threads"
                      : has(".gl") || has(".gpu")    ? "all threads of the device"
                      : has(".sys") || words.empty() ? "all threads, those of the host too"
                                                     : "other threads";
  return fmt::format("to {}, what these lanes wrote before the fence is visible before what they write after it; no lane waits",
                     reach);
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
    case fence:
      return fence_text(trace, record);
    case issue: {
      if (const std::string receivers = receivers_text(trace, record); !receivers.empty())
        return fmt::format("the warp continues at once; {}, and {} of each signals when they have arrived",
                           receivers, place.empty() ? "an mbarrier" : place);
      return place.empty() ? "the warp continues at once; the work runs asynchronously"
                           : fmt::format("the warp continues at once; {} signals when it is done", place);
    }
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
