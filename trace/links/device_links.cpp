// The section of links between devices: its content, and how it is written and read.
#include "trace/links/device_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "trace/byte_stream.h"
#include "trace/trace_sections.h"

namespace ridge::trace {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr std::array<std::string_view, 4> kKinds = {"load", "store", "atomic", "copy"};

void put_link(Bytes& out, const LinkCounts& link) {
  const auto kind = std::find(kKinds.begin(), kKinds.end(), link.kind);
  if (kind == kKinds.end())
    throw std::runtime_error(fmt::format("a link of the unknown kind \"{}\"", link.kind));
  put_varint(out, link.source);
  put_varint(out, link.destination);
  put_varint(out, static_cast<uint64_t>(kind - kKinds.begin()));
  put_varint(out, link.bytes);
  put_varint(out, link.requests);
  put_varint(out, link.strong_requests);
  for (const uint64_t requests : link.requests_by_sectors)
    put_varint(out, requests);
}

LinkCounts get_link(ByteReader& in, uint32_t devices) {
  LinkCounts link;
  link.source =
      static_cast<uint32_t>(ByteReader::at_most(in.varint(), devices - 1, "the source of a link"));
  link.destination = static_cast<uint32_t>(
      ByteReader::at_most(in.varint(), devices - 1, "the destination of a link"));
  if (link.source == link.destination)
    throw std::runtime_error(fmt::format("a link leads from device {} to itself", link.source));
  link.kind =
      kKinds[ByteReader::at_most(in.varint(), kKinds.size() - 1, "the kind of a link's traffic")];
  link.bytes = in.varint();
  link.requests = in.varint();
  link.strong_requests =
      ByteReader::at_most(in.varint(), link.requests, "the number of strong requests");
  uint64_t left = link.requests;
  for (uint64_t& requests : link.requests_by_sectors) {
    requests = ByteReader::at_most(in.varint(), left, "the number of requests of one size");
    left -= requests;
  }
  return link;
}

DeviceLinks unpack(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  DeviceLinks all;
  all.devices = static_cast<uint32_t>(
      ByteReader::at_most(in.varint(), kMostLinkedDevices, "the number of devices"));
  if (all.devices < 2) throw std::runtime_error("it is of fewer than two devices");
  all.recorded_device = static_cast<uint32_t>(
      ByteReader::at_most(in.varint(), all.devices - 1, "the recorded device"));
  all.memory.resize(in.count(2));
  if (!all.memory.empty() && all.memory.size() != all.devices)
    throw std::runtime_error(fmt::format("it has the memory of {} devices, and there are {}",
                                         all.memory.size(), all.devices));
  for (DeviceRange& range : all.memory) {
    range.begin = in.varint();
    range.bytes = ByteReader::at_most(in.varint(), ~range.begin, "the size of a device's memory");
  }
  all.steps.resize(in.count(4));
  for (LinkStep& step : all.steps) {
    step.device = static_cast<uint32_t>(
        ByteReader::at_most(in.varint(), all.devices - 1, "the device of a step"));
    step.launch = static_cast<uint32_t>(
        ByteReader::at_most(in.varint(), kMostLinkLaunches, "the number of a step"));
    step.name = in.text();
    step.links.resize(in.count(10));
    for (LinkCounts& link : step.links)
      link = get_link(in, all.devices);
  }
  if (in.remaining() != 0)
    throw std::runtime_error(fmt::format("{} bytes follow its end", in.remaining()));
  return all;
}

}  // namespace

std::optional<uint32_t> DeviceLinks::device_of(uint64_t address) const {
  for (uint32_t device = 0; device < memory.size(); ++device)
    if (memory[device].contains(address)) return device;
  return std::nullopt;
}

void add_step(std::vector<LinkStep>& steps, uint32_t device, uint32_t launch,
              const std::string& name, const std::vector<LinkCounts>& links) {
  if (links.empty()) return;
  const bool is_late = launch >= kMostLinkLaunches;
  launch = std::min(launch, kMostLinkLaunches);
  const auto key = std::tuple(launch, device);
  auto at = std::lower_bound(steps.begin(), steps.end(), key,
                             [](const LinkStep& step, const auto& wanted) {
                               return std::tuple(step.launch, step.device) < wanted;
                             });
  if (at == steps.end() || std::tuple(at->launch, at->device) != key)
    at = steps.insert(at, {device, launch, is_late ? "later launches" : name, {}});
  add_links(at->links, links);
}

std::vector<LinkCounts> all_links(const DeviceLinks& links) {
  std::vector<LinkCounts> all;
  for (const LinkStep& step : links.steps)
    add_links(all, step.links);
  std::sort(all.begin(), all.end(), [](const LinkCounts& a, const LinkCounts& b) {
    return std::tie(a.source, a.destination, a.kind) < std::tie(b.source, b.destination, b.kind);
  });
  return all;
}

Bytes pack_device_links(const DeviceLinks& all) {
  Bytes out;
  put_varint(out, all.devices);
  put_varint(out, all.recorded_device);
  put_varint(out, all.memory.size());
  for (const DeviceRange& range : all.memory) {
    put_varint(out, range.begin);
    put_varint(out, range.bytes);
  }
  put_varint(out, all.steps.size());
  for (const LinkStep& step : all.steps) {
    put_varint(out, step.device);
    put_varint(out, step.launch);
    put_text(out, step.name);
    put_varint(out, step.links.size());
    for (const LinkCounts& link : step.links)
      put_link(out, link);
  }
  return out;
}

DeviceLinks unpack_device_links(std::span<const uint8_t> bytes) {
  try {
    return unpack(bytes);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format(
        "the links between devices are damaged ({}); record the trace again", error.what()));
  }
}

}  // namespace ridge::trace
