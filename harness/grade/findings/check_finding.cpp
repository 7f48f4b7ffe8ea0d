#include "harness/grade/findings/check_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <stdexcept>

#include "harness/grade/findings/check_causes.h"

namespace ridge::grade {

namespace {

// Removes folders: "/somewhere/labs/copies.h:45" is "copies.h:45".
std::string without_folders(std::string text) {
  for (size_t at = text.find(" /"); at != std::string::npos; at = text.find(" /", at + 1)) {
    const size_t end = text.find_first_of(" :", at + 1);
    const size_t last = text.rfind('/', end);
    if (end != std::string::npos && text[end] == ':' && last > at) text.erase(at + 1, last - at);
  }
  if (text.starts_with('/') && text.find(' ') == std::string::npos) text.erase(0, text.rfind('/') + 1);
  return text;
}

// Inserts the student's names, and decides what only the source shows.
class Reader {
 public:
  Reader(const trace::Finding& finding, const LearnerSource& source, std::string_view kernel)
      : finding_(finding), source_(source), kernel_(kernel), message_(finding.message) {
    for (const trace::NamedValue& value : finding.values)
      set(value.name == "place" ? "memory" : std::string_view(value.name), without_folders(value.text));
    name_mbarrier();
    name_parameter();
    name_shared_place();
  }

  // The message without its advice, which is shown as the next step.
  std::string detail() const {
    const size_t advice = message_.rfind("\n  try: ");
    if (finding_.advice.empty() || advice == std::string::npos) return message_;
    const size_t rest = message_.find('\n', advice + 1);
    return message_.substr(0, advice) + (rest == std::string::npos ? "" : message_.substr(rest));
  }

  // `cause`: the finding's cause, or "" for the check's general finding.
  Finding read(std::string_view cause) {
    Finding found{finding_of_cause(finding_.check, cause)};
    set("place", place());
    set("advice", sentence_of(finding_.advice));
    set("sync", source_.mentions("cluster_sync")   ? "cluster_sync()"
                : source_.mentions("sync_cluster") ? "sync_cluster()"
                                                   : "cluster.sync()");
    if (found.id == "out_of_bounds.index" || found.id == "out_of_bounds.negative_index" ||
        found.id == "out_of_bounds.shared_index")
      found.id = index(found.id);
    else if (found.id == "deadlock.block_barrier")
      found.id = missed_barrier();
    else if (found.id == "deadlock.mbarrier_arrivals")
      found.id = arrivals();
    else if (found.id == "race.blocks_write" || found.id == "race.blocks_update")
      found.id = same_element(found.id);
    set("mbarrier", value("mbarrier").empty() ? "an mbarrier" : value("mbarrier"));
    for (const auto& [name, text] : values_)
      found.values.emplace_back(name, text);
    return found;
  }

