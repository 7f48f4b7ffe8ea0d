// The program as a learner starts it.
#include <fstream>
#include <iterator>

#include "harness/build/process.h"
#include "tests/catch.h"
#include "tests/scratch_folder.h"
#include "tests/text_of.h"
#include "tests/visualizer/hand_made.h"

namespace ridge::view {
namespace {

namespace fs = std::filesystem;

using tests::ScratchFolder;
using tests::text_of;

void write_trace(const fs::path& file, const std::string& kernel) {
  const auto made = hand_made({{}, {.stride = 128, .instruction = 2}});
  trace::TraceLaunch launch = made->trace().launch;
  launch.kernel = kernel + "(float*)";
  trace::AccessTraceWriter writer(file, launch);
  writer.add_block(made->trace().blocks[0]);
  writer.finish(made->trace().arrays);
}

build::Finished view(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), RIDGE_VIEW);
  return build::run(arguments, {{"LIBGL_ALWAYS_SOFTWARE", "1"}});
}

}  // namespace

TEST_CASE("ridge-view says what is wrong with a trace, and its exit status is 1") {
  const ScratchFolder folder;
  write_trace(folder.path / "good.rtrace", "copy");
  const std::string good = text_of(folder.path / "good.rtrace");
  std::string newer = good, damaged = good;
  newer[8] = 99;
  damaged[good.size() / 2] = static_cast<char>(damaged[good.size() / 2] ^ 1);
  struct Case {
    const char* name;
    std::string bytes, says;
  };
  const Case cases[] = {
      {"empty", "", "trace"},
      {"text", "this is no trace at all, only words", "trace"},
      {"cut", good.substr(0, good.size() / 2), "cut off"},
      {"damaged", damaged, "damaged"},
      {"newer", newer, "newer Ridgepoint"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const fs::path file = folder.path / (std::string(c.name) + ".rtrace");
    folder.write(file.filename(), c.bytes);
    const auto finished = view({"--picture", (folder.path / "x.png").string(), file.string()});
    INFO(finished.output);
    CHECK(finished.status == 1);
    CHECK(finished.output.find(c.says) != std::string::npos);
    CHECK(finished.output.find(file.string()) != std::string::npos);
  }
  const std::string file = (folder.path / "good.rtrace").string(), picture = (folder.path / "x.png").string();
  const std::pair<std::vector<std::string>, const char*> others[] = {
      {{"--picture", picture, folder.path.string()}, "this is a folder"},
      {{"--picture", picture, file, "--block", "7"}, "Block 7 is not in this trace; it has the blocks 0."},
      {{"--picture", picture, file, (folder.path / "cut.rtrace").string()}, "cut off"},
  };
  for (const auto& [arguments, says] : others) {
    const auto finished = view(arguments);
    INFO(finished.output);
    CHECK(finished.status == 1);
    CHECK(finished.output.find(says) != std::string::npos);
    CHECK_FALSE(fs::exists(picture));  // of something else than was asked for it would be of no use
  }
  const auto missing = view({"--picture", "x.png", (folder.path / "none.rtrace").string()});
  CHECK(missing.status == 1);
  // Without a display, too: what is wrong with the file comes before what is wrong with the machine.
  const auto no_display = build::run({RIDGE_VIEW, (folder.path / "none.rtrace").string()},
                                     {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}});
  CHECK(no_display.status == 1);
  CHECK(no_display.output.find("there is no such trace") != std::string::npos);
  CHECK(no_display.output.find("No window") == std::string::npos);
}

