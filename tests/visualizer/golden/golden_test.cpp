// Every view in both themes against a committed picture. To make the pictures again:
//   RIDGE_REMAKE_GOLDEN=1 build/release/bin/golden_test
// Look at them before the commit.
// Pictures are compared with a tolerance: another Mesa, or another version of a font, moves the edges of
// letters.
#include <fmt/format.h>
#include <stb_image.h>

#include <cstdlib>
#include <filesystem>

#include "tests/catch.h"
#include "tests/visualizer/golden/scene.h"
#include "visualizer/export/png.h"
#include "visualizer/shell/headless.h"
#include "visualizer/shell/painter.h"
#include "visualizer/views/view.h"

namespace ridge::view {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 800, kHeight = 500;
// A pixel differs when a colour is further off than this; a picture when more than this part of its pixels
// do.
constexpr int kFarOff = 48;
constexpr double kMostDiffering = 0.01;

fs::path file_of(std::string_view name, bool dark) {
  return fs::path(RIDGE_SOURCE_DIR) / "tests/visualizer/golden" /
         fmt::format("{}-{}.png", name, dark ? "dark" : "light");
}

std::vector<Color> read_png(const fs::path& file) {
  int width = 0, height = 0, channels = 0;
  uint8_t* bytes = stbi_load(file.c_str(), &width, &height, &channels, 3);
  if (!bytes || width != kWidth || height != kHeight) return {};
  std::vector<Color> pixels(static_cast<size_t>(kWidth) * kHeight);
  for (size_t at = 0; at < pixels.size(); ++at)
    pixels[at] = {bytes[3 * at], bytes[3 * at + 1], bytes[3 * at + 2], 255};
  stbi_image_free(bytes);
  return pixels;
}

double part_that_differs(const std::vector<Color>& a, const std::vector<Color>& b) {
  if (a.size() != b.size()) return 1;
  const auto far_off = [](uint8_t x, uint8_t y) { return std::abs(int{x} - int{y}) > kFarOff; };
  size_t differing = 0;
  for (size_t at = 0; at < a.size(); ++at)
    differing += far_off(a[at].r, b[at].r) || far_off(a[at].g, b[at].g) || far_off(a[at].b, b[at].b);
  return static_cast<double>(differing) / static_cast<double>(a.size());
}

// The views, and the pyramid of a trace of several devices.
std::vector<std::string> pictures() {
  std::vector<std::string> names = trace::view_ids();
  names.emplace_back("pyramid-peers");
  return names;
}

std::vector<Color> picture_of(Painter& painter, std::string_view name, bool dark) {
  App app(dark, 1);
  set_golden_scene(app.session());
  if (name == "links" || name == "pyramid-peers") set_golden_devices(app.session());
  const std::string_view view = name.substr(0, name.find('-'));
  app.show_view(view);
  if (view == "banks") app.session().playback().go_to(1);  // a store to shared memory
  painter.paint(app, kWidth, kHeight, 0);
  app.session().playback().rest();
  painter.paint(app, kWidth, kHeight, 0);
  CHECK(app.session().message.empty());
  return painter.pixels(kWidth, kHeight);
}

}  // namespace

TEST_CASE("every view equals its golden picture in both themes") {
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 0);
  std::unique_ptr<Headless> headless;
  try {
    headless = std::make_unique<Headless>(kWidth, kHeight);
  } catch (const std::exception& error) {
    WARN("skipped: no OpenGL through EGL here: " << error.what());
    return;
  }
  Painter painter;
  if (App app; true) {
    painter.paint(app, kWidth, kHeight, 0);
    if (!painter.fonts().missing().empty()) {
      WARN("skipped: " << painter.fonts().missing());
      return;
    }
  }
  const bool remake = std::getenv("RIDGE_REMAKE_GOLDEN") != nullptr;
  std::vector<Color> last;
  for (const std::string& name : pictures())
    for (const bool dark : {true, false}) {
      const auto pixels = picture_of(painter, name, dark);
      const fs::path file = file_of(name, dark);
      INFO(file.string());
      if (!last.empty()) CHECK(part_that_differs(pixels, last) > kMostDiffering);  // the comparison can fail
      last = pixels;
      if (remake) {
        write_png(file, kWidth, kHeight, pixels);
        continue;
      }
      const double differs = part_that_differs(pixels, read_png(file));
      if (differs > kMostDiffering) {
        const fs::path now = fs::temp_directory_path() / fmt::format("golden-{}", file.filename().string());
        write_png(now, kWidth, kHeight, pixels);
        INFO("as it is now: " << now.string() << "; if it is meant, RIDGE_REMAKE_GOLDEN=1 golden_test");
        CHECK(differs <= kMostDiffering);
      }
    }
}

}  // namespace ridge::view
