#include "virtual_gpu/ptx/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "virtual_gpu/ptx/body_parser.h"
#include "virtual_gpu/ptx/declaration_parser.h"
#include "virtual_gpu/ptx/lexer.h"

namespace ridge::ptx {
namespace {

constexpr uint64_t kAnyU32 = std::numeric_limits<uint32_t>::max();

class ModuleParser {
 public:
  ModuleParser(std::span<const Token> tokens, Bodies bodies)
      : cursor_(tokens), bodies_(bodies), locations_(module_.locations) {
    module_.pools.push_back(std::make_shared<TreePool>());
  }

  Module run() {
    if (!cursor_.at_word(".version")) {
      cursor_.fail_expected(
          ".version at the start of a PTX module (is this PTX text, and is it decompressed?)");
    }
    while (!cursor_.at_end())
      statement();
    return std::move(module_);
  }

 private:
  void statement() {
    if (cursor_.accept(';')) return;
    if (!cursor_.at_directive()) cursor_.fail_expected("a directive such as .entry or .global");
    if (cursor_.accept_word(".version")) return version();
    if (cursor_.accept_word(".target")) return target();
    if (cursor_.accept_word(".address_size")) return address_size();
    if (cursor_.accept_word(".file")) return file();
    if (cursor_.accept_word(".section")) return section();
    if (cursor_.accept_word(".loc")) return locations_.parse(cursor_);
    if (cursor_.accept_word(".pragma")) return pragma();
    if (cursor_.accept_word(".alias")) return alias();
    const Linkage linkage = parse_linkage(cursor_);
    if (cursor_.accept_word(".entry")) return function(linkage, true);
    if (cursor_.accept_word(".func")) return function(linkage, false);
    if (at_variable(cursor_) || cursor_.at_word(".attribute")) return variables(linkage);
    if (cursor_.at_directive()) {
      cursor_.fail(
          fmt::format("the directive '{}' is not known; was this PTX made by a newer compiler?",
                      cursor_.peek().text));
    }
    cursor_.fail_expected(".entry, .func or a variable");
  }

  // "9.0" is one number token.
  void version() {
    const std::string_view text = cursor_.at_number() ? cursor_.peek().text : std::string_view{};
    const size_t dot = text.find('.');
    const auto number = [&](std::string_view digits) {
      constexpr size_t kMaxDigits = 4;
      const bool valid = !digits.empty() && digits.size() <= kMaxDigits &&
                         digits.find_first_not_of("0123456789") == std::string_view::npos;
      if (!valid) cursor_.fail_expected("a version such as 9.0 after .version");
      return std::stoi(std::string(digits));
    };
    module_.version_major = number(text.substr(0, dot));
    module_.version_minor =
        number(dot == std::string_view::npos ? std::string_view{} : text.substr(dot + 1));
    cursor_.take();
  }

  void target() {
    module_.target = cursor_.expect_name("an architecture such as sm_90a");
    while (cursor_.accept(','))
      module_.is_debug |= cursor_.expect_name("an option of .target") == "debug";
  }

  void address_size() {
    const uint64_t bits = cursor_.expect_unsigned("the address size", kAnyU32);
    if (bits != 64)
      cursor_.fail(fmt::format(
          "addresses are {} bits; only 64-bit PTX can be run, compile with -m64", bits));
  }

  void file() {
    const auto index =
        static_cast<uint32_t>(cursor_.expect_unsigned("the index of .file", kAnyU32));
    module_.files[index] = cursor_.expect_string("the path of .file");
    while (cursor_.accept(','))
      cursor_.expect_unsigned("the time or size of .file", std::numeric_limits<uint64_t>::max());
  }

  // The lexer has skipped the text between the braces.
  void section() {
    if (!cursor_.at_word()) cursor_.fail_expected("the name of a section");
    cursor_.take();
    cursor_.expect('{', "after the name of a section");
    cursor_.expect('}', "after a section");
  }

  void pragma() {
    do
      cursor_.expect_string("the text of a pragma");
    while (cursor_.accept(','));
    cursor_.expect(';', "after a pragma");
  }

