#include "harness/course/lab.h"
#include "tests/catch.h"
#include "tests/harness/course/scratch_course.h"

using namespace ridge;
using ridge::tests::kLabToml;
using ridge::tests::ScratchCourse;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string load_error(const std::filesystem::path& root) {
  try {
    course::load(root);
  } catch (const course::CourseError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a lab.toml is read in full") {
  const ScratchCourse scratch;
  const course::Course course = course::load(scratch.path);
  REQUIRE(course.labs.size() == 1);
  const course::Lab& lab = course.labs[0];
  CHECK(lab.name == "01-kernel-basics");
  CHECK(lab.number == 1);
  CHECK(lab.title == "Kernel basics");
  REQUIRE(lab.rungs.size() == 2);
  const course::Rung& rung = lab.rungs[0];
  CHECK(rung.path() == "01-kernel-basics/1-vector-add");
  CHECK(rung.problem == "vector_add");
  CHECK(rung.sizes == std::vector<std::vector<int64_t>>{{1000}, {65537}});
  CHECK(rung.virtual_size == std::vector<int64_t>{1048576});
  CHECK(rung.gpu_size == std::vector<int64_t>{67108864});
  CHECK(rung.target.pass == 70);
  CHECK(rung.second.name.empty());
  CHECK(rung.target.gold == 82);
  CHECK(rung.hints == std::vector<std::string>{"first hint", "second hint", "third hint"});
  REQUIRE(rung.gates.size() == 1);
  CHECK(rung.gates[0].count == "sectors_per_request");
  CHECK(rung.gates[0].at_most == 4.5);
  CHECK_FALSE(rung.gates[0].at_least);
  CHECK(rung.skeleton == scratch.path / "labs/01-kernel-basics/1-vector-add.cu");
  CHECK(rung.solution == scratch.path / "solutions/01-kernel-basics/1-vector-add.cu");
  CHECK(lab.rungs[1].target.pass == 70.5);
  CHECK(lab.rungs[1].gates.empty());
}

TEST_CASE("a target has figures of its own for devices on which the general ones do not fit") {
  const auto with = [](const std::string& more) {
    return replaced(kLabToml, "gold = 82 }", ("gold = 82, " + more + " }").c_str());
  };
  const ScratchCourse scratch(with("nvidia-h100 = { pass = 61.5, gold = 66 }"));
  const course::Rung rung = course::load(scratch.path).labs[0].rungs[0];
  CHECK(rung.target.on("NVIDIA H100 80GB HBM3").pass == 61.5);
  CHECK(rung.target.on("NVIDIA H100 80GB HBM3").gold == 66);
  CHECK(rung.target.on("NVIDIA H100 80GB HBM3").device == "NVIDIA H100 80GB HBM3");
  for (const char* other : {"NVIDIA H200", "NVIDIA H100 PCIe", "NVIDIA A100-SXM4-80GB", ""}) {
    INFO(other);  // the general target, and where it was measured
    CHECK(rung.target.on(other).pass == 70);
    CHECK(rung.target.on(other).device == "NVIDIA H200");
  }
  const ScratchCourse on_h100(with("measured_on = \"nvidia-h100\""));
  CHECK(course::load(on_h100.path).labs[0].rungs[0].target.on("NVIDIA H200").device ==
        "NVIDIA H100 80GB HBM3");
  struct Case {
    const char *more, *message;
  };
  for (const Case& c :
       {Case{"nvidia-h10 = { pass = 1, gold = 2 }",
             "unknown key \"nvidia-h10\", expected \"nvidia-h100\""},
        {"h100 = { pass = 1, gold = 2 }", "unknown key \"h100\", expected"},
        {"nvidia-h100 = { pass = 61.5 }", "\"target\" has no \"gold\", expected percent"},
        {"nvidia-h100 = { pass = 61.5, gold = 60 }",
         "gold = 60 is under pass = 61.5, expected pass <= gold"},
        {"nvidia-h100 = { pass = 61.5, gold = 66, best = 70 }",
         "unknown key \"best\", expected one of gold or pass"},
        {"nvidia-h200 = { pass = 61.5, gold = 66 }",
         "\"target\" has the figures of nvidia-h200 twice"},
        {"measured_on = \"nvidia-b300\"",
         "\"measured_on\" is nvidia-b300, expected one of nvidia-h200, nvidia-a100"}}) {
    INFO(c.more);
    const ScratchCourse damaged(with(c.more));
    CHECK_THAT(load_error(damaged.path), Catch::Contains(c.message));
  }
}

TEST_CASE("a rung may have a second baseline") {
  const auto with = [](const char* second) {
    return replaced(kLabToml, "gold = 82 }", std::string("gold = 82 }\nsecond = ") + second);
  };
  const ScratchCourse sound(with("{ baseline = \"unfused_dropout\", at_least = 2.8 }"));
  const course::SecondBaseline second = course::load(sound.path).labs[0].rungs[0].second;
  CHECK(second.name == "unfused_dropout");
  CHECK(second.at_least == 2.8);
  for (const char* damaged : {"{ baseline = \"unfused_dropout\" }", "{ baseline = \"unfused_dropout\", at_least = 0 }"}) {
    const ScratchCourse scratch(with(damaged));
    CHECK_THAT(load_error(scratch.path), Catch::Contains("\"second\" has no \"at_least\" above 0, expected how many"));
  }
}

TEST_CASE("a rung may be for several devices, whose number is the first extent of every size") {
  const auto with = [](const char* devices, const char* sizes = "[[2, 1000], [4, 65537]]") {
    std::string text = replaced(kLabToml, "sizes = [[1000], [65537]]\nvirtual_size = [1048576]\ngpu_size = [67108864]",
                                std::string("sizes = ") + sizes + "\nvirtual_size = [4, 1024]\ngpu_size = [4, 4096]");
    return replaced(text, "\ntarget = { pass = 70, gold", std::string("\ndevices = ") + devices + "\ntarget = { pass = 70, gold");
  };
  const ScratchCourse sound(with("[2, 4]"));
  const course::Rung rung = course::load(sound.path).labs[0].rungs[0];
  CHECK(rung.devices == std::vector<int>{2, 4});
  CHECK(rung.most_devices() == 4);
  CHECK(course::Rung().most_devices() == 1);
  struct Case {
    const char *devices, *sizes, *message;
  };
  const Case cases[] = {
      {"[4, 2]", "[[2, 1]]", "\"devices\" has 2, expected numbers from 2 to 8, ascending"},
      {"[1, 4]", "[[4, 1]]", "\"devices\" has 1, expected numbers from 2"},
      {"[4, 16]", "[[4, 1]]", "\"devices\" has 16, expected"},
      {"[2, 4]", "[[3, 1]]", "\"sizes\" has a size for 3 devices, expected one of 2, 4"},
      {"[2, 3]", "[[2, 1]]", "\"virtual_size\" has a size for 4 devices, expected one of 2, 3"},
  };
  for (const Case& c : cases) {
    INFO(c.devices);
    const ScratchCourse scratch(with(c.devices, c.sizes));
    CHECK_THAT(load_error(scratch.path), Catch::Contains(c.message));
  }
}

TEST_CASE("calls of a rung for several devices may be timed in rows") {
  const auto with = [](const char* devices, const char* calls) {
    const std::string text = replaced(
        kLabToml, "sizes = [[1000], [65537]]\nvirtual_size = [1048576]\ngpu_size = [67108864]",
        "sizes = [[2, 1000]]\nvirtual_size = [4, 1024]\ngpu_size = [4, 4096]");
    return replaced(text, "\ntarget = { pass = 70, gold",
                    std::string("\n") + devices + "calls_in_a_row = " + calls + "\ntarget = { pass = 70, gold");
  };
  constexpr const char* kDevices = "devices = [2, 4]\n";
  CHECK(course::load(ScratchCourse(with(kDevices, "20")).path).labs[0].rungs[0].calls_in_a_row == 20);
  CHECK(course::load(ScratchCourse().path).labs[0].rungs[0].calls_in_a_row == 1);
  struct Case {
    const char *devices, *calls, *what;
  };
  for (const Case& c : {Case{kDevices, "1", "is 1"}, Case{kDevices, "33", "is 33"}, Case{"", "20", "is 20"}}) {
    INFO(c.calls);
    const ScratchCourse scratch(with(c.devices, c.calls));
    CHECK_THAT(load_error(scratch.path),
               Catch::Contains(std::string("\"calls_in_a_row\" ") + c.what + ", expected 2 to 32, in a rung with"));
  }
}

TEST_CASE("a rung may have its own limit for the part of one block") {
  const auto with = [](const char* part) {
    return replaced(kLabToml, "virtual_size = [1048576]",
                    std::string("busiest_block = ") + part + "\nvirtual_size = [1048576]");
  };
  CHECK(course::load(ScratchCourse(with("0.05")).path).labs[0].rungs[0].busiest_block == 0.05);
  CHECK(course::load(ScratchCourse().path).labs[0].rungs[0].busiest_block == 0.3);
  for (const char* part : {"0", "1.5", "-0.1"}) {
    INFO(part);
    const ScratchCourse scratch(with(part));
    CHECK_THAT(load_error(scratch.path), Catch::Contains(std::string("\"busiest_block\" is ") + part + ", expected a part of all instructions"));
  }
}

TEST_CASE("a damaged lab.toml is refused with file, line, what is wrong and what was expected") {
  struct Case {
    const char *from, *to, *message;
  };
  const Case cases[] = {
      {"number = 1", "number = \"1\"", "lab.toml:2: \"number\" is a text, expected a whole number, 0 or above"},
      {"number = 1", "number = 2",
       "lab.toml:2: the lab in folder 01-kernel-basics has the number 2, expected"},
      {"summary = \"Threads and indices.\"", "", "lab.toml:1: \"lab\" has no \"summary\", expected a text"},
      {"problem = \"vector_add\"", "problme = \"vector_add\"",
       "lab.toml:10: [[rung]] has an unknown key \"problme\", expected \"problem\""},
      {"entry = \"vector_add\"", "entry = \"vector_add\"\nhitns = []",
       "lab.toml:12: [[rung]] has an unknown key \"hitns\", expected \"hints\""},
      {"count = ", "cuont = ", "expected \"count\""},
      {"at_most = 4.5", "",
       "lab.toml:19: the gate on \"sectors_per_request\" has no limit, expected \"at_most\""},
      {"at_most = 4.5", "at_most = \"4.5\"", "lab.toml:20: \"at_most\" is a text, expected a number"},
      {"gold = 82", "gold = 60", "lab.toml:16: gold = 60 is under pass = 70, expected pass <= gold"},
      {"pass = 70", "pass = 0", "\"pass\" is 0, expected percent above 0"},
      {", \"third hint\"", "", "lab.toml:17: 1-vector-add has 2 hints, expected exactly three"},
      {"\"third hint\"", "\"\"", "lab.toml:17: item 3 of \"hints\" is empty, expected a text"},
      {"\"third hint\"", "3", "item 3 of \"hints\" is a whole number, expected a text"},
      {"sizes = [[1000], [65537]]", "sizes = [1000]",
       "lab.toml:13: \"sizes\" has a whole number, expected an array"},
      {"sizes = [[1000], [65537]]", "sizes = []", "\"sizes\" is empty, expected an array of sizes"},
      {"[65537]]", "[-1]]", "\"sizes\" has the length -1, expected"},
      {"gpu_size = [67108864]", "gpu_size = [64, 64]",
       "\"gpu_size\" has 2 lengths and \"virtual_size\" has 1, expected"},
      // Without a baseline a rung is not timed, and has nothing that only times need.
      {"baseline = \"device_copy\"\nsizes = [[1000], [65537]]\nvirtual_size = [1048576]\n"
       "gpu_size = [67108864]\ntarget = { pass = 70, gold = 82 }",
       "sizes = [[1000]]\nvirtual_size = [1048576]\n"
       "second = { baseline = \"device_copy\", at_least = 2 }",
       "[[rung]] has an unknown key \"second\""},
      {"baseline = \"device_copy\"\nsizes = [[1000], [65537]]", "sizes = [[1000], [65537]]",
       "[[rung]] has an unknown key"},
      {"1-vector-add", "vector add",
       "lab.toml:7: \"vector add\" is not the name of a rung, expected a number and words"},
      {"2-saxpy", "1-saxpy",
       "lab.toml:24: 1-saxpy names a rung whose file is missing, expected the file labs/"},
      {"2-saxpy", "1-vector-add", "lab.toml:24: two rungs have the number 1, expected a number for each"},
      {"title = \"Kernel basics\"", "title = \"Kernel", "lab.toml:3:"},
      {"title = \"Kernel basics\"", "title = \"\"", "lab.toml:3: \"title\" is empty, expected a text"},
  };
  for (const Case& c : cases) {
    INFO(c.from << " -> " << c.to);
    const ScratchCourse scratch(replaced(kLabToml, c.from, c.to));
    const std::string message = load_error(scratch.path);
    CHECK_THAT(message, Catch::Contains(c.message));
    CHECK_THAT(message, Catch::StartsWith("labs/01-kernel-basics/lab.toml:"));
    CHECK_THAT(message, Catch::Contains(", expected "));
  }
}

TEST_CASE("a rung's scene is read, and refused if it cannot show anything") {
  const auto with = [](const std::string& keys) {
    return replaced(kLabToml, "\n[[rung]]\nname = \"2-saxpy\"",
                    "\n[rung.scene]\n" + keys + "text = \"Look.\"\n\n[[rung]]\nname = \"2-saxpy\"");
  };
  const ScratchCourse sound(
      with("view = \"banks\"\nblock = \"3:2\"\nkind = \"load\"\nwarp = 1\noccurrence = 2\narray = \"a\"\nkernel = \"tree\"\n"));
  const course::Course course = course::load(sound.path);
  const course::Rung& rung = course.labs[0].rungs[0];
  CHECK(rung.scene.view == "banks");
  CHECK(rung.scene.block == "3:2");
  CHECK(rung.scene.kind == "load");
  CHECK(rung.scene.warp == 1);
  CHECK(rung.scene.occurrence == 2);
  CHECK(rung.scene_kernel == "tree");
  CHECK(rung.scene.text == "Look.");
  struct Case {
    const char *keys, *message;
  };
  const Case cases[] = {
      {"view = \"bank\"\n", "\"bank\" is not a view, expected one of warp, banks,"},
      {"", "\"scene\" has no \"view\""},
      {"view = \"warp\"\nblock = \"frist\"\n", "\"frist\" is not a block, expected first, middle, last, edge"},
      {"view = \"warp\"\nline = \"no such line\"\n", "\"no such line\" is nowhere in 1-vector-add.cu"},
      {"view = \"warp\"\nkind = \"read\"\n", "\"read\" is not a kind of record, expected load, store"},
      {"view = \"warp\"\nwarp = 1.5\n", "\"warp\" is 1.5, expected a whole number from 0"},
      {"view = \"warp\"\nwrap = 1\n", "unknown key \"wrap\""},
  };
  for (const Case& c : cases) {
    INFO(c.keys);
    const ScratchCourse scratch(with(c.keys));
    CHECK_THAT(load_error(scratch.path), Catch::Contains(c.message));
  }
}

TEST_CASE("headers are searched in the lab's folder and in labs/include") {
  const ScratchCourse scratch;
  const course::Course without = course::load(scratch.path);
  CHECK(without.labs[0].rungs[0].include_folders() ==
        std::vector<std::filesystem::path>{scratch.path / "labs/01-kernel-basics"});
  scratch.write("labs/include/hopper.cuh", "");
  const course::Course with = course::load(scratch.path);
  REQUIRE(with.labs.size() == 1);  // labs/include is no lab
  CHECK(with.labs[0].rungs[1].include_folders() ==
        std::vector<std::filesystem::path>{scratch.path / "labs/01-kernel-basics",
                                           scratch.path / "labs/include"});
  CHECK(course::Rung().include_folders().empty());
}

TEST_CASE("a rung whose file a student removed still exists; a rung without both files is an "
          "error") {
  const ScratchCourse scratch;
  std::filesystem::remove(scratch.path / "labs/01-kernel-basics/2-saxpy.cu");
  CHECK_NOTHROW(course::load(scratch.path));
  std::filesystem::remove(scratch.path / "solutions/01-kernel-basics/2-saxpy.cu");
  CHECK_THAT(load_error(scratch.path), Catch::Contains("the file labs/01-kernel-basics/2-saxpy.cu"));
}

TEST_CASE("a folder without labs is not a course") {
  const ridge::tests::ScratchFolder scratch;
  CHECK_THAT(load_error(scratch.path), Catch::Contains("has no folder labs"));
  std::filesystem::create_directory(scratch.path / "labs");
  CHECK_THAT(load_error(scratch.path), Catch::Contains("holds no lab"));
}