TEST_CASE("ridge-view says what is wrong with how it was called, and its exit status is 2") {
  struct Case {
    std::vector<std::string> arguments;
    const char* says;
  };
  const Case cases[] = {
      {{"--size", "huge"}, "write it as 1600x1000"},
      {{"--mouse", "here"}, "write it as 400,300"},
      {{"--theme", "pink"}, "--theme"},
      {{"--view", "bank"}, "banks"},
      {{"--picture", "x.jpg"}, "name it .png or .svg"},
      {{"a.rtrace", "b.rtrace", "c.rtrace"}, "c.rtrace"},
      {{"--keys", "nokey", "--picture", "x.png"}, "nokey"},
  };
  for (const Case& c : cases) {
    const auto finished = view(c.arguments);
    INFO(c.arguments.front() << ": " << finished.output);
    CHECK(finished.status == 2);
    CHECK(finished.output.find(c.says) != std::string::npos);
  }
  CHECK(view({"--help"}).status == 0);
  // What Ctrl+L copies is understood: what is wrong is that there is no such file.
  CHECK(view({"--view", "compare/accesses", "--block", "0", "--at", "1", "--picture", "x.png", "none.rtrace"})
            .status == 1);
}

TEST_CASE("a picture without a window holds the waste's colour, and the same picture comes twice") {
  const ScratchFolder folder;
  const std::string trace = (folder.path / "copy.rtrace").string();
  write_trace(trace, "copy");
  const auto png = [&](const char* name, const char* at) {
    return view({"--picture", (folder.path / name).string(), "--size", "640x480", "--at", at, trace});
  };
  const auto first = png("a.png", "1");
  if (first.status == 3) {
    WARN("skipped: no OpenGL through EGL here: " << first.output);
    return;
  }
  INFO(first.output);
  REQUIRE(first.status == 0);
  REQUIRE(png("b.png", "1").status == 0);
  REQUIRE(png("other.png", "0").status == 0);
  const std::string picture = text_of(folder.path / "a.png");
  CHECK(picture.substr(1, 3) == "PNG");
  CHECK(picture == text_of(folder.path / "b.png"));
  CHECK(picture != text_of(folder.path / "other.png"));
  REQUIRE(view({"--picture", (folder.path / "a.svg").string(), "--at", "1", trace}).status == 0);
  const std::string svg = text_of(folder.path / "a.svg");
  CHECK(svg.find("32 sectors, 4 would do") != std::string::npos);
  CHECK(svg.find("#d55e00") != std::string::npos);
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("a picture of a trace shows no message about the clone around it") {
  const ScratchFolder clone;
  clone.write("CMakeLists.txt", "");
  clone.write("labs/01-kernel-basics/lab.toml", "title = 7\n");
  const std::string trace = (clone.path / "copy.rtrace").string();
  write_trace(trace, "copy");
  const auto finished = view({"--picture", (clone.path / "a.svg").string(), trace});
  if (finished.status == 3) {
    WARN("skipped: no OpenGL through EGL here: " << finished.output);
    return;
  }
  REQUIRE(finished.status == 0);
  CHECK_THAT(finished.output, Catch::Contains("lab.toml"));
  const std::string svg = text_of(clone.path / "a.svg");
  CHECK(svg.find("lab.toml") == std::string::npos);
  CHECK(svg.find("sectors") != std::string::npos);
}

TEST_CASE("a real window opens, reloads a trace that is written again, saves an SVG and closes") {
  for (const char* tool : {"Xvfb", "xdotool"})
    if (build::run({"sh", "-c", std::string("command -v ") + tool}).status != 0) {
      WARN("skipped: " << tool << " is missing; apt-get install xvfb xdotool (./ridge test does it)");
      return;
    }
  const ScratchFolder folder;
  write_trace(folder.path / "first.rtrace", "first");
  write_trace(folder.path / "second.rtrace", "second");
  const std::string whole = text_of(folder.path / "first.rtrace");
  folder.write("cut.rtrace", whole.substr(0, whole.size() / 2));
  const auto finished = build::run(
      {"bash", RIDGE_SOURCE_DIR "/tests/visualizer/shell/window.sh", RIDGE_VIEW, folder.path.string()},
      {{"LIBGL_ALWAYS_SOFTWARE", "1"}}, build::Keep::all, {.seconds = 900});
  INFO(finished.output);
  CHECK(finished.status == 0);
}

}  // namespace ridge::view
