#include "virtual_gpu/ptx/declaration_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "virtual_gpu/ptx/constant.h"
#include "virtual_gpu/ptx/initializer.h"
#include "virtual_gpu/ptx/types.h"

namespace ridge::ptx {
namespace {

// Limits that no program reaches, so that a damaged number does not cause a large allocation.
constexpr uint64_t kMaxElements = uint64_t{1} << 40;
constexpr uint64_t kLargestAlignment = uint64_t{1} << 20;
constexpr uint64_t kMaxRegisters = uint64_t{1} << 20;
constexpr uint64_t kMaxParameters = 4096;
constexpr size_t kMaxExtents = 8;

std::optional<Space> space_of(std::string_view word) {
  struct Row {
    std::string_view word;
    Space space;
  };
  static constexpr Row kSpaces[] = {{".param", Space::param},        {".shared", Space::shared},
                                    {".local", Space::local},        {".global", Space::global},
                                    {".const", Space::constant},     {".reg", Space::reg},
                                    {".shared::cta", Space::shared}, {".tex", Space::global}};
  for (const Row& row : kSpaces) {
    if (row.word == word) return row.space;
  }
  return std::nullopt;
}

// Skips the parentheses of .attribute(.managed) and returns whether the word was in them.
bool parse_attribute(TokenCursor& cursor) {
  bool is_managed = false;
  for (size_t ahead = 0; cursor.peek(ahead).kind != Token::Kind::end && !cursor.at(')', ahead); ++ahead) {
    is_managed |= cursor.peek(ahead).text == ".managed";
  }
  skip_parentheses(cursor);
  return is_managed;
}

// Parses the properties before the names: space, alignment, vector width, type.
Variable parse_properties(TokenCursor& cursor) {
  Variable variable;
  bool describes_pointee = false;  // the space and alignment after .ptr are those of the pointee
  while (cursor.at_directive()) {
    const std::string_view word = cursor.take().text;
    if (const auto space = space_of(word)) {
      if (!describes_pointee) variable.space = *space;
      if (*space == Space::constant && cursor.accept('[')) {  // a constant bank, from before PTX 2.2
        cursor.expect_unsigned("a constant bank", 10);
        cursor.expect(']', "after a constant bank");
      }
    } else if (word == ".align") {
      const uint64_t bytes = cursor.expect_unsigned("an alignment in bytes", kLargestAlignment);
      if (bytes == 0 || (bytes & (bytes - 1)) != 0)
        cursor.fail(fmt::format("an alignment of {} is no power of two", bytes));
      if (!describes_pointee) variable.alignment = static_cast<uint32_t>(bytes);
    } else if (word == ".ptr") {
      describes_pointee = true;
    } else if (word == ".attribute") {
      variable.is_managed |= parse_attribute(cursor);
    } else if (word == ".v2" || word == ".v4" || word == ".v8") {
      variable.vector_width = static_cast<uint32_t>(word[2] - '0');
    } else if (type_bytes(word.substr(1)) != 0) {
      variable.type = word.substr(1);
    } else {
      cursor.fail(fmt::format("'{}' is no property of a variable: no state space, type or alignment", word));
    }
  }
  if (variable.type.empty()) cursor.fail_expected("a type such as .f32");
  return variable;
}

// `[4][32]`, `[]`: the extents, 0 for an omitted one.
std::vector<uint64_t> parse_extents(TokenCursor& cursor) {
  std::vector<uint64_t> extents;
  while (cursor.accept('[')) {
    uint64_t extent = 0;
    if (!cursor.at(']')) {
      const Constant value = parse_constant(cursor);
      if (value.is_floating || value.bits > kMaxElements) {
        cursor.fail(fmt::format("an array extent should be an integer from 0 to {}", kMaxElements));
      }
      extent = value.bits;
    }
    cursor.expect(']', "after an array extent");
    if (extents.size() == kMaxExtents)
      cursor.fail(fmt::format("an array has more than {} dimensions", kMaxExtents));
    extents.push_back(extent);
  }
  return extents;
}

uint64_t product(const TokenCursor& cursor, std::span<const uint64_t> extents) {
  uint64_t count = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 0 && i > 0) cursor.fail("only the first extent of an array may be missing");
    const uint64_t extent = extents[i] == 0 ? 1 : extents[i];
    if (count > kMaxElements / extent)
      cursor.fail(fmt::format("an array has more than {} elements", kMaxElements));
    count *= extent;
  }
  return !extents.empty() && extents.front() == 0 ? 0 : count;
}

}  // namespace

