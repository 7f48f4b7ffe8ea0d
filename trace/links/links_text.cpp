#include "trace/links/links_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "text/numbers.h"

namespace ridge::trace {
namespace {

std::string sizes_text(const LinkCounts& one) {
  if (one.kind == "copy" || one.requests == 0) return "      -      -      -      -";
  std::string text;
  for (const uint64_t requests : one.requests_by_sectors)
    text += fmt::format(" {:>5.0f}%",
                        100.0 * static_cast<double>(requests) / static_cast<double>(one.requests));
  return text;
}

std::string times_text(uint64_t bytes, uint64_t ideal) {
  return ideal == 0 ? ""
                    : fmt::format(" ({:.3g} times the least)",
                                  static_cast<double>(bytes) / static_cast<double>(ideal));
}

// Links with the same figures are one row if they are more than these.
constexpr size_t kMostEqualRows = 8;

bool is_like(const LinkCounts& a, const LinkCounts& b) {
  return a.kind == b.kind && a.bytes == b.bytes && a.requests == b.requests &&
         a.requests_by_sectors == b.requests_by_sectors;
}

size_t links_like(const LinkCounts& one, const std::vector<LinkCounts>& all) {
  return static_cast<size_t>(std::count_if(
      all.begin(), all.end(), [&](const LinkCounts& other) { return is_like(one, other); }));
}

const LinkCounts* first_like(const LinkCounts& one, const std::vector<LinkCounts>& all) {
  return &*std::find_if(all.begin(), all.end(),
                        [&](const LinkCounts& other) { return is_like(one, other); });
}

std::string row_text(const std::string& which, const LinkCounts& one) {
  return fmt::format("\n  {:<10}  {:<6} {:>13} {:>11}{}", which, one.kind,
                     text::with_thousands(one.bytes), text::with_thousands(one.requests),
                     sizes_text(one));
}

}  // namespace

std::vector<PortBytes> bytes_of_ports(const std::vector<LinkCounts>& links) {
  std::vector<PortBytes> ports;
  for (const LinkCounts& link : links) {
    ports.resize(std::max<size_t>(ports.size(), std::max(link.source, link.destination) + 1));
    ports[link.source].sent += link.bytes;
    ports[link.destination].received += link.bytes;
  }
  return ports;
}

double all_reduce_factor(size_t devices) {
  const auto n = static_cast<double>(devices);
  return devices == 0 ? 0 : 2 * (n - 1) / n;
}

std::string links_text(const std::vector<LinkCounts>& links, uint64_t ideal_bytes,
                       const std::string& ideal_formula) {
  std::vector<LinkCounts> sorted = links;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(a.source, a.destination, a.kind) < std::tie(b.source, b.destination, b.kind);
  });
  std::string text = fmt::format(
      "traffic between devices:\n  from -> to  {:<6} {:>13} {:>11}   32 B   64 B   96 B  128 B",
      "by", "bytes", "requests");
  for (const LinkCounts& one : sorted) {
    const size_t same = links_like(one, sorted);
    if (same > kMostEqualRows) {
      if (&one == first_like(one, sorted))
        text += row_text(fmt::format("{:>3} links", same), one);
    } else {
      text += row_text(fmt::format("{:>4} -> {}", one.source, one.destination), one);
    }
  }
  const std::vector<PortBytes> ports = bytes_of_ports(links);
  const bool all_equal = std::all_of(ports.begin(), ports.end(), [&](const PortBytes& port) {
    return port.sent == ports[0].sent && port.received == ports[0].received;
  });
  for (size_t device = 0; device < (all_equal ? 1 : ports.size()); ++device)
    text += fmt::format("\n  {} sends {} bytes{} and receives {}",
                        all_equal ? fmt::format("each of {} devices", ports.size())
                                  : fmt::format("device {}", device),
                        text::with_thousands(ports[device].sent),
                        times_text(ports[device].sent, ideal_bytes),
                        text::with_thousands(ports[device].received));
  if (ideal_bytes > 0)
    return text + fmt::format("\n  the least that each must send: {} bytes{}",
                              text::with_thousands(ideal_bytes),
                              ideal_formula.empty() ? "" : ", " + ideal_formula);
  return text +
         fmt::format(
             "\n  for comparison: in an all-reduce of N = {} devices each must send 2 (N - 1) / N = {:.3g} "
             "times the array",
             ports.size(), all_reduce_factor(ports.size()));
}

}  // namespace ridge::trace
