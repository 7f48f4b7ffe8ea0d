// The links between devices: what each direction of each link carried, the bytes of each device
// beside what it must send, and the sizes of requests. During playback a record that accesses
// another device travels along its link.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "visualizer/session/analysis/link_traffic.h"
#include "visualizer/views/links/link_bars.h"
#include "visualizer/views/links/link_graph.h"
#include "visualizer/views/links/link_words.h"

namespace ridge::view {
namespace {

class LinksView : public View {
 public:
  LinksView() : View(trace::ViewKind::links) {}
  std::string_view sentence() const override {
    return "Circles are devices, arrows the direction in which data went, as wide as their bytes, of all launches "
           "together; the thick circle's launch was recorded.";
  }
  std::vector<LegendEntry> legend() const override {
    return {{Role::useful, "bytes that must go"},
            {Role::waste, "more than must; a request of less than a line"},
            {Role::level, "a device, and what it must send"},
            {Role::focus, "selected"}};
  }

  bool press(Session& session, char key) override {
    if (!session.a() || !session.a()->trace().links.known()) return false;
    read(*session.a());
    if (key == kEscape) return chosen_.reset(), true;
    if ((key != 'n' && key != 'b') || launches_.size() < 2) return false;
    const size_t last = launches_.size() - 1;
    if (key == 'n')
      chosen_ = chosen_ ? std::min(*chosen_ + 1, last) : 0;
    else
      chosen_ = chosen_ ? *chosen_ - std::min<size_t>(*chosen_, 1) : last;
    return true;
  }

  void draw(const Frame& f) override {
    const LoadedTrace& trace = *f.session.a();
    if (const std::string why = why_no_links(trace); !why.empty()) return draw_empty(f, why);
    read(trace);
    const LinkLaunch* launch = chosen_ ? &launches_[*chosen_] : nullptr;
    const LinkTraffic traffic = launch ? link_traffic_of(trace, launch->launch) : all_;
    Rect area = f.area;
    if (area.w < f.theme.px(70) || area.h < f.theme.px(50)) return;
    draw_headline(f, area, traffic, launch);
    if (launches_.size() > 1 && area.h > f.theme.px(240)) {
      draw_link_launches(f, area.take_bottom(f.theme.px(56)), launches_, chosen_, [this](size_t k) {
        if (chosen_ == k)
          chosen_.reset();
        else
          chosen_ = k;
      });
      area.take_bottom(f.theme.px(8));
    }
    draw_parts(f, area, traffic);
  }

 private:
  void read(const LoadedTrace& trace) {
    if (seen_ == trace.id()) return;
    seen_ = trace.id();
    all_ = link_traffic_of(trace);
    launches_ = launches_with_links_of(trace);
    chosen_.reset();
  }

  void draw_headline(const Frame& f, Rect& area, const LinkTraffic& traffic,
                     const LinkLaunch* launch) const {
    const std::string words = links_headline(traffic, launch, launches_.size());
    const Color color = !launch && moves_too_much(traffic) ? f.theme.waste : f.theme.text;
    TextStyle style = f.theme.heading();
    if (f.canvas.text_width(words, style) > area.w) style = f.theme.body();
    for (const std::string& line : f.canvas.wrapped(words, area.w, style)) {
      if (area.h < style.size * 4) break;
      const Rect row = area.take_top(style.size * 1.45f);
      f.canvas.text({row.x, row.centre().y}, line, color, style);
    }
    area.take_top(f.theme.px(2));
  }

  // The graph beside the bars, or above them on a narrow page.
  void draw_parts(const Frame& f, Rect area, const LinkTraffic& traffic) const {
    const bool wide = area.w > f.theme.px(430), roomy = area.h > f.theme.px(190) || wide;
    const float gap = f.theme.px(14);
    if (!roomy || area.w < f.theme.px(150)) return draw_graph(f, area, traffic);
    Rect side = wide ? area.take_right(std::clamp(area.w * 0.42f, f.theme.px(200), f.theme.px(380)))
                     : area.take_bottom(area.h * 0.5f);
    if (wide)
      area.take_right(gap);
    else
      area.take_bottom(gap);
    const uint64_t most = std::max({all_.most_of_port(), all_.ideal, compared_most(f)});
    const float bars = device_bars_height(f.theme, traffic.devices);
    const bool sizes = side.h > f.theme.px(150);
    draw_device_bars(f, side.take_top(sizes ? std::min(bars, side.h * 0.56f) : side.h), traffic,
                     most);
    if (sizes) {
      side.take_top(gap);
      side.h = std::min(side.h, f.theme.px(190));
      draw_request_sizes(f, side, traffic, selected_link(f, traffic));
    }
    draw_graph(f, area, traffic);
  }

  void draw_graph(const Frame& f, Rect area, const LinkTraffic& traffic) const {
    LinkGraph graph{traffic};
    graph.most = all_.most_of_link();
    graph.recorded = f.session.a()->trace().links.recorded_device;
    const Playback& playback = f.session.playback();
    const trace::TraceRecord* record = f.session.record();
    if (record && (playback.playing() || playback.moving()) && !f.session.cost_hidden())
      graph.moving = record_on_link(*f.session.a(), *record);
    const Clip clip(f.canvas, area);
    draw_link_graph(f, area, graph);
  }

  static const DirectedLink* selected_link(const Frame& f, const LinkTraffic& traffic) {
    const auto number = f.session.selected().link;
    return number ? traffic.link(*number / trace::kMostLinkedDevices,
                                 *number % trace::kMostLinkedDevices)
                  : nullptr;
  }

  static uint64_t compared_most(const Frame& f) {
    return f.compared ? link_traffic_of(*f.compared).most_of_port() : 0;
  }

  uint64_t seen_ = 0;  // LoadedTrace::id()
  LinkTraffic all_;
  std::vector<LinkLaunch> launches_;
  std::optional<size_t> chosen_;  // index in launches_
};

}  // namespace

std::unique_ptr<View> make_links_view() {
  return std::make_unique<LinksView>();
}

}  // namespace ridge::view
