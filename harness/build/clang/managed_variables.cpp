#include "harness/build/clang/managed_variables.h"

#include <fmt/format.h>

#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "harness/build/clang/ir_names.h"
#include "text/demangled.h"

namespace ridge::build {
namespace {

constexpr const char* kRegister = "call void @__cudaRegisterVar(";

// What __managed__ is in our headers (qualifiers.h), in LLVM IR.
constexpr const char* kSection = ", section \"ridge.managed\"";

// The pointer of a variable, set before the first use. The handle is what all variables of the file are registered with.
constexpr const char* kFunctions = R"(
declare void @__cudaRegisterManagedVar(ptr, ptr, ptr, ptr, i32, i64, i32, i32)
declare signext i8 @__cudaInitModule(ptr)
define internal ptr @ridge.managed.address(ptr %pointer) {
  %known = load ptr, ptr %pointer, align 8
  %is_known = icmp ne ptr %known, null
  br i1 %is_known, label %done, label %set
set:
  %handle = load ptr, ptr @ridge.managed.handle, align 8
  %ignored = call i8 @__cudaInitModule(ptr %handle)
  %now = load ptr, ptr %pointer, align 8
  br label %done
done:
  %address = phi ptr [ %known, %0 ], [ %now, %set ]
  ret ptr %address
}
)";

// clang declares it too, for HIP.
bool is_declared_below(const std::string& line) {
  return line.starts_with("declare ") &&
         (line.find("@__cudaRegisterManagedVar(") != std::string::npos ||
          line.find("@__cudaInitModule(") != std::string::npos);
}

// The lines of one function, "define ..." to "}".
class Function {
 public:
  explicit Function(std::vector<std::string>& lines) : lines_(lines) {}

  // Addresses are computed once, where the function begins: all uses come after, those in phis too.
  void use_pointers(const std::set<std::string>& names) {
    for (const std::string& name : names) {
      const std::string value = fmt::format("%ridge.managed.{}", count_);
      bool is_used = false;
      for (std::string& line : lines_)
        is_used |= replace_name(line, name, value);
      if (is_used) add(fmt::format("call ptr @ridge.managed.address(ptr @ridge.managed.{})", name));
    }
    for (size_t i = 1; count_ && i < lines_.size(); ++i)
      expand_constants(lines_[i]);
    if (count_) lines_.front() += entry_;
  }

 private:
  void add(const std::string& instruction) {
    entry_ += fmt::format("\n  %ridge.managed.{} = {}", count_++, instruction);
  }

  // What was a constant of the address, "getelementptr inbounds (i32, ptr @a, i64 4)", is an instruction now, whose
  // operands have no parentheses.
  void expand_constants(std::string& line) {
    static const std::regex kConstant(
        R"((getelementptr(?: inbounds| nuw| nusw)*|ptrtoint|addrspacecast) \(([^()]*%ridge\.managed\.[0-9]+[^()]*)\))");
    for (std::smatch match; std::regex_search(line, match, kConstant);) {
      const std::string instruction = match.str(1) + " " + match.str(2);
      line = match.prefix().str() + fmt::format("%ridge.managed.{}", count_) + match.suffix().str();
      add(instruction);
    }
  }

  std::vector<std::string>& lines_;
  std::string entry_;
  int count_ = 0;
};

// Registers the variables with their pointers, and keeps the handle.
void register_pointers(std::vector<std::string>& lines, const std::set<std::string>& names) {
  for (std::string& line : lines) {
    const size_t at = line.find(kRegister);
    if (at == std::string::npos) continue;
    for (const std::string& name : names)
      if (replace_name(line, name, "@ridge.managed." + name))
        line.replace(at, std::string(kRegister).size(), "call void @__cudaRegisterManagedVar(");
  }
  lines.front() += "\n  store ptr %0, ptr @ridge.managed.handle, align 8";
}

// Defines or declares the pointer of a variable, whose own line is `line`. Files of which the device code is linked share
// the pointers of their variables, and the handle.
std::string pointer_of(const std::string& name, const std::string& line, bool is_relocatable) {
  const auto is = [&](const char* linkage) { return line.find(linkage) != std::string::npos; };
  const char* how = "hidden global ptr null";
  if (!is_relocatable || is(" = internal "))
    how = "internal global ptr null";
  else if (is(" = external "))
    how = "external hidden global ptr";
  else if (is(" = linkonce_odr ") || is(" = weak_odr "))
    how = "weak hidden global ptr null";
  return fmt::format("@ridge.managed.{} = {}, align 8\n", name, how);
}

// Throws if the initial value of a variable has a managed variable's address. In clang's own list of
// used variables the address is replaced by null: the list only keeps variables alive.
void take_out_of_initial_value(std::string& line, const std::set<std::string>& names) {
  const std::string_view variable = defined_name(line);
  if (variable.empty() || variable.starts_with("llvm.")) return;
  const bool is_list = variable == "__clang_gpu_used_external";
  const size_t value = variable.size() + 1;
  std::string initial = line.substr(value);
  for (const std::string& name : names)
    if (replace_name(initial, name, "null") && !is_list)
      throw std::runtime_error(fmt::format(
          "the address of the __managed__ variable {} is not known before the program runs: it cannot be in the "
          "initial value of a global variable",
          text::demangled(name)));
  line.replace(value, std::string::npos, initial);
}

}  // namespace

std::string with_managed_attributes(const std::string& ptx, const std::set<std::string>& names) {
  static const std::regex kVariable(
      R"(^(?:\.[a-z]+ )*\.global .*?([A-Za-z_$][\w$]*)(\[[0-9]*\])?( =|;))");
  std::istringstream stream(ptx);
  std::string result;
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (line.starts_with(".") && line.find(".global ") != std::string::npos &&
        std::regex_search(line, match, kVariable) && names.contains(match.str(1)))
      line.insert(line.find(".global ") + 8, ".attribute(.managed) ");
    result += line + "\n";
  }
  return result;
}

std::set<std::string> managed_variables_in(const std::vector<std::string>& lines) {
  std::set<std::string> names;
  for (const std::string& line : lines)
    if (line.find(kSection) != std::string::npos)
      if (const std::string_view name = defined_name(line); !name.empty()) names.emplace(name);
  return names;
}

std::string with_managed_pointers(const std::string& host_ir, bool is_relocatable) {
  std::vector<std::string> lines;
  std::istringstream stream(host_ir);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(std::move(line));
  const std::set<std::string> names = managed_variables_in(lines);
  std::string result, pointers;
  std::vector<std::string> function;
  for (std::string& line : lines) {
    if (function.empty() && is_declared_below(line)) continue;
    if (function.empty() && !line.starts_with("define ")) {
      if (const std::string name(defined_name(line)); names.contains(name))
        pointers += pointer_of(name, line, is_relocatable);
      take_out_of_initial_value(line, names);
      result += line + "\n";
      continue;
    }
    function.push_back(line);
    if (line != "}") continue;
    if (function.front().find("@__cuda_register_globals(") != std::string::npos)
      register_pointers(function, names);
    else
      Function(function).use_pointers(names);
    for (const std::string& one : function)
      result += one + "\n";
    function.clear();
  }
  return result + kFunctions + pointers +
         fmt::format("@ridge.managed.handle = {} global ptr null, align 8\n",
                     is_relocatable ? "weak hidden" : "internal");
}

}  // namespace ridge::build
