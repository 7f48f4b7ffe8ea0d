#include "visualizer/session/analysis/link_traffic.h"

#include <algorithm>
#include <set>

#include "visualizer/session/text/access_text.h"
#include "warp_model/access.h"

namespace ridge::view {
namespace {

DirectedLink& link_in(LinkTraffic& traffic, uint32_t source, uint32_t destination) {
  for (DirectedLink& link : traffic.links)
    if (link.source == source && link.destination == destination) return link;
  DirectedLink& link = traffic.links.emplace_back();
  link.source = source, link.destination = destination;
  return link;
}

void add(LinkTraffic& traffic, const trace::LinkCounts& counts) {
  DirectedLink& link = link_in(traffic, counts.source, counts.destination);
  trace::add_links(link.kinds, {counts});
  link.bytes += counts.bytes;
  traffic.bytes += counts.bytes;
  if (counts.kind == "copy") {
    traffic.copied_bytes += counts.bytes;
    return;
  }
  link.requests += counts.requests, link.strong_requests += counts.strong_requests;
  traffic.requests += counts.requests;
  for (size_t size = 0; size < counts.requests_by_sectors.size(); ++size) {
    link.requests_by_sectors[size] += counts.requests_by_sectors[size];
    traffic.requests_by_sectors[size] += counts.requests_by_sectors[size];
  }
}

}  // namespace

uint64_t LinkTraffic::most_of_link() const {
  uint64_t most = 0;
  for (const DirectedLink& link : links)
    most = std::max(most, link.bytes);
  return most;
}

uint64_t LinkTraffic::most_of_port() const {
  uint64_t most = 0;
  for (const trace::PortBytes& port : ports)
    most = std::max({most, port.sent, port.received});
  return most;
}

const DirectedLink* LinkTraffic::link(uint32_t source, uint32_t destination) const {
  for (const DirectedLink& link : links)
    if (link.source == source && link.destination == destination) return &link;
  return nullptr;
}

LinkTraffic link_traffic_of(const LoadedTrace& loaded, std::optional<uint32_t> launch) {
  const trace::DeviceLinks& all = loaded.trace().links;
  LinkTraffic traffic;
  traffic.devices = all.devices;
  std::vector<trace::LinkCounts> counts;
  for (const trace::LinkStep& step : all.steps)
    if (!launch || step.launch == *launch) trace::add_links(counts, step.links);
  for (const trace::LinkCounts& one : counts)
    add(traffic, one);
  std::sort(traffic.links.begin(), traffic.links.end(),
            [](const DirectedLink& a, const DirectedLink& b) {
              return std::pair(a.source, a.destination) < std::pair(b.source, b.destination);
            });
  traffic.ports = trace::bytes_of_ports(counts);
  traffic.ports.resize(all.devices);
  if (launch) return traffic;
  traffic.ideal = loaded.trace().notes.ideal_link_bytes;
  traffic.ideal_formula = loaded.trace().notes.ideal_link_formula;
  return traffic;
}

std::vector<LinkLaunch> launches_with_links_of(const LoadedTrace& loaded) {
  std::vector<LinkLaunch> launches;
  std::set<std::string> names;
  for (const trace::LinkStep& step : loaded.trace().links.steps) {
    if (launches.empty() || launches.back().launch != step.launch) {
      launches.push_back({step.launch, "", 0});
      names.clear();
    }
    LinkLaunch& launch = launches.back();
    if (const std::string name = kernel_name(step.name); names.insert(name).second)
      launch.name += (launch.name.empty() ? "" : ", ") + name;
    for (const trace::LinkCounts& link : step.links)
      launch.bytes += link.bytes;
  }
  return launches;
}

std::optional<RecordOnLink> record_on_link(const LoadedTrace& loaded,
                                           const trace::TraceRecord& record) {
  const trace::DeviceLinks& links = loaded.trace().links;
  if (!links.known() || !record.is_access() || record.space != trace::RecordSpace::global)
    return std::nullopt;
  std::optional<uint32_t> peer;
  std::set<uint64_t> lines;
  const auto note = [&](uint64_t begin, uint64_t bytes) {
    const auto device = links.device_of(begin);
    if (!device || *device == links.recorded_device || bytes == 0) return;
    peer = peer.value_or(*device);
    if (*device != *peer) return;
    for (uint64_t line = begin / warp_model::kLineBytes;
         line <= (begin + bytes - 1) / warp_model::kLineBytes; ++line)
      lines.insert(line);
  };
  if (record.shape == trace::RecordShape::runs) {
    for (const trace::RecordRuns& runs : record.runs)
      for (uint32_t run = 0; run < std::min(runs.count, 32u); ++run)
        note(runs.begin_of(run), runs.bytes);
  } else {
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (record.mask >> lane & 1) note(record.addresses[lane], record.bytes);
  }
  if (!peer) return std::nullopt;
  RecordOnLink on{links.recorded_device, *peer, static_cast<uint32_t>(lines.size())};
  if (record.kind == trace::RecordKind::load) std::swap(on.source, on.destination);
  return on;
}

}  // namespace ridge::view
