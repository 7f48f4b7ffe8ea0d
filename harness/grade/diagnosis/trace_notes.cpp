#include "harness/grade/diagnosis/trace_notes.h"

#include "text/whole_file.h"

namespace ridge::grade {

namespace fs = std::filesystem;

namespace {

std::string name_of(problems::Type type) {
  switch (type) {
    case problems::Type::float32:
      return "float32";
    case problems::Type::float16:
      return "float16";
    case problems::Type::bfloat16:
      return "bfloat16";
    case problems::Type::float8_e4m3:
      return "float8_e4m3";
    case problems::Type::int32:
      return "int32";
    case problems::Type::int64:
      return "int64";
  }
  return "";
}

std::string name_of(problems::Role role) {
  switch (role) {
    case problems::Role::input:
      return "input";
    case problems::Role::output:
      return "output";
    case problems::Role::in_out:
      return "in_out";
    case problems::Role::signals:
      return "signals";
  }
  return "";
}

}  // namespace

trace::TraceNotes trace_notes(const course::Rung& rung, const problems::Problem& problem,
                              const Result& result, bool is_solution,
                              const std::vector<uint64_t>& addresses) {
  trace::TraceNotes notes;
  notes.rung = rung.path();
  notes.title = rung.title;
  notes.idea = rung.idea;
  notes.sizes = result.size;
  notes.solution = is_solution;
  notes.verdict = std::string(to_string(result.verdict));
  notes.scene = rung.scene;
  if (problem.on_ranks) {
    notes.ideal_link_bytes = static_cast<uint64_t>(problems::bytes_moved(problem, rung.virtual_size));
    notes.ideal_link_formula = problem.link_formula;
  }
  const std::vector<problems::Buffer> buffers = problem.buffers(rung.virtual_size);
  if (buffers.size() != addresses.size()) return notes;
  for (size_t k = 0; k < buffers.size(); ++k) {
    const problems::Buffer& buffer = buffers[k];
    trace::NamedArray& array = notes.arrays.emplace_back();
    array.address = addresses[k];
    array.bytes = static_cast<uint64_t>(buffer.bytes());
    array.name = buffer.name;
    array.type = name_of(buffer.type);
    array.role = name_of(buffer.role);
    array.element_bytes = static_cast<uint32_t>(problems::bytes_of(buffer.type));
    for (const int64_t length : buffer.extent)
      array.extent.push_back(static_cast<uint64_t>(length));
  }
  return notes;
}

std::vector<trace::TraceSource> trace_sources(const fs::path& file, const std::string& text,
                                              const std::vector<fs::path>& folders) {
  constexpr uintmax_t kLargestHeader = 1 << 18;
  std::vector<trace::TraceSource> sources = {{fs::absolute(file).lexically_normal().string(), text}};
  std::vector<fs::path> all = folders;
  all.push_back(fs::absolute(file).parent_path());
  for (const fs::path& folder : all) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      const std::string kind = entry.path().extension().string();
      if ((kind != ".h" && kind != ".cuh" && kind != ".hpp") || !entry.is_regular_file(error) ||
          entry.file_size(error) > kLargestHeader)
        continue;
      if (auto header = text::read_file_if_readable(entry.path()))
        sources.push_back({fs::absolute(entry.path()).lexically_normal().string(), std::move(*header)});
    }
  }
  return sources;
}

}  // namespace ridge::grade
