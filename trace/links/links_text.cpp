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
  for (const LinkCounts& one : sorted)
    text += fmt::format("\n  {:>4} -> {:<2}  {:<6} {:>13} {:>11}{}", one.source, one.destination,
                        one.kind, text::with_thousands(one.bytes),
                        text::with_thousands(one.requests), sizes_text(one));
  const std::vector<PortBytes> ports = bytes_of_ports(links);
  for (size_t device = 0; device < ports.size(); ++device)
    text += fmt::format("\n  device {} sends {} bytes{} and receives {}", device,
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
