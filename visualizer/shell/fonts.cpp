#include "visualizer/shell/fonts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>

namespace ridge::view {
namespace {

// The first font that exists. RIDGE_FONTS names another folder to search, for tests without fonts.
std::string first_of(std::initializer_list<const char*> names) {
  static constexpr const char* kFolders[] = {
      "/usr/share/fonts/opentype/inter", "/usr/share/fonts/truetype/jetbrains-mono",
      "/usr/share/fonts/truetype/inter", "/usr/share/fonts/truetype/dejavu",
      "/usr/share/fonts/inter",          "/usr/share/fonts/TTF"};
  const char* instead = std::getenv("RIDGE_FONTS");
  std::error_code ignored;
  for (const char* name : names) {
    if (instead) {
      const auto file = std::filesystem::path(instead) / name;
      if (std::filesystem::exists(file, ignored)) return file.string();
      continue;
    }
    for (const char* folder : kFolders) {
      const auto file = std::filesystem::path(folder) / name;
      if (std::filesystem::exists(file, ignored)) return file.string();
    }
  }
  return {};
}

struct Wanted {
  Face face;
  float size;
};
constexpr Wanted kWanted[] = {{Face::text, 11}, {Face::text, 13}, {Face::bold, 12},
                              {Face::bold, 16}, {Face::bold, 22}, {Face::mono, 10},
                              {Face::mono, 12}, {Face::mono, 8},  {Face::mono, 11}};

}  // namespace

void Fonts::load(float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  missing_.clear();
  const std::string text = first_of({"Inter-Regular.otf", "Inter-Regular.ttf", "DejaVuSans.ttf"});
  const std::string bold = first_of({"Inter-SemiBold.otf", "Inter-SemiBold.ttf", "DejaVuSans-Bold.ttf"});
  const std::string mono = first_of({"JetBrainsMono-Regular.ttf", "DejaVuSansMono.ttf"});
  if (text.empty() || bold.empty() || mono.empty())
    missing_ =
        "Fonts are missing, so letters are coarse. Install them: sudo apt-get install fonts-inter "
        "fonts-jetbrains-mono";
  static const ImWchar kLetters[] = {0x20,   0x17f,  0x370,  0x3ff,  0x2010, 0x2027,
                                     0x2190, 0x2193, 0x2248, 0x2265, 0};
  ImFontConfig config;
  config.OversampleH = 2;
  config.OversampleV = 1;
  for (size_t i = 0; i < loaded_.size(); ++i) {
    const auto& [face, size] = kWanted[i];
    const std::string& file = face == Face::text ? text : face == Face::bold ? bold : mono;
    ImFont* font = nullptr;
    if (!file.empty())
      font =
          atlas.AddFontFromFileTTF(file.c_str(), std::round(size * scale * kHeightOfEm), &config, kLetters);
    if (!font) {
      ImFontConfig plain;
      plain.SizePixels = std::round(size * scale * kHeightOfEm);
      font = atlas.AddFontDefault(&plain);
    }
    loaded_[i] = {face, size * scale, font};
  }
  atlas.Build();
}

ImFont* Fonts::find(const TextStyle& style) const {
  const Loaded* best = nullptr;
  for (const Loaded& one : loaded_)
    if (one.face == style.face &&
        (!best || std::abs(one.size - style.size) < std::abs(best->size - style.size)))
      best = &one;
  return best->font;
}

}  // namespace ridge::view
