#include "virtual_gpu/machine/program/host_site.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string_view>

#if RIDGE_DEBUG_LINES
#include <backtrace.h>
#endif

#include "text/demangled.h"
#include "virtual_gpu/machine/program/debug_modules.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/program/toolkit_path.h"

namespace ridge::machine {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Libraries that call main, start threads and sort.
bool is_of_system(const char* path) {
  return path != nullptr && has_any(file_name(path), {"libc.so", "libm.so", "libgcc_s", "libpthread",
                                                      "libstdc++", "ld-linux", "libcudart"});
}

constexpr size_t kMaxCalls = 48;  // thrust has deep call stacks

struct Walk {
  std::array<uintptr_t, kMaxCalls> returns;
  size_t count = 0;
};

_Unwind_Reason_Code record_call(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || walk.count == kMaxCalls) return _URC_END_OF_STACK;
  walk.returns[walk.count++] = address;
  return _URC_NO_REASON;
}

// A function of the program on the call stack; line 0: unknown.
struct Call {
  std::string file, function;
  int line = 0;
};

Dl_info module_of(uintptr_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(address), &info) == 0) info = {};
  return info;
}

#if RIDGE_DEBUG_LINES
void ignore_error(void*, const char*, int) {}

// Contains the modules that were loaded at the first use. It cannot be freed, and is needed only a
// few times.
backtrace_state* debug_lines() {
  static backtrace_state* state = nullptr;
  static unsigned long long loaded = 0;
  unsigned long long now = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        *static_cast<unsigned long long*>(data) = info->dlpi_adds;
        return 1;
      },
      &now);
  if (state == nullptr || now != loaded) state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  loaded = now;
  return state;
}

// The calls at one return address, inlined ones first.
std::vector<Call> calls_at(uintptr_t address) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const ModuleFilter past_system(is_of_system);
  std::vector<Call> calls;
  backtrace_pcinfo(
      debug_lines(), address,
      [](void* data, uintptr_t, const char* file, int line, const char* function) {
        if (file != nullptr && line != 0)
          static_cast<std::vector<Call>*>(data)->push_back({file, function ? function : "", line});
        return 0;
      },
      ignore_error, &calls);
  if (!calls.empty()) return calls;
  backtrace_syminfo(
      debug_lines(), address,
      [](void* data, uintptr_t, const char* symbol, uintptr_t, uintptr_t) {
        if (symbol != nullptr) static_cast<std::vector<Call>*>(data)->push_back({"", symbol, 0});
      },
      ignore_error, &calls);
  return calls;
}
#else
std::vector<Call> calls_at(uintptr_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(address), &info) == 0 || info.dli_sname == nullptr) return {};
  return {{"", info.dli_sname, 0}};
}
#endif

// True for headers of the toolkit and of the standard library, which never contain the program's
// own line.
bool is_of_toolkit(const Call& call) {
  if (call.line != 0)
    return is_toolkit_header(call.file) || has_any(call.file, {"/include/c++/"}) ||
           file_name(call.file).starts_with("cuda_runtime") || call.file.starts_with("/usr/include/");
  const std::string& name = call.function;
  if (!name.starts_with("_Z")) return false;
  // Recognises thrust, cub, std, and the templates over the runtime's functions
  // (_ZL10cudaMallocIfE...).
  return has_any(name, {"N6thrust", "N3cub", "N4cuda", "NSt", "NKSt", "_ZSt", "N9__gnu_cxx"}) ||
         has_any(std::string_view(name).substr(0, 16), {"cudaMalloc", "cudaHost", "cudaFree"});
}

// The program's calls on the stack, innermost first, at most two.
std::vector<Call> program_calls(const std::vector<uintptr_t>& returns) {
  std::vector<Call> found;
  const void* const own = module_of(reinterpret_cast<uintptr_t>(&record_call)).dli_fbase;
  for (const uintptr_t address : returns) {
    const uintptr_t inside = address - 1;  // inside the call, not after it
    const Dl_info module = module_of(inside);
    if (module.dli_fbase == own || is_of_system(module.dli_fname)) continue;
    for (Call& call : calls_at(inside)) {
      if (is_of_toolkit(call)) continue;
      // The harness runs a lab.
      if (has_any(text::demangled(call.function), {"ridge::"})) return found;
      found.push_back(std::move(call));
      if (found.size() == 2 || found[0].function == "main") return found;
    }
  }
  return found;
}

}  // namespace

HostSite HostSite::here() {
  Walk walk;
  _Unwind_Backtrace(record_call, &walk);
  HostSite site;
  site.returns_ =
      std::make_shared<const std::vector<uintptr_t>>(walk.returns.begin(), walk.returns.begin() + walk.count);
  return site;
}

std::string HostSite::describe(const std::string& call) const {
  if (returns_ == nullptr) return call;
  const std::vector<Call> calls = program_calls(*returns_);
  if (calls.empty()) return call;
  const Call& own = calls[0];
  if (own.line == 0) return fmt::format("{} in `{}`", call, text::demangled(own.function));
  std::string text = fmt::format("{} at {}:{}", call, file_name(own.file), own.line);
  if (calls.size() > 1 && calls[1].line != 0)
    text += fmt::format(", called from {}:{}", file_name(calls[1].file), calls[1].line);
  return text;
}

}  // namespace ridge::machine
