#include "visualizer/views/links/link_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"
#include "visualizer/draw/plot.h"
#include "visualizer/session/text/access_text.h"

namespace ridge::view {
namespace {

using text::with_thousands;

constexpr double kTolerance = 1.06;  // signals are a few bytes more than the ideal

double times(uint64_t bytes, uint64_t ideal) {
  return static_cast<double>(bytes) / static_cast<double>(ideal);
}

std::string kind_text(const trace::LinkCounts& one, uint32_t source, uint32_t destination) {
  if (one.kind == "copy")
    return fmt::format("{} bytes in {} call{} of the runtime", with_thousands(one.bytes),
                       with_thousands(one.requests), one.requests == 1 ? "" : "s");
  const std::string who = one.kind == "load"    ? fmt::format("loaded by device {}", destination)
                          : one.kind == "store" ? fmt::format("stored by device {}", source)
                                                : fmt::format("by atomics of device {}", source);
  std::string words = fmt::format("{} bytes {} in {} request{}", with_thousands(one.bytes), who,
                                  with_thousands(one.requests), one.requests == 1 ? "" : "s");
  if (one.strong_requests > 0)
    words += fmt::format(
        ", {} of them volatile, relaxed, acquiring or releasing: signals",
        one.strong_requests == one.requests ? "all" : with_thousands(one.strong_requests));
  return words;
}

}  // namespace

std::string why_no_links(const LoadedTrace& loaded) {
  const trace::DeviceLinks& links = loaded.trace().links;
  if (!links.known())
    return "This trace is of one device, so nothing crossed a link. Record several: `ridge view 11/3`, or `ridge exec "
           "--devices 4 --trace FILE -- PROGRAM`. A trace of an older Ridgepoint does not say: record it again.";
  if (links.steps.empty())
    return fmt::format(
        "{} devices, and nothing crossed the links between them: no kernel touched the memory of another device, and no "
        "copy was made between two. Kernels need cudaDeviceEnablePeerAccess first.",
        links.devices);
  return {};
}

bool moves_too_much(const LinkTraffic& traffic) {
  return traffic.ideal > 0 && times(traffic.most_of_port(), traffic.ideal) > kTolerance;
}

std::string links_headline(const LinkTraffic& traffic, const LinkLaunch* launch, size_t launches) {
  const size_t links = traffic.links.size();
  std::string words =
      fmt::format("{} over {} link{}", with_si(static_cast<double>(traffic.bytes), "B"), links,
                  links == 1 ? "" : "s");
  if (launch)
    return fmt::format("step {} of {}, {}: {}", launch->launch + 1, launches, launch->name, words);
  const uint64_t most = traffic.most_of_port();
  words += fmt::format("; the busiest device {}", with_si(static_cast<double>(most), "B"));
  if (traffic.ideal > 0)
    words +=
        fmt::format(", {} would do ({:.3g}x)", with_si(static_cast<double>(traffic.ideal), "B"),
                    times(most, traffic.ideal));
  return words;
}

std::string link_tooltip(const DirectedLink& link) {
  std::string words = fmt::format("device {} to device {}: {} bytes", link.source, link.destination,
                                  with_thousands(link.bytes));
  for (const trace::LinkCounts& one : link.kinds)
    words += '\n', words += kind_text(one, link.source, link.destination);
  if (link.requests > 0)
    words += fmt::format("\n{} of the requests carry a whole line of 128 bytes",
                         percent_text(times(link.requests_by_sectors[3], link.requests)));
  return words;
}

std::string device_tooltip(const LinkTraffic& traffic, uint32_t device, bool is_recorded) {
  const trace::PortBytes& port = traffic.ports[device];
  std::string words = fmt::format("device {}{}\nsends {} bytes, receives {}", device,
                                  is_recorded ? ", whose launch was recorded" : "",
                                  with_thousands(port.sent), with_thousands(port.received));
  if (traffic.ideal > 0)
    words +=
        fmt::format("\neach device must send {} bytes: {}\nsent {:.3g}x, received {:.3g}x of that",
                    with_thousands(traffic.ideal), traffic.ideal_formula,
                    times(port.sent, traffic.ideal), times(port.received, traffic.ideal));
  else
    words += fmt::format(
        "\nan all-reduce of {} devices must send 2 (N - 1) / N = {:.3g} times the array from each",
        traffic.devices, trace::all_reduce_factor(traffic.devices));
  return words;
}

std::string request_size_tooltip(size_t sectors, uint64_t requests, uint64_t of_all) {
  return fmt::format("{} of {} requests carry {} bytes\n{}", with_thousands(requests),
                     with_thousands(of_all), 32 * sectors,
                     sectors == 4
                         ? "a whole line: a request cannot carry more"
                         : "a request can carry 128 bytes; a signal needs no more than 32");
}

std::string launch_tooltip(const LinkLaunch& launch, size_t number, size_t launches) {
  return fmt::format(
      "step {} of {}, launch {} of each device: {}\n{} bytes\nclick to see this step alone",
      number + 1, launches, launch.launch + 1, launch.name, with_thousands(launch.bytes));
}

}  // namespace ridge::view