 private:
  const std::string& value(std::string_view name) const {
    static const std::string none;
    const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& one) { return one.first == name; });
    return found == values_.end() ? none : found->second;
  }
  void set(std::string_view name, std::string text) {
    const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& one) { return one.first == name; });
    if (found == values_.end())
      values_.emplace_back(name, std::move(text));
    else
      found->second = std::move(text);
  }
  uint32_t number(std::string_view name) const {
    const std::string& text = value(name);
    uint32_t result = 0;
    std::from_chars(text.data(), text.data() + text.size(), result);
    return result;
  }
  void replace_in_message(const std::string& from, const std::string& to) {
    for (size_t at = message_.find(from); !from.empty() && at != std::string::npos;
         at = message_.find(from, at + to.size()))
      message_.replace(at, from.size(), to);
  }
  // The line of the student's file that the finding is about: the finding's own, or the one that
  // calls into the header.
  uint32_t own_line() const {
    if (finding_.called_from.empty()) return finding_.line;
    uint32_t line = 0;
    const size_t colon = finding_.called_from.rfind(':') + 1;
    std::from_chars(finding_.called_from.data() + colon,
                    finding_.called_from.data() + finding_.called_from.size(), line);
    return line;
  }

  std::string place() const {
    if (finding_.line == 0) return "";
    const std::string file = std::filesystem::path(finding_.file).filename().string();
    const std::string place = file.empty() ? fmt::format(" in line {}", finding_.line)
                                           : fmt::format(" in {} line {}", file, finding_.line);
    return finding_.called_from.empty() ? place : place + " (called from " + finding_.called_from + ")";
  }

  static std::string sentence_of(std::string advice) {
    if (advice.empty()) return "Look at the message below.";
    advice[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(advice[0])));
    return advice + ".";
  }

  // Finds the name of an mbarrier: the one at offset 98304 is the second that
  // `init(&shared.full[i], 1)` initialises: `full[1]`.
  void name_mbarrier() {
    const std::string& site = value("mbarrier_init");
    const size_t colon = site.rfind(':');
    if (colon == std::string::npos || value("mbarrier").find('`') != std::string::npos) return;
    uint32_t line = 0;
    std::from_chars(site.data() + colon + 1, site.data() + site.size(), line);
    const auto argument = source_.first_argument(site.substr(0, colon), line, "init");
    if (!argument) return;
    const std::string name = argument->is_element
                                 ? fmt::format("the mbarrier `{}[{}]`", argument->name, value("mbarrier_index"))
                                 : fmt::format("the mbarrier `{}`", argument->name);
    const std::string old = value("mbarrier");
    replace_in_message(old, name);
    set("mbarrier", name);
    set("mbarrier_name", argument->name);
  }

  void name_parameter() {
    const uint32_t parameter = number("parameter");
    if (parameter == 0) return;
    const std::vector<std::string> names = source_.parameters(kernel_);
    if (parameter > names.size() || names[parameter - 1].empty()) return;
    set("array_name", names[parameter - 1]);
    replace_in_message(fmt::format("the array passed as parameter {}", parameter),
                       fmt::format("`{}`", names[parameter - 1]));
  }

  // "element 37 of the __shared__ array `tile` (...)" is `tile[1][5]` in the source.
  void name_shared_place() {
    const std::string array = value("shared_array"), old = value("shared_place");
    if (array.empty()) return;
    const auto name = source_.shared_names().place(array, number("shared_begin"), number("shared_offset"));
    if (!name) return;
    replace_in_message(old, fmt::format("`{}` in shared memory", *name));
    set("memory", fmt::format("`{}` in shared memory", *name));
  }

  static std::string counted(const std::string& count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == "1" ? "" : "s");
  }

  std::string_view index(std::string_view id) {
    const bool shared = finding_.cause.starts_with("shared");
    std::string name = shared ? value("array") : value("array_name");
    const char* const unit = value("unit") == "1" && !shared ? "byte" : "element";
    const std::string expression = source_.index_of(own_line(), name);
    set("owner", name.empty() ? "the array" : fmt::format("`{}`", name));
    set("element", name.empty() ? fmt::format("{} {} of an array", unit, value("index"))
                                : fmt::format("`{}[{}]`", name, value("index")));
    set("extent_words", counted(value("extent"), unit));
    const int64_t offset = int64_t{number("index")} * number("unit");
    if (const auto element = shared ? source_.shared_names().element(name, offset) : std::nullopt;
        element && finding_.cause == "shared_index") {
      set("element", fmt::format("`{}`", element->name));
      set("extent_words", element->extent + " elements");
      replace_in_message(fmt::format("index {} of the __shared__ array `{}`", value("index"), name),
                         fmt::format("`{}` of the __shared__ array `{}`", element->name, name));
    }
    set("expression", expression.empty() ? "" : fmt::format(" (the index is `{}`)", expression));
    set("index_expression", expression.empty() ? "the index" : fmt::format("`{}`", expression));
    set("who", fmt::format("Thread ({},{},{}) of block ({},{},{})", finding_.thread[0], finding_.thread[1],
                           finding_.thread[2], finding_.block[0], finding_.block[1], finding_.block[2]));
    // Rows that data name: an index of -1 stands for none.
    if (id == "out_of_bounds.negative_index" && source_.mentions("indices"))
      return "out_of_bounds.padding_index";
    if (id != "out_of_bounds.index") return id;
    // A guard exists but does not cover this index.
    for (const std::string& guard : source_.guards_before(own_line())) {
      if (!LearnerSource::share_a_name(expression, guard)) continue;
      set("guard", guard);
      id = "out_of_bounds.guarded_index";
    }
    return id;
  }

  std::string_view missed_barrier() {
    const uint32_t line = source_.is_own(value("barrier_file")) ? number("barrier_line") : 0;
    const LearnerSource::Enclosing around = source_.enclosing(line);
    set("condition", around.condition);
    if (around.kind == LearnerSource::Around::branch) return "deadlock.barrier_in_branch";
    if (source_.returns_before(line)) return "deadlock.return_before_barrier";
    if (around.kind == LearnerSource::Around::loop) return "deadlock.barrier_in_loop";
    return "deadlock.block_barrier";
  }

  // If the call names one array of mbarriers and the address is in another, the index is wrong.
  std::string_view arrivals() {
    const std::string& name = value("mbarrier_name");
    const std::string file = finding_.called_from.empty()
                                 ? finding_.file
                                 : finding_.called_from.substr(0, finding_.called_from.rfind(':'));
    for (const char* function : {"arrive", "expect_bytes", "arrive_remote"}) {
      const auto argument = source_.first_argument(file, own_line(), function);
      if (name.empty() || !argument || argument->name == name || !source_.mentions(argument->name)) continue;
      set("named", argument->name);
      return is_initialised(argument->name) ? "deadlock.mbarrier_index" : "deadlock.mbarrier_arrivals";
    }
    return "deadlock.mbarrier_arrivals";
  }
  // True when the name is that of an array of mbarriers, not of a pointer to one.
  bool is_initialised(std::string_view name) const {
    for (uint32_t line = 1; line < 2000; ++line)
      if (const auto argument = source_.first_argument("", line, "init"); argument && argument->name == name)
        return true;
    return false;
  }

  // Two blocks access the same element: if the loop's step is not the grid's size, that is the
  // cause.
  std::string_view same_element(std::string_view id) {
    set("element", value("array_name").empty() ? value("memory")
                                               : fmt::format("`{}[{}]`", value("array_name"), value("index")));
    const auto step = source_.loop_step(own_line());
    if (!step || step->by.find("gridDim") != std::string::npos) return id;
    set("variable", step->variable);
    set("step", step->by);
    set("all_threads", std::to_string(uint64_t{number("blocks")} * number("threads")));
    return "race.loop_step";
  }

  const trace::Finding& finding_;
  const LearnerSource& source_;
  std::string_view kernel_;
  std::string message_;
  std::vector<std::pair<std::string_view, std::string>> values_;
};

}  // namespace

Outcome outcome_of(const trace::Finding& finding, const std::string& during, const LearnerSource& source,
                   std::string_view kernel) {
  Reader reader(finding, source, kernel);
  const auto outcome_of_cause = [&](std::string_view cause) {
    Outcome outcome = outcome_with(reader.read(cause), reader.detail(), during);
    outcome.summary[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(outcome.summary[0])));
    return outcome;
  };
  try {
    return outcome_of_cause(finding.cause);
  } catch (const std::logic_error&) {
    // Values are missing: an older report, or not from the virtual GPU.
    return outcome_of_cause("");
  }
}

}  // namespace ridge::grade