void skip_parentheses(TokenCursor& cursor) {
  if (!cursor.accept('(')) return;
  for (int depth = 1; depth > 0; cursor.take()) {
    if (cursor.at_end()) cursor.fail_expected("')'");
    if (cursor.at('(')) ++depth;
    if (cursor.at(')')) --depth;
  }
}

Linkage parse_linkage(TokenCursor& cursor) {
  Linkage linkage;
  while (true) {
    if (cursor.accept_word(".extern")) {
      linkage.is_extern = true;
    } else if (cursor.accept_word(".visible")) {
      linkage.is_visible = true;
    } else if (cursor.accept_word(".weak") || cursor.accept_word(".common")) {
      linkage.is_visible = linkage.is_weak = true;
    } else {
      return linkage;
    }
  }
}

bool at_variable(const TokenCursor& cursor) {
  static constexpr std::array<std::string_view, 5> kOthers = {".extern", ".visible", ".weak", ".common",
                                                              ".align"};
  if (!cursor.at_directive()) return false;
  const std::string_view word = cursor.peek().text;
  return space_of(word).has_value() || std::find(kOthers.begin(), kOthers.end(), word) != kOthers.end();
}

std::vector<Variable> parse_variables(TokenCursor& cursor, const Linkage& linkage, const Rename& rename) {
  const Variable properties = parse_properties(cursor);
  std::vector<Variable> variables;
  do {
    Variable variable = properties;
    variable.is_extern = linkage.is_extern;
    variable.is_visible = linkage.is_visible;
    variable.is_weak = linkage.is_weak;
    variable.ptx_line = cursor.line();
    const std::string_view name = cursor.expect_name("the name of a variable");
    variable.name = rename(name);
    if (cursor.accept('<')) {  // .param .b32 p<4>: four variables p0 ... p3
      const uint64_t count = cursor.expect_unsigned("the count of a parameterised name", kMaxParameters);
      cursor.expect('>', "after the count of a parameterised name");
      for (uint64_t i = 0; i < count; ++i) {
        variables.push_back(variable);
        variables.back().name += std::to_string(i);
      }
      continue;
    }
    const std::vector<uint64_t> extents = parse_extents(cursor);
    variable.element_count = product(cursor, extents);
    if (cursor.accept('=')) parse_initializer(cursor, extents, variable);
    variables.push_back(std::move(variable));
  } while (cursor.accept(','));
  cursor.expect(';', "after a variable");
  return variables;
}

std::vector<Variable> parse_parameters(TokenCursor& cursor) {
  std::vector<Variable> parameters;
  if (!cursor.accept('(')) return parameters;
  while (!cursor.at(')')) {
    if (!parameters.empty()) cursor.expect(',', "between two parameters");
    Variable parameter = parse_properties(cursor);
    parameter.ptx_line = cursor.line();
    parameter.name = cursor.expect_name("the name of a parameter");
    const std::vector<uint64_t> extents = parse_extents(cursor);
    parameter.element_count = product(cursor, extents);
    parameters.push_back(std::move(parameter));
  }
  cursor.expect(')', "after the parameters");
  return parameters;
}

void parse_registers(TokenCursor& cursor, const DeclareRegister& declare,
                     std::vector<RegisterDeclaration>& into) {
  const Variable properties = parse_properties(cursor);
  do {
    RegisterDeclaration registers;
    registers.type = properties.type;
    registers.vector_width = properties.vector_width;
    const std::string_view name = cursor.expect_name("the name of a register");
    const bool is_range = cursor.accept('<');
    if (is_range) {
      registers.count =
          static_cast<uint32_t>(cursor.expect_unsigned("the count of a register range", kMaxRegisters));
      cursor.expect('>', "after the count of a register range");
    }
    if (is_range && registers.count == 0) continue;  // declares nothing
    registers.name = declare(name, registers.count);
    into.push_back(std::move(registers));
  } while (cursor.accept(','));
  cursor.expect(';', "after a register declaration");
}

}  // namespace ridge::ptx