  void alias() {
    const std::string_view name = cursor_.expect_name("the new name of .alias");
    cursor_.expect(',', "between the two names of .alias");
    module_.aliases.emplace_back(name, cursor_.expect_name("the function that .alias renames"));
    cursor_.expect(';', "after .alias");
    module_.names.insert(name);
  }

  void variables(const Linkage& linkage) {
    const auto rename = [&](std::string_view name) {
      module_.names.insert(name);
      return std::string(name);
    };
    for (Variable& variable : parse_variables(cursor_, linkage, rename)) {
      const auto [entry, is_new] =
          variable_index_.try_emplace(variable.name, module_.variables.size());
      if (is_new) {
        module_.variables.push_back(std::move(variable));
        continue;
      }
      Variable& known = module_.variables[entry->second];
      if (!known.is_extern && !variable.is_extern) {
        throw ParseError(variable.ptx_line,
                         fmt::format("'{}' is defined twice; the first definition is on line {}",
                                     variable.name, known.ptx_line));
      }
      if (known.is_extern) known = std::move(variable);
    }
  }

  void function(const Linkage& linkage, bool is_entry) {
    Function function;
    function.ptx_line = cursor_.line();
    function.is_entry = is_entry;
    function.is_extern = linkage.is_extern;
    function.is_visible = linkage.is_visible;
    function.is_weak = linkage.is_weak;
    function_directives(function);
    if (cursor_.at('(')) function.results = parse_parameters(cursor_);
    const std::string_view name = cursor_.expect_name("the name of a function");
    module_.names.insert(name);
    function.name = name;
    function.parameters = parse_parameters(cursor_);
    function_directives(function);
    if (cursor_.at('{') && bodies_ == Bodies::skip) {
      function.unread_body_line = cursor_.line();
      const char* const begin = cursor_.take().text.data();
      const std::string_view close = cursor_.take().text;  // the lexer has skipped the text between
      function.unread_body = {begin, static_cast<size_t>(close.data() + close.size() - begin)};
    } else if (cursor_.at('{')) {
      BodyParser(cursor_, locations_, module_.names, *module_.pools[0], function).parse();
    } else {
      function.is_declaration = true;
      cursor_.expect(';', "or a body after a function's declaration");
    }
    add(name, std::move(function));
  }

  void add(std::string_view name, Function function) {
    const auto [entry, is_new] =
        module_.function_index.try_emplace(name, static_cast<uint32_t>(module_.functions.size()));
    if (is_new) {
      module_.functions.push_back(std::move(function));
      return;
    }
    Function& known = module_.functions[entry->second];
    if (!known.is_declaration && !function.is_declaration) {
      throw ParseError(
          function.ptx_line,
          fmt::format("function '{}' is defined twice; the first definition is on line {}",
                      function.name, known.ptx_line));
    }
    if (known.is_declaration) known = std::move(function);
  }

  void function_directives(Function& function) {
    while (cursor_.at_directive()) {
      const std::string_view word = cursor_.take().text;
      if (word == ".maxntid") {
        extents(function.max_threads);
      } else if (word == ".reqntid") {
        extents(function.required_threads);
      } else if (word == ".reqnctapercluster") {
        extents(function.cluster);
      } else if (word == ".minnctapersm") {
        function.min_blocks_per_sm = number(word);
      } else if (word == ".maxnreg") {
        function.max_registers = number(word);
      } else if (word == ".maxclusterrank") {
        function.max_cluster_rank = number(word);
      } else if (word == ".explicitcluster") {
        function.explicit_cluster = true;
      } else if (word == ".noreturn") {
        function.no_return = true;
      } else if (word == ".pragma") {
        pragma();
      } else {
        // .unique, .abi_preserve 4, .attribute(...), .blocksareclusters: hints, including any that
        // a newer compiler adds.
        skip_hint(word);
      }
    }
  }

