// Reads labs/*/lab.toml into a Course. All checks are made here, so that the rest of the harness
// can rely on the data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>

#include "harness/course/lab.h"
#include "harness/course/table_reader.h"
#include "text/whole_file.h"
#include "trace/record_names.h"
#include "trace/view_table.h"

namespace ridge::course {
namespace {

namespace fs = std::filesystem;

Gate read_gate(TableReader reader) {
  Gate gate;
  gate.count = reader.text("count");
  gate.at_most = reader.number_if_there("at_most");
  gate.at_least = reader.number_if_there("at_least");
  if (!gate.at_most && !gate.at_least) {
    reader.fail("count", fmt::format("the gate on \"{}\" has no limit", gate.count),
                "\"at_most\" or \"at_least\"");
  }
  if (gate.at_most && gate.at_least && *gate.at_most < *gate.at_least) {
    reader.fail("at_most", fmt::format("at_most = {} is under at_least = {}", *gate.at_most, *gate.at_least),
                "at_least <= at_most");
  }
  gate.why = reader.text("why");
  gate.at_size = reader.shape_if_there("at_size");
  reader.no_other_keys();
  return gate;
}

SecondBaseline read_second_baseline(TableReader reader) {
  SecondBaseline second{reader.text("baseline"), 0};
  const std::optional<double> times = reader.number_if_there("at_least");
  if (!times || !(*times > 0))
    reader.fail("at_least", "\"second\" has no \"at_least\" above 0", "how many times as fast as that baseline");
  second.at_least = *times;
  reader.no_other_keys();
  return second;
}

void check_same_rank(const TableReader& reader, const Rung& rung) {
  const size_t rank = rung.virtual_size.size();
  const auto differs = [&](const char* key, size_t found) {
    reader.fail(key, fmt::format("\"{}\" has {} lengths and \"virtual_size\" has {}", key, found, rank),
                "as many lengths in every size");
  };
  for (const auto& size : rung.sizes) {
    if (size.size() != rank) differs("sizes", size.size());
  }
  if (rung.is_timed() && rung.gpu_size.size() != rank) differs("gpu_size", rung.gpu_size.size());
  if (!rung.virtual_step.empty() && rung.virtual_step.size() != rank)
    differs("virtual_step", rung.virtual_step.size());
  if (!rung.other_order.empty() && rung.other_order.size() != rank)
    differs("other_order", rung.other_order.size());
}

// The numbers of devices, and the first extent of every size, which must be one of them.
void read_devices(TableReader& reader, Rung& rung) {
  constexpr int64_t kMostDevices = 8;  // of the virtual GPU, and of one host
  for (const int64_t count : reader.shape_if_there("devices")) {
    const bool ascends = rung.devices.empty() || count > rung.devices.back();
    if (count < 2 || count > kMostDevices || !ascends)
      reader.fail("devices", fmt::format("\"devices\" has {}", count), "numbers from 2 to 8, ascending, such as [2, 4]");
    rung.devices.push_back(static_cast<int>(count));
  }
  if (rung.devices.empty()) return;
  const auto check = [&](const char* key, const std::vector<int64_t>& size) {
    if (std::find(rung.devices.begin(), rung.devices.end(), size.front()) == rung.devices.end())
      reader.fail(key, fmt::format("\"{}\" has a size for {} devices", key, size.front()),
                  fmt::format("one of {} as the first extent", fmt::join(rung.devices, ", ")));
  };
  for (const auto& size : rung.sizes)
    check("sizes", size);
  check("virtual_size", rung.virtual_size);
  if (rung.is_timed()) check("gpu_size", rung.gpu_size);
}

void read_calls_in_a_row(TableReader& reader, Rung& rung) {
  constexpr uint32_t kMostCalls = 32;  // of 64 sets of buffers: two rows
  const uint32_t calls = reader.count_if_there("calls_in_a_row");
  if (calls == 0) return;
  if (!rung.is_timed() || rung.devices.empty() || calls < 2 || calls > kMostCalls)
    reader.fail("calls_in_a_row", fmt::format("\"calls_in_a_row\" is {}", calls),
                "2 to 32, in a rung with \"devices\" and a baseline");
  rung.calls_in_a_row = static_cast<int>(calls);
}

// The line must exist in the reference; otherwise the scene would show nothing.
trace::TraceScene read_scene(TableReader reader, const fs::path& solution) {
  trace::TraceScene scene;
  scene.view = reader.text("view");
  if (trace::find_view_description(scene.view) == nullptr) {
    reader.fail("view", fmt::format("\"{}\" is not a view", scene.view),
                fmt::format("one of {}", fmt::join(trace::view_ids(), ", ")));
  }
  scene.block = reader.text_if_there("block");
  if (scene.block.empty()) scene.block = "first";
  constexpr std::array<uint32_t, 3> kLargestGrid{0x7fffffff, 65535, 65535};
  if (!trace::linear_block(scene.block, kLargestGrid)) {
    reader.fail("block", fmt::format("\"{}\" is not a block", scene.block),
                "first, middle, last, edge, an index, or blockIdx as 3:2:0");
  }
  scene.line = reader.text_if_there("line");
  if (!scene.line.empty() && fs::is_regular_file(solution) &&
      text::read_file(solution).find(scene.line) == std::string::npos) {
    reader.fail("line", fmt::format("\"{}\" is nowhere in {}", scene.line, solution.filename().string()),
                "some text of the reference's line to look at");
  }
  scene.kind = reader.text_if_there("kind");
  bool known = scene.kind.empty();
  for (size_t kind = 0; kind < trace::kRecordKinds; ++kind)
    known |= trace::name_of(static_cast<trace::RecordKind>(kind)) == scene.kind;
  if (!known) {
    reader.fail("kind", fmt::format("\"{}\" is not a kind of record", scene.kind),
                "load, store, atomic, reduction, barrier, divergence, issue, wait, ...");
  }
  scene.warp = reader.count_if_there("warp");
  scene.occurrence = reader.count_if_there("occurrence");
  scene.array = reader.text_if_there("array");
  scene.text = reader.text("text");
  reader.no_other_keys();
  return scene;
}

Rung read_rung(TableReader reader, const Lab& lab, const fs::path& root) {
  Rung rung;
  rung.lab = lab.name;
  rung.name = reader.text("name");
  static const std::regex kNumberedName("[1-9][0-9]*-[a-z0-9]+(-[a-z0-9]+)*");
  if (!std::regex_match(rung.name, kNumberedName)) {
    reader.fail("name", fmt::format("\"{}\" is not the name of a rung", rung.name),
                "a number and words in lower case, such as \"1-vector-add\"");
  }
  rung.title = reader.text("title");
  rung.idea = reader.text("idea");
  rung.problem = reader.text("problem");
  rung.entry = reader.text("entry");
  rung.baseline = reader.text_if_there("baseline");
  rung.sizes = reader.shapes("sizes");
  rung.virtual_size = reader.shape("virtual_size");
  rung.virtual_step = reader.shape_if_there("virtual_step");
  rung.other_order = reader.shape_if_there("other_order");
  if (rung.is_timed()) {
    rung.gpu_size = reader.shape("gpu_size");
    rung.target = read_targets(reader.table("target"));
    if (std::optional<TableReader> second = reader.table_if_there("second"))
      rung.second = read_second_baseline(std::move(*second));
  }
  check_same_rank(reader, rung);
  read_devices(reader, rung);
  read_calls_in_a_row(reader, rung);
  rung.tensor_cores = reader.truth("tensor_cores", true);
  rung.changed_tokens = reader.count_if_there("changed_tokens");
  rung.page_is_open = reader.truth("page_is_open", false);
  rung.hints = reader.texts("hints");
  if (rung.hints.size() != 3) {
    reader.fail("hints", fmt::format("{} has {} hints", rung.name, rung.hints.size()), "exactly three");
  }
  for (TableReader& gate : reader.tables("gate")) {
    rung.gates.push_back(read_gate(gate));
    const size_t lengths = rung.gates.back().at_size.size(), rank = rung.virtual_size.size();
    if (lengths != 0 && lengths != rank)
      reader.fail("gate", fmt::format("\"at_size\" has {} lengths and \"virtual_size\" has {}", lengths, rank),
                  "as many lengths in every size");
  }
  if (const std::optional<double> part = reader.number_if_there("busiest_block")) {
    if (!(*part > 0 && *part <= 1))
      reader.fail("busiest_block", fmt::format("\"busiest_block\" is {}", *part),
                  "a part of all instructions, above 0 and at most 1");
    rung.busiest_block = *part;
  }
  for (TableReader& may_pass : reader.tables("may_pass")) {
    rung.may_pass.push_back({may_pass.text("file"), may_pass.text("why")});
    may_pass.no_other_keys();
  }
  std::optional<TableReader> scene = reader.table_if_there("scene");
  if (scene) rung.scene_kernel = scene->text_if_there("kernel");
  reader.no_other_keys();

  rung.skeleton = lab.folder / (rung.name + ".cu");
  rung.solution = root / "solutions" / lab.name / (rung.name + ".cu");
  // A student may have deleted one of the two by mistake: that is reported when the file is needed.
  if (!fs::is_regular_file(rung.skeleton) && !fs::is_regular_file(rung.solution)) {
    reader.fail("name", fmt::format("{} names a rung whose file is missing", rung.name),
                fmt::format("the file {}", rung.skeleton.lexically_relative(root).string()));
  }
  if (scene) rung.scene = read_scene(std::move(*scene), rung.solution);
  return rung;
}

// One line per rung, "HASH 1-vector-add", written by `ridge check --record-skeletons`.
std::map<std::string, std::string> read_skeleton_hashes(const fs::path& folder) {
  std::map<std::string, std::string> hashes;
  std::ifstream stream(folder / kSkeletonHashes);
  for (std::string hash, rung; stream >> hash >> rung;)
    hashes[rung] = hash;
  return hashes;
}

Lab read_lab(const fs::path& folder, const fs::path& root) {
  const std::string file = (folder / "lab.toml").lexically_relative(root).string();
  toml::table document;
  try {
    document = toml::parse_file((folder / "lab.toml").string());
  } catch (const toml::parse_error& error) {
    fail_at(file, error.source().begin.line, std::string(error.description()) + ", expected TOML");
  }
  Lab lab;
  lab.name = folder.filename().string();
  lab.folder = folder;
  TableReader top(document, file, "the file");
  TableReader about = top.table("lab");
  lab.number = static_cast<int>(about.whole_number("number", 0));
  if (!lab.name.starts_with(fmt::format("{:02}-", lab.number))) {
    about.fail("number", fmt::format("the lab in folder {} has the number {}", lab.name, lab.number),
               fmt::format("a folder named {:02}-…", lab.number));
  }
  lab.title = about.text("title");
  lab.summary = about.text("summary");
  about.no_other_keys();
  const std::map<std::string, std::string> hashes = read_skeleton_hashes(folder);
  for (TableReader& reader : top.tables("rung")) {
    Rung rung = read_rung(reader, lab, root);
    if (const auto hash = hashes.find(rung.name); hash != hashes.end())
      rung.skeleton_code_sha256 = hash->second;
    const bool twice = std::any_of(lab.rungs.begin(), lab.rungs.end(), [&](const Rung& other) {
      return std::stoi(other.name) == std::stoi(rung.name);
    });
    if (twice) {
      reader.fail("name", fmt::format("two rungs have the number {}", std::stoi(rung.name)),
                  "a number for each");
    }
    lab.rungs.push_back(std::move(rung));
  }
  top.no_other_keys();
  if (lab.rungs.empty()) fail_at(file, 1, "the lab has no rung, expected at least one [[rung]]");
  return lab;
}

}  // namespace

std::vector<fs::path> Rung::include_folders() const {
  if (skeleton.empty()) return {};
  std::vector<fs::path> folders = {skeleton.parent_path()};
  const fs::path shared = skeleton.parent_path().parent_path() / "include";
  std::error_code error;
  if (fs::is_directory(shared, error)) folders.push_back(shared);
  return folders;
}

Course load(const fs::path& root) {
  Course course;
  course.root = fs::weakly_canonical(root);
  const fs::path labs = course.root / "labs";
  if (!fs::is_directory(labs)) {
    throw CourseError(
        fmt::format("{} has no folder labs, expected a clone of the course", course.root.string()));
  }
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(labs)) {
    if (entry.is_directory() && fs::exists(entry.path() / "lab.toml")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  std::map<int, std::string> numbers;
  for (const fs::path& folder : folders) {
    Lab lab = read_lab(folder, course.root);
    const auto [other, fresh] = numbers.emplace(lab.number, lab.name);
    if (!fresh) {
      fail_at((folder / "lab.toml").lexically_relative(course.root).string(), 1,
              fmt::format("number {} is that of {} too, expected a number for each lab", lab.number,
                          other->second));
    }
    course.labs.push_back(std::move(lab));
  }
  if (course.labs.empty()) {
    throw CourseError(fmt::format("{} holds no lab, expected folders with a lab.toml", labs.string()));
  }
  std::sort(course.labs.begin(), course.labs.end(),
            [](const Lab& a, const Lab& b) { return a.number < b.number; });
  return course;
}

}  // namespace ridge::course
