#include "harness/measure/link_counts.h"

#include <algorithm>
#include <map>
#include <vector>

#include "harness/measure/launch_sums.h"

namespace ridge::measure {

namespace links {
namespace {

using trace::LinkCounts;

// A link with less than this part of the busiest one's bytes carries signals only.
constexpr double kLeastShare = 0.05;

bool is_copy(const LinkCounts& link) {
  return link.kind == "copy";
}

// The bytes over the busiest port: each device sends through one and receives through another.
double busiest_port(const std::vector<LinkCounts>& all) {
  std::map<uint32_t, double> sent, received;
  double most = 0;
  for (const LinkCounts& link : all) {
    most = std::max(most, sent[link.source] += of(link.bytes));
    most = std::max(most, received[link.destination] += of(link.bytes));
  }
  return most;
}

double link_traffic(Launches launches, const Work& work) {
  return work.link_bytes > 0 ? busiest_port(links_of(launches, work)) / work.link_bytes : 0;
}

double link_bytes_per_request(Launches launches, const Work& work) {
  double bytes = 0, requests = 0;
  for (const LinkCounts& link : links_of(launches, work)) {
    if (is_copy(link)) continue;
    bytes += of(link.bytes);
    requests += of(link.requests);
  }
  return requests > 0 ? bytes / requests : 0;
}

double link_push_share(Launches launches, const Work& work) {
  double all = 0, pushed = 0;
  for (const LinkCounts& link : links_of(launches, work)) {
    all += of(link.bytes);
    if (link.kind == "store") pushed += of(link.bytes);
  }
  return all > 0 ? pushed / all : 0;
}

double links_per_device(Launches launches, const Work& work) {
  std::map<std::pair<uint32_t, uint32_t>, double> bytes;
  double most = 0;
  for (const LinkCounts& link : links_of(launches, work))
    most = std::max(most, bytes[{link.source, link.destination}] += of(link.bytes));
  const auto used = std::count_if(bytes.begin(), bytes.end(), [&](const auto& link) {
    return link.second >= kLeastShare * most;
  });
  return work.ranks > 0 ? static_cast<double>(used) / work.ranks : 0;
}

double link_strong_share(Launches launches, const Work& work) {
  double all = 0, strong = 0;
  for (const LinkCounts& link : links_of(launches, work)) {
    if (link.kind != "store") continue;
    all += of(link.requests);
    strong += of(link.strong_requests);
  }
  return all > 0 ? strong / all : 0;
}

double link_polls(Launches launches, const Work& work) {
  double polls = 0;
  for (const LinkCounts& link : links_of(launches, work))
    if (link.kind == "load") polls += of(link.strong_requests);
  return polls;
}

constexpr WorkCount kCounts[] = {
    {"link_traffic",
     "bytes that the busiest device sends to others or gets from them, over those that it must; 1 is ideal",
     link_traffic, nullptr, "slow.link_traffic", ""},
    {"link_bytes_per_request",
     "bytes that a line of 128 bytes carries between two devices, on average",
     link_bytes_per_request, nullptr, "", "slow.link_requests"},
    {"link_push_share",
     "part of the bytes between devices that their sender stores; others are loaded by the receiver, or copied",
     link_push_share, nullptr, "slow.pushed", "slow.pulled"},
    {"links_per_device",
     "devices that a device sends data to, on average; links with few bytes (1/20 of the busiest) do not count",
     links_per_device, nullptr, "slow.many_links", "slow.few_links"},
    {"link_strong_share",
     "part of the lines stored to other devices that volatile, relaxed or releasing stores carry",
     link_strong_share, nullptr, "", "slow.separate_flags"},
    {"link_polls",
     "lines that volatile, relaxed or acquiring loads fetch from another device: looks at signals there",
     link_polls, nullptr, "slow.link_polls", ""},
};

}  // namespace
}  // namespace links

std::span<const WorkCount> link_counts() {
  return links::kCounts;
}

std::vector<trace::LinkCounts> links_of(std::span<const trace::LaunchReport> launches, const Work& work) {
  std::vector<trace::LinkCounts> all = work.copied_links;
  for (const trace::LaunchReport& launch : launches)
    trace::add_links(all, launch.links);
  return all;
}

}  // namespace ridge::measure
