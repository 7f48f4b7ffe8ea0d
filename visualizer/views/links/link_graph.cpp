#include "visualizer/views/links/link_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "visualizer/draw/plot.h"
#include "visualizer/views/links/link_words.h"

namespace ridge::view {
namespace {

// From the edge of one node to that of another, beside the arrow of the opposite direction.
struct Arrow {
  Point from, to;
  float width = 1;
  Point direction() const {
    const float x = to.x - from.x, y = to.y - from.y, length = std::max(1e-3f, std::hypot(x, y));
    return {x / length, y / length};
  }
};

class Drawing {
 public:
  Drawing(const Frame& frame, Rect area, const LinkGraph& graph) : f_(frame), graph_(graph) {
    const uint32_t devices = graph.traffic.devices;
    const float room = std::min(area.w, area.h);
    radius_ = std::clamp(room * (devices > 4 ? 0.075f : 0.1f), f_.theme.px(9), f_.theme.px(26));
    Rect inside = area.inset(radius_ + f_.theme.px(3));
    // Where links go both ways, the labels of the outer arrows stand outside.
    const bool both_ways = graph.traffic.links.size() > devices;
    if (both_ways && devices > 2 && area.w > f_.theme.px(240))
      inside = inside.inset(
          std::max(0.0f, f_.canvas.text_width("000 kB", f_.theme.small()) - radius_ * 0.4f), 0);
    const float high = std::min(inside.h, inside.w * 1.2f);  // not drawn out to a high column
    inside = {inside.x, inside.y + std::min((inside.h - high) / 2, f_.theme.px(20)), inside.w, high};
    for (uint32_t device = 0; device < devices; ++device)
      nodes_.push_back(place_of(device, devices, inside));
  }