  void skip_hint(std::string_view word) {
    if (word == ".attribute") return skip_parentheses(cursor_);
    while (cursor_.at_number()) {
      cursor_.take();
      if (!cursor_.accept(',')) return;
    }
  }

  uint32_t number(std::string_view what) {
    return static_cast<uint32_t>(cursor_.expect_unsigned(what, kAnyU32));
  }

  // "256, 1, 1": omitted extents are 1.
  void extents(std::array<uint32_t, 3>& into) {
    into = {number("the first extent"), 1, 1};
    for (size_t i = 1; i < 3 && cursor_.accept(','); ++i)
      into[i] = number("the next extent");
  }

  TokenCursor cursor_;
  Bodies bodies_;
  Module module_;
  LocationTable locations_;
  std::unordered_map<std::string, size_t> variable_index_;
};

// Reads the bodies of functions that a kernel can reach.
class Reachable {
 public:
  explicit Reachable(Module& module) : module_(module) {}

  void read(std::string_view kernel) {
    name(kernel);
    while (!open_.empty()) {
      Function& function = *open_.back();
      open_.pop_back();
      if (!function.unread_body.empty()) read(function);
    }
  }

 private:
  void read(Function& function) {
    tokens_ =
        tokenize(function.unread_body, Bodies::read, function.unread_body_line, std::move(tokens_));
    TokenCursor cursor(tokens_);
    LocationTable locations(module_.locations);
    Function read;
    read.name = function.name;
    read.results = function.results;
    read.parameters = function.parameters;
    BodyParser(cursor, locations, module_.names, *module_.pools[0], read).parse();
    function.registers = std::move(read.registers);
    function.register_count = read.register_count;
    function.variables = std::move(read.variables);
    function.instructions = std::move(read.instructions);
    function.labels = std::move(read.labels);
    function.branch_targets = std::move(read.branch_targets);
    function.call_targets = std::move(read.call_targets);
    function.prototypes = std::move(read.prototypes);
    function.unread_body = {};
    for (const Instruction& instruction : function.instructions) {
      const bool is_call = instruction.opcode.starts_with("call");
      for (const Operand& operand : instruction.operands) {
        name(operand);
        // A pointer may come from any function of the module.
        if (is_call && operand.kind == Operand::Kind::reg) name_all();
      }
    }
  }

  void name(std::string_view symbol) {
    auto known = module_.function_index.find(symbol);
    if (known == module_.function_index.end()) {
      const auto alias = std::find_if(module_.aliases.begin(), module_.aliases.end(),
                                      [&](const auto& names) { return names.first == symbol; });
      if (alias == module_.aliases.end()) return;
      known = module_.function_index.find(alias->second);
    }
    if (known != module_.function_index.end()) open_.push_back(&module_.functions[known->second]);
  }
  void name(const Operand& operand) {
    if (operand.number == kNoRegister && !operand.name.empty()) name(operand.name);
    for (const Operand& element : operand.elements)
      name(element);
  }
  void name_all() {
    for (Function& function : module_.functions)
      open_.push_back(&function);
  }

  Module& module_;
  std::vector<Function*> open_;
  std::vector<Token> tokens_;  // of the function that is being read
};

}  // namespace

Module parse(std::string_view text) {
  TextLines lines{std::string(text)};
  const std::vector<Token> tokens = tokenize(lines.text());
  Module module = ModuleParser(tokens, Bodies::read).run();
  module.ptx_lines = std::move(lines);
  return module;
}

Module parse_headers(std::string text) {
  TextLines lines(std::move(text));
  const std::vector<Token> tokens = tokenize(lines.text(), Bodies::skip);
  Module module = ModuleParser(tokens, Bodies::skip).run();
  module.ptx_lines = std::move(lines);
  return module;
}

const Function* find_function(const Module& module, std::string_view name) {
  const auto found = module.function_index.find(name);
  return found == module.function_index.end() ? nullptr : &module.functions[found->second];
}

void parse_bodies(Module& module, std::string_view kernel) {
  Reachable(module).read(kernel);
}

}  // namespace ridge::ptx
