// ridge-ladders [CLONE [DEVICE]]: writes course/figures/ladder-LAB.svg for every lab in
// course/measured. Without DEVICE each lab is drawn as measured on an H200, or on the device that
// measured most of it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "visualizer/ladders/ladder_figure.h"

int main(int argument_count, char** arguments) {
  namespace fs = std::filesystem;
  const fs::path root = argument_count > 1 ? arguments[1] : ".";
  if (!fs::is_directory(root / "labs") || argument_count > 3) {
    fmt::print(stderr,
               "ridge-ladders: {} holds no labs. Run it in a clone, or: ridge-ladders CLONE [DEVICE]\n"
               "Example:\n  build/release/bin/ridge-ladders . \"NVIDIA H200\"\n",
               root.string());
    return 2;
  }
  try {
    std::vector<std::string> labs;
    for (const auto& entry : fs::directory_iterator(root / "labs"))
      if (fs::exists(entry.path() / "lab.toml")) labs.push_back(entry.path().filename().string());
    std::sort(labs.begin(), labs.end());
    fs::create_directories(root / "course" / "figures");
    for (const std::string& lab : labs) {
      const std::string device = argument_count > 2 ? arguments[2] : ridge::report::measured_device(root, lab);
      const std::string svg = ridge::view::ladder_figure(ridge::report::read_ladder(root, lab, device, {}));
      const fs::path file = root / "course" / "figures" / ("ladder-" + lab + ".svg");
      if (svg.empty()) {
        fmt::print("{}: not measured{} yet\n", lab, device.empty() ? "" : " on the " + device);
        continue;
      }
      std::ofstream stream(file, std::ios::binary);
      stream << svg << std::flush;
      if (!stream) {
        fmt::print(stderr, "ridge-ladders: cannot write {}; make room, or make it writable\n", file.string());
        return 3;
      }
      fmt::print("{}\n", file.string());
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "ridge-ladders: {}\n", error.what());
    return 3;
  }
  return 0;
}
