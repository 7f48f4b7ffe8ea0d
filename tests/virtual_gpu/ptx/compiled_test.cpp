// Whole files, as the compiler writes them: nothing is lost and every line number is right.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/cuda_compiler.h"
#include "tests/virtual_gpu/ptx/render.h"

using namespace ridge::ptx;

namespace {

const std::string kSource = RIDGE_SOURCE_DIR "/tests/virtual_gpu/ptx/every_construct.cu";

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string compile(const std::string& name, const std::string& flags) {
  const std::filesystem::path folder = std::filesystem::path(RIDGE_BINARY_DIR) / "ptx_test";
  std::filesystem::create_directories(folder);
  const std::string ptx = (folder / (name + ".ptx")).string();
  std::filesystem::remove(ptx);
  const std::string command =
      fmt::format("'{}' -std=c++20 -gencode arch=compute_90a,code=compute_90a {} -ptx '{}' -o '{}'",
                  ridge::tests::kCudaCompiler, flags, kSource, ptx);
  CAPTURE(command);
  REQUIRE(std::system(command.c_str()) == 0);
  return read(ptx);
}

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}
bool in_word(char c) {
  return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '.';
}

// The number of instructions by opcode, by plain text cutting that shares nothing with the parser: within
// bodies, what stands before each ';', less comments, .loc lines, braces and labels in front, unless it is a
// directive.
std::map<std::string, int> count_by_cutting(const std::string& text) {
  std::string bodies;
  int depth = 0;
  char before = ' ';
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    const size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos &&
        (line.compare(first, 4, ".loc") == 0 || line.compare(first, 5, ".file") == 0))
      continue;
    for (const char c : line + "\n") {
      if (c == '{' && (depth > 0 || before != '=')) ++depth;
      if (depth > 0) bodies += c;
      if (c == '}' && depth > 0 && --depth == 0) bodies += ';';
      if (!std::isspace(static_cast<unsigned char>(c))) before = c;
    }
  }
  std::map<std::string, int> counts;
  std::istringstream statements(bodies);
  for (std::string statement; std::getline(statements, statement, ';');) {
    size_t at = 0;
    while (at < statement.size()) {
      const char c = statement[at];
      if (std::isspace(static_cast<unsigned char>(c)) || c == '{' || c == '}') {
        ++at;
        continue;
      }
      size_t stop = at;
      while (stop < statement.size() && in_word(statement[stop]))
        ++stop;
      size_t colon = statement.find_first_not_of(" \t", stop);
      if (stop == at || colon == std::string::npos || statement[colon] != ':' ||
          statement[colon + 1] == ':')
        break;
      at = colon + 1;  // a label
    }
    if (at < statement.size() && statement[at] == '@') at = statement.find_first_of(" \t", at);
    at = std::min(statement.find_first_not_of(" \t\n", at), statement.size());
    if (at == statement.size() || !starts_word(statement[at])) continue;
    const size_t stop = statement.find_first_of(" \t\n", at);
    ++counts[statement.substr(at, stop == std::string::npos ? stop : stop - at)];
  }
  return counts;
}

}  // namespace

TEST_CASE(
    "compiled PTX keeps every instruction and its line, with line information, with -G and for linking") {
  const auto [name, flags] =
      GENERATE(std::pair<const char*, const char*>{"lineinfo", "-lineinfo"},
               std::pair<const char*, const char*>{"debug", "-G"},
               std::pair<const char*, const char*>{"relocatable", "-rdc=true"});
  CAPTURE(name);
  const std::string text = compile(name, flags);
  const Module module = parse(text);

  std::map<std::string, int> counts;
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      ++counts[std::string(instruction.opcode)];
      if (module.ptx_lines.at(instruction.ptx_line - 1).find(instruction.opcode) ==
          std::string::npos) {
        FAIL("line " << instruction.ptx_line << " does not hold " << instruction.opcode);
      }
      if (instruction.location >= module.locations.size()) FAIL("a location out of range");
    }
  }
  CHECK(counts == count_by_cutting(text));
  CHECK(counts.at("bar.sync") >= 2);
}

TEST_CASE("the functions of a CUDA file are the same when they are read one by one") {
  const std::string text = compile("one_by_one", "-lineinfo");
  const Module whole = parse(text);
  Module parts = parse_headers(text);
  for (size_t i = parts.functions.size(); i-- > 0;)
    parse_bodies(parts, std::string(parts.functions[i].name));
  REQUIRE(whole.functions.size() == parts.functions.size());
  REQUIRE(whole.functions.size() > 3);
  for (size_t f = 0; f < whole.functions.size(); ++f) {
    const Function &one = whole.functions[f], &other = parts.functions[f];
    CHECK(one.name == other.name);
    CHECK(one.labels == other.labels);
    CHECK(one.registers.size() == other.registers.size());
    CHECK(one.variables.size() == other.variables.size());
    REQUIRE(one.instructions.size() == other.instructions.size());
    for (size_t i = 0; i < one.instructions.size(); ++i) {
      const Instruction &a = one.instructions[i], &b = other.instructions[i];
      if (render(a) != render(b) || a.ptx_line != b.ptx_line ||
          whole.locations[a.location].line != parts.locations[b.location].line)
        FAIL("line " << a.ptx_line << ": " << render(a) << " and " << render(b));
    }
  }
}

TEST_CASE("an inlined line of the source is found with the line that called it", "[nvcc]") {
  if (ridge::tests::skipped_without_nvcc("the line that called an inlined function")) return;
  const std::string source = read(kSource);
  const auto line_of = [&](std::string_view marker) {
    return 1 + std::count(source.begin(), source.begin() + static_cast<long>(source.find(marker)),
                          '\n');
  };
  const Module module = parse(compile("inlined", "-lineinfo"));
  int found = 0;
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      const Location& location = module.locations[instruction.location];
      if (location.line != line_of("// the inlined line") ||
          !module.files.at(location.file).ends_with("every_construct.cu"))
        continue;
      CHECK(instruction.opcode.starts_with("fma."));
      CHECK(module.locations.at(location.inlined_at).line == line_of("// the calling line"));
      ++found;
    }
  }
  CHECK(found == 2);  // one in each of the two kernels
}

TEST_CASE("the variables of a CUDA file arrive with their bytes and addresses") {
  const Module module = parse(compile("variables", ""));
  const auto find = [&](std::string_view name) -> const Variable& {
    for (const Variable& variable : module.variables) {
      if (variable.name == name) return variable;
    }
    FAIL("no variable " << name);
    throw std::logic_error("unreachable");
  };
  const Variable& table = find("table");
  REQUIRE(table.space == Space::constant);
  CHECK(table.element_count == 48);
  CHECK(table.initial.at(16 + 3) == 0x40);  // 3.0f is 0x40400000
  CHECK(find("managed").is_managed);
  CHECK(find("dynamic_tile").element_count == 0);
  const Variable& pointers = find("pointers");
  REQUIRE(pointers.relocations.size() == 2);
  CHECK(pointers.relocations[1].symbol == "numbers");
  CHECK(pointers.relocations[1].addend == 8);
  const Variable& packed = find("packed");
  REQUIRE(packed.relocations.size() == 2);
  CHECK(packed.relocations[0].offset == 1);
  CHECK(packed.relocations[0].bytes == 8);
  CHECK(packed.relocations[0].addend == 4);
  CHECK(packed.relocations[1].offset == 10);
  const Variable& functions = find("functions");
  CHECK(functions.relocations.at(1).symbol == "_Z7recursei");
}