  void draw() {
    for (uint32_t a = 0; a < nodes_.size() && nodes_.size() <= kMostMeshed; ++a)
      for (uint32_t b = a + 1; b < nodes_.size(); ++b)
        f_.canvas.line(nodes_[a], nodes_[b], f_.theme.grid, f_.theme.px(1));
    std::vector<const DirectedLink*> links;
    for (const DirectedLink& link : graph_.traffic.links)
      links.push_back(&link);
    std::stable_sort(links.begin(), links.end(),
                     [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
    for (size_t k = links.size(); k-- > 0;)  // the widest on top
      draw_arrow(*links[k]);
    if (graph_.moving) draw_moving(*graph_.moving);
    for (uint32_t device = 0; device < nodes_.size(); ++device)
      draw_node(device);
    for (const DirectedLink* link : links)
      draw_label(*link);
  }

 private:
  static constexpr size_t kMostMeshed = 16;

  // Two beside each other, four at the corners of a square; more on a circle from the top.
  static Point place_of(uint32_t device, uint32_t devices, Rect area) {
    const double first = devices == 2 ? 180 : devices == 4 ? -135 : -90;
    const double angle = (first + 360.0 * device / devices) * std::numbers::pi / 180;
    const float stretch = devices == 4 ? std::numbers::sqrt2_v<float> : 1;
    return {area.centre().x + stretch * area.w / 2 * static_cast<float>(std::cos(angle)),
            area.centre().y + stretch * area.h / 2 * static_cast<float>(std::sin(angle))};
  }

  Arrow arrow_of(uint32_t source, uint32_t destination, uint64_t bytes) const {
    const Point a = nodes_[source], b = nodes_[destination];
    Arrow arrow{a, b};
    const Point along = arrow.direction();
    const float beside = std::min(radius_ * 0.55f, f_.theme.px(9));
    const Point off{-along.y * beside, along.x * beside};
    const float reach =
        std::sqrt(std::max(0.0f, radius_ * radius_ - beside * beside)) + f_.theme.px(2);
    arrow.from = {a.x + off.x + along.x * reach, a.y + off.y + along.y * reach};
    arrow.to = {b.x + off.x - along.x * reach, b.y + off.y - along.y * reach};
    const float part = static_cast<float>(static_cast<double>(bytes) /
                                          static_cast<double>(std::max<uint64_t>(1, graph_.most)));
    arrow.width = f_.theme.px(1.5f) + part * std::min(f_.theme.px(7), radius_ * 0.45f);
    return arrow;
  }

  bool is_selected(uint32_t source, uint32_t destination) const {
    return f_.session.selected().link == link_number(source, destination);
  }

  void draw_arrow(const DirectedLink& link) {
    const Arrow arrow = arrow_of(link.source, link.destination, link.bytes);
    const Point along = arrow.direction(), across{-along.y, along.x};
    const bool chosen = is_selected(link.source, link.destination);
    const float head = arrow.width / 2 + f_.theme.px(4), length = head * 1.5f;
    const Point neck{arrow.to.x - along.x * length, arrow.to.y - along.y * length};
    if (chosen) f_.canvas.line(arrow.from, arrow.to, f_.theme.focus, arrow.width + f_.theme.px(5));
    const Color color = f_.theme.useful.faded(chosen ? 1 : 0.85f);
    f_.canvas.line(arrow.from, neck, color, arrow.width);
    const std::array<Point, 3> tip = {arrow.to,
                                      {neck.x + across.x * head, neck.y + across.y * head},
                                      {neck.x - across.x * head, neck.y - across.y * head}};
    f_.canvas.polygon(tip, color);
    // An arrow is a row of squares for the mouse.
    const float side = std::max(arrow.width + f_.theme.px(6), f_.theme.px(12));
    const float whole = std::hypot(arrow.to.x - arrow.from.x, arrow.to.y - arrow.from.y);
    const int squares = std::clamp(static_cast<int>(whole / side) + 1, 1, 24);
    for (int k = 0; k < squares; ++k) {
      const Point at =
          mix(arrow.from, arrow.to, (static_cast<float>(k) + 0.5f) / static_cast<float>(squares));
      add_region({at.x - side / 2, at.y - side / 2, side, side}, link);
    }
  }

  void add_region(Rect area, const DirectedLink& link) {
    Session* session = &f_.session;
    const uint32_t number = link_number(link.source, link.destination);
    f_.canvas.region(
        area, fmt::format("link/{}-{}", link.source, link.destination),
        [text = link_tooltip(link)] { return text; },
        [session, number](const Gesture& g) {
          if (g.kind == GestureKind::hover) session->hot.link = number;
          if (g.kind != GestureKind::press) return;
          Selection pin;
          pin.link = number;
          session->toggle_pin(pin);
        });
  }

  void draw_moving(const RecordOnLink& moving) {
    const DirectedLink* link = graph_.traffic.link(moving.source, moving.destination);
    const Arrow arrow = arrow_of(moving.source, moving.destination, link ? link->bytes : 0);
    const uint32_t pulses = std::clamp(moving.lines, 1u, 8u);
    const float moved = f_.session.playback().moved();
    for (uint32_t k = 0; k < pulses; ++k) {
      const float at = moved - 0.05f * static_cast<float>(k);
      if (at < 0) break;
      const Point centre = mix(arrow.from, arrow.to, at);
      f_.canvas.disc(centre, f_.theme.px(5.5f), f_.theme.panel);
      f_.canvas.disc(centre, f_.theme.px(4), f_.theme.useful);
    }
  }

  void draw_node(uint32_t device) {
    const Point at = nodes_[device];
    const Rect box{at.x - radius_, at.y - radius_, 2 * radius_, 2 * radius_};
    const bool recorded = device == graph_.recorded;
    f_.canvas.disc(at, radius_, f_.theme.panel);
    f_.canvas.disc(at, radius_, f_.theme.level.faded(recorded ? 0.22f : 0.08f));
    f_.canvas.ring(at, radius_, f_.theme.level, f_.theme.px(recorded ? 3 : 1.5f));
    const TextStyle style =
        radius_ > f_.theme.px(15) ? f_.theme.heading(Align::centre) : f_.theme.body(Align::centre);
    f_.canvas.text(at, fmt::format("{}", device), f_.theme.text, style);
    f_.canvas.region(box, fmt::format("device/{}", device),
                     [text = device_tooltip(graph_.traffic, device, recorded)] { return text; });
    taken_.push_back(box);
  }

  // Beside the arrow, on its own side; left out where it would cover another one or an arrow.
  void draw_label(const DirectedLink& link) {
    const Arrow arrow = arrow_of(link.source, link.destination, link.bytes);
    const std::string words = with_si(static_cast<double>(link.bytes), "B");
    const TextStyle style = f_.theme.small(Align::centre);
    const float width = f_.canvas.text_width(words, style) + f_.theme.px(4),
                height = f_.theme.px(14);
    const Point along = arrow.direction();
    // So far that the label touches the arrow's edge and does not cover it.
    const float off = arrow.width / 2 + f_.theme.px(3) + std::abs(along.y) * width / 2 +
                      std::abs(along.x) * height / 2;
    for (const float part : {0.36f, 0.5f, 0.28f, 0.2f, 0.64f}) {
      const Point on = mix(arrow.from, arrow.to, part);
      const Point at{on.x - along.y * off, on.y + along.x * off};
      const Rect box{at.x - width / 2, at.y - height / 2, width, height};
      if (!is_free(box)) continue;
      taken_.push_back(box);
      f_.canvas.text(box.centre(), words,
                     is_selected(link.source, link.destination) ? f_.theme.text : f_.theme.dim,
                     style);
      return add_region(box, link);
    }
  }

  bool is_free(const Rect& box) const {
    const Rect seen = box.clipped(f_.canvas.clip());
    if (seen.w < box.w - 0.5f || seen.h < box.h - 0.5f) return false;
    if (std::any_of(taken_.begin(), taken_.end(),
                    [&](const Rect& other) { return !other.clipped(box).empty(); }))
      return false;
    return std::none_of(
        graph_.traffic.links.begin(), graph_.traffic.links.end(), [&](const DirectedLink& link) {
          return crosses(arrow_of(link.source, link.destination, link.bytes), box);
        });
  }

  static bool crosses(const Arrow& arrow, const Rect& box) {
    const Rect wide = box.inset(-arrow.width / 2);
    const float length = std::hypot(arrow.to.x - arrow.from.x, arrow.to.y - arrow.from.y);
    for (float at = 0; at <= length; at += 3)
      if (wide.contains(mix(arrow.from, arrow.to, at / std::max(1.0f, length)))) return true;
    return false;
  }

  const Frame& f_;
  const LinkGraph& graph_;
  float radius_ = 10;
  std::vector<Point> nodes_;
  std::vector<Rect> taken_;  // by nodes and labels
};

}  // namespace

void draw_link_graph(const Frame& frame, Rect area, const LinkGraph& graph) {
  Drawing(frame, area, graph).draw();
}

}  // namespace ridge::view
