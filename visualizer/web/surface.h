// One canvas of a page: a trace with its views, or a calculator. The page draws it, passes keys and
// the pointer on, and reads its state.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "visualizer/app/keys.h"
#include "visualizer/draw/theme.h"

namespace ridge::view {

enum class PointerKind : uint8_t { move, down, up, leave, wheel };

class Surface {
 public:
  virtual ~Surface() = default;

  // True: something moves, so another picture is due. `seconds` since the last one.
  virtual bool draw(Canvas& canvas, Rect area, double seconds) = 0;
  virtual void set_theme(bool dark, float scale) { theme_ = make_theme(dark, scale); }
  // True: the key had a meaning.
  virtual bool press(const KeyPress&) { return false; }
  // `wheel` > 0: away from the person.
  virtual void pointer(PointerKind, Point, float /*wheel*/, bool /*shift*/) {}
  // A named setting, of those that state() lists. False: there is none of that name, or it has not
  // this value.
  virtual bool set(std::string_view name, double value) = 0;
  // The bytes of a trace file. False: it cannot be opened, or this surface opens none; state() has
  // the message.
  virtual bool open(std::span<const uint8_t>, std::string_view /*name*/) { return false; }
  // What the page shows beside the canvas, as JSON: "description" says in words what the picture
  // shows, "settings" is an object of the names that set() takes and their values, "results" a list
  // of {"name", "value"} as text.
  virtual nlohmann::json state() const = 0;

 protected:
  Theme theme_ = make_theme(true);
};

// "view" (one view of a trace), "window" (a trace with all panels), "sectors", "banks", "occupancy", "roofline".
// nullptr: there is no other kind.
std::unique_ptr<Surface> make_surface(std::string_view kind);

// Each in the file of its name.
std::unique_ptr<Surface> make_trace_surface(bool whole_window);
std::unique_ptr<Surface> make_sector_calculator();
std::unique_ptr<Surface> make_bank_calculator();
std::unique_ptr<Surface> make_occupancy_calculator();
std::unique_ptr<Surface> make_roofline_calculator();

}  // namespace ridge::view
