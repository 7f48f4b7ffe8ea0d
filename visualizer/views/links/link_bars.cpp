#include "visualizer/views/links/link_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "visualizer/draw/plot.h"
#include "visualizer/session/text/access_text.h"
#include "visualizer/views/links/link_words.h"

namespace ridge::view {
namespace {

constexpr float kRow = 17;  // of a bar, at scale 1

void draw_title(const Frame& f, Rect& area, const std::string& words) {
  const Rect head = area.take_top(f.theme.px(18));
  f.canvas.text({head.x, head.centre().y}, f.canvas.shortened(words, head.w, f.theme.small()),
                f.theme.dim, f.theme.small());
}

// Solid up to the ideal, hatched beyond; without an ideal all is solid.
void draw_bar(const Frame& f, Rect bar, uint64_t bytes, const LinkTraffic& traffic, uint64_t most) {
  const auto along = [&](uint64_t value) {
    return bar.w * static_cast<float>(static_cast<double>(value) /
                                      static_cast<double>(std::max<uint64_t>(1, most)));
  };
  f.canvas.box(bar, f.theme.grid.faded(0.6f));
  const bool wastes = moves_too_much(traffic) && bytes > traffic.ideal;
  const float all = along(bytes), needed = wastes ? along(traffic.ideal) : all;
  if (wastes && all > needed)
    draw_role(f.canvas, f.theme, {bar.x + needed, bar.y, all - needed, bar.h}, Role::waste);
  if (bytes > 0) f.canvas.box({bar.x, bar.y, std::max(1.0f, needed), bar.h}, f.theme.useful);
  if (traffic.ideal == 0) return;
  const float at = bar.x + along(traffic.ideal);
  f.canvas.line({at, bar.y - f.theme.px(2)}, {at, bar.bottom() + f.theme.px(2)}, f.theme.level,
                f.theme.px(2));
}

}  // namespace

float device_bars_height(const Theme& theme, uint32_t devices) {
  return theme.px(18) + theme.px(kRow) * 2 * static_cast<float>(devices);
}

void draw_device_bars(const Frame& f, Rect area, const LinkTraffic& traffic, uint64_t most) {
  const auto devices = static_cast<float>(traffic.devices);
  if (area.h < f.theme.px(18 + 9) || area.w < f.theme.px(90)) return;
  // Both directions of each device if there is room, otherwise the busier one.
  draw_title(f, area,
             traffic.ideal > 0 ? "each device; the mark is what it must send" : "each device");
  const float least = f.theme.px(11);
  const bool both = area.h >= least * 2 * devices;
  const float rows = both ? 2 * devices : devices,
              pitch = std::min(f.theme.px(kRow), area.h / rows);
  if (pitch < f.theme.px(6)) return;
  const TextStyle style =
      pitch < f.theme.px(13) ? TextStyle{f.theme.px(9), Face::text, Align::left} : f.theme.small();
  TextStyle right = style;
  right.align = Align::right;
  const bool long_names = area.w > f.theme.px(190);
  const float name_width = f.canvas.text_width(long_names ? "00 receives " : "00 in ", style),
              value_width = f.canvas.text_width("000 kB ", style) + f.theme.px(8);
  for (uint32_t device = 0; device < traffic.devices; ++device) {
    const trace::PortBytes& port = traffic.ports[device];
    const std::string text =
        device_tooltip(traffic, device, f.session.a()->trace().links.recorded_device == device);
    for (const bool sends : {true, false}) {
      if (!both && sends != (port.sent >= port.received)) continue;
      Rect row = area.take_top(pitch);
      const Rect whole = row;
      const uint64_t bytes = sends ? port.sent : port.received;
      const Rect name = row.take_left(name_width), value = row.take_right(value_width);
      const char* verb = sends ? (long_names ? "sends" : "out") : (long_names ? "receives" : "in");
      f.canvas.text({name.x, name.centre().y}, fmt::format("{} {}", device, verb), f.theme.dim,
                    style);
      f.canvas.text({value.right(), value.centre().y}, with_si(static_cast<double>(bytes), "B"),
                    f.theme.text, right);
      draw_bar(f, row.inset(0, pitch * 0.18f), bytes, traffic, most);
      f.canvas.region(whole, fmt::format("port/{}/{}", device, sends ? "out" : "in"),
                      [text] { return text; });
    }
  }
}

void draw_request_sizes(const Frame& f, Rect area, const LinkTraffic& traffic,
                        const DirectedLink* link) {
  if (area.h < f.theme.px(64) || area.w < f.theme.px(120)) return;
  const auto& counts = link ? link->requests_by_sectors : traffic.requests_by_sectors;
  const uint64_t requests = link ? link->requests : traffic.requests;
  const std::string of = link ? fmt::format(" from {} to {}", link->source, link->destination) : "";
  draw_title(f, area,
             requests > 0 ? "bytes per request" + of
                          : "no requests" + of + ": copies of the runtime have none");
  if (requests == 0) return;
  const Rect names = area.take_bottom(f.theme.px(16));
  area.take_top(f.theme.px(14));
  const float pitch = area.w / 4;
  for (size_t size = 0; size < counts.size(); ++size) {
    const double part = static_cast<double>(counts[size]) / static_cast<double>(requests);
    const float x = area.x + pitch * static_cast<float>(size),
                height = area.h * static_cast<float>(part);
    const Rect column{x + pitch * 0.14f, area.bottom() - height, pitch * 0.72f, height};
    if (counts[size] > 0) {
      if (size == 3)
        f.canvas.box(column, f.theme.useful);
      else if (height >= f.theme.px(3))
        draw_role(f.canvas, f.theme, column, Role::waste);
      else
        f.canvas.box(
            {column.x, area.bottom() - std::max(1.0f, height), column.w, std::max(1.0f, height)},
            f.theme.waste);
    }
    f.canvas.text({column.centre().x, column.y - f.theme.px(8)}, percent_text(part),
                  counts[size] > 0 ? f.theme.text : f.theme.faint, f.theme.small(Align::centre));
    f.canvas.text({column.centre().x, names.centre().y}, fmt::format("{} B", 32 * (size + 1)),
                  f.theme.dim, f.theme.small(Align::centre));
    f.canvas.region(
        {x, area.y, pitch, area.h + names.h}, fmt::format("requests/{}", 32 * (size + 1)),
        [text = request_size_tooltip(size + 1, counts[size], requests)] { return text; });
  }
  f.canvas.line({area.x, area.bottom()}, {area.right(), area.bottom()}, f.theme.edge, 1);
}

void draw_link_launches(const Frame& f, Rect area, std::span<const LinkLaunch> launches,
                     std::optional<size_t> chosen, std::function<void(size_t)> choose) {
  const std::string keys =
      area.w > f.theme.px(420)
          ? "steps in the order of launches; N and B, or a click, choose one, Esc all"
          : "steps: N and B choose, Esc all";
  draw_title(f, area, keys);
  uint64_t most = 1;
  for (const LinkLaunch& launch : launches)
    most = std::max(most, launch.bytes);
  const float pitch = std::min(area.w / static_cast<float>(launches.size()), f.theme.px(34));
  for (size_t k = 0; k < launches.size(); ++k) {
    const Rect cell{area.x + pitch * static_cast<float>(k), area.y, pitch, area.h};
    const float height = area.h * static_cast<float>(static_cast<double>(launches[k].bytes) /
                                                     static_cast<double>(most));
    const float gap = std::min(f.theme.px(2), pitch * 0.12f);
    f.canvas.box(cell.inset(gap, 0), f.theme.grid.faded(0.6f));
    f.canvas.box({cell.x + gap, cell.bottom() - std::max(1.0f, height), cell.w - 2 * gap,
                  std::max(1.0f, height)},
                 f.theme.useful.faded(!chosen || *chosen == k ? 1 : 0.4f));
    if (chosen && *chosen == k) f.canvas.frame(cell, f.theme.focus, f.theme.px(2.5f));
    f.canvas.region(
        cell, fmt::format("launch/{}", k),
        [text = launch_tooltip(launches[k], k, launches.size())] { return text; },
        [choose, k](const Gesture& g) {
          if (g.kind == GestureKind::press) choose(k);
        });
  }
}

}  // namespace ridge::view
