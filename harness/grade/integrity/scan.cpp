#include "harness/grade/integrity/scan.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "harness/build/instruction_mix.h"
#include "text/whole_file.h"

namespace ridge::grade {

namespace {

struct Rule {
  std::string_view start;  // prefix of the symbol's name
  std::string_view does;   // completes "Your file ...": "opens libraries (dlopen)"
};

// Functions that a file may not import. A trailing "=" means the complete name.
constexpr Rule kWanted[] = {
    {"dlopen=", "opens libraries while it runs"},
    {"dlmopen=", "opens libraries while it runs"},
    {"dlsym=", "looks functions up by name"},
    {"dlvsym=", "looks functions up by name"},
    {"dl_iterate_phdr=", "looks through the libraries of the process"},
    {"__libc_dl", "opens libraries while it runs"},
    {"cublas", "calls cuBLAS"},
    {"cudnn", "calls cuDNN"},
    {"cufft", "calls cuFFT"},
    {"cusparse", "calls cuSPARSE"},
    {"cusolver", "calls cuSOLVER"},
    {"cutensor", "calls cuTENSOR"},
    {"curand", "calls cuRAND"},
    {"nccl", "calls NCCL"},
    {"nvrtc", "compiles kernels while it runs"},
    {"nvJitLink", "compiles kernels while it runs"},
    {"cudaLibraryLoad", "loads kernels that are not in it"},
    {"cuModuleLoad", "loads kernels that are not in it"},
    {"cuLibraryLoad", "loads kernels that are not in it"},
    {"cudaGetExportTable=", "asks for private functions of the driver"},
    {"cudaIpc", "shares device memory with other processes"},
    {"cudaDeviceReset=", "resets the device"},
    {"cudaProfiler", "steers the profiler"},
    {"pthread_create=", "starts threads"},
    {"thrd_create=", "starts threads"},
    {"_ZNSt6thread", "starts threads"},
    {"fork=", "starts processes"},
    {"vfork=", "starts processes"},
    {"_Fork=", "starts processes"},
    {"clone=", "starts processes"},
    {"posix_spawn", "starts processes"},
    {"system=", "starts processes"},
    {"popen=", "starts processes"},
    {"exec", "starts other programs"},
    {"mprotect=", "changes which memory may be written"},
    {"pkey_mprotect=", "changes which memory may be written"},
    {"ptrace=", "looks into processes"},
    {"process_vm_", "looks into processes"},
    {"prctl=", "changes how the process is run"},
    {"syscall=", "calls the kernel past the C library"},
    {"socket=", "opens sockets"},
    {"connect=", "opens sockets"},
    {"timer_create=", "sets timers"},
    {"setitimer=", "sets timers"},
    {"alarm=", "sets timers"},
    {"setcontext=", "moves the stack"},
    {"swapcontext=", "moves the stack"},
};

// Functions that a file may not define: other code would call them instead of the real ones.
constexpr Rule kOffered[] = {
    {"cuda", ""},   {"clock_gettime=", ""}, {"gettimeofday=", ""}, {"time=", ""},  {"dlopen=", ""},
    {"dlsym=", ""}, {"send=", ""},          {"recv=", ""},         {"write=", ""}, {"read=", ""},
    {"_exit=", ""}, {"exit=", ""},          {"malloc=", ""},       {"free=", ""},  {"memcpy=", ""},
    {"mmap=", ""},  {"ridge", ""},          {"_ZNSt6chrono", ""},
};

bool fits(const Rule& rule, std::string_view symbol) {
  if (rule.start.ends_with('=')) return symbol == rule.start.substr(0, rule.start.size() - 1);
  return symbol.starts_with(rule.start);
}

// Copies the bytes at `offset`; throws when the file ends before.
template <typename T>
T at(const std::string& file, uint64_t offset) {
  T value;
  if (offset > file.size() || file.size() - offset < sizeof value)
    throw std::runtime_error("the compiled file ends in the middle of its tables");
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::string string_at(const std::string& file, const Elf64_Shdr& table, uint64_t index) {
  uint64_t start = table.sh_offset + index;
  if (start >= file.size() || index >= table.sh_size) return "";
  return file.substr(start, file.find('\0', start) - start);
}

// The most operations that the executed instructions of these kinds can do (integer index
// arithmetic is not counted; an atomic adds up to eight halves per thread); no value when the
// machine code was not counted.
std::optional<double> most_operations(const std::vector<trace::LaunchReport>& launches) {
  constexpr std::pair<std::string_view, double> kMostOfAWarp[] = {{"fp32", 2 * 32},
                                                                  {"fp64", 2 * 32},
                                                                  {"fp16", 4 * 32},
                                                                  {"special", 32},
                                                                  {"tensor", 2 * 64 * 256 * 32},
                                                                  {"global atomic", 8 * 32},
                                                                  {"global reduction", 8 * 32},
                                                                  {"shared atomic", 8 * 32},
                                                                  {"generic atomic", 8 * 32}};
  double most = 0;
  bool counted = false;
  for (const trace::LaunchReport& launch : launches)
    for (const trace::ClassCounts& kind : launch.classes) {
      counted |= kind.executed > 0;
      for (const auto& [name, operations] : kMostOfAWarp)
        if (kind.name == name) most += operations * static_cast<double>(kind.executed);
    }
  return counted ? std::optional(most) : std::nullopt;
}

constexpr uint64_t kSectorBytes = 32;

constexpr const char* kTensorOpcodes[] = {"mma.", "wmma.mma", "wgmma.mma", "tcgen05.mma"};

// The first tensor-core opcode in the PTX, as ptxas reads it, or "".
std::string tensor_opcode(const std::vector<std::string>& texts) {
  for (const std::string& ptx : texts)
    for (const std::string& opcode : build::ptx_opcodes(ptx))
      for (const char* start : kTensorOpcodes)
        if (opcode.starts_with(start)) return opcode;
  return "";
}

// CUB adds an empty kernel to every file that includes it, to query the architecture; it is never
// launched.
constexpr std::string_view kUnlaunchedKernel = "EmptyKernel";

bool is_of_library(const std::string& file) {
  for (const char* part : {"/include/cub/", "/include/thrust/", "/include/cuda/", "/cccl/", "/cutlass/", "/cute/"})
    if (file.find(part) != std::string::npos) return true;
  return false;
}

// The first kernel whose lines are in a library's header, or "".
std::string library_kernel(const std::vector<std::string>& texts) {
  for (const std::string& ptx : texts)
    for (const build::KernelOrigin& origin : build::kernel_origins(ptx))
      if (origin.kernel.find(kUnlaunchedKernel) == std::string::npos && is_of_library(origin.file))
        return fmt::format("{} (of {})", origin.kernel, origin.file);
  return "";
}

// "(anonymous namespace)::add(float*, int)" gives "add".
std::string short_name(std::string kernel) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (size_t at = kernel.find(kUnnamed); at != std::string::npos; at = kernel.find(kUnnamed))
    kernel.erase(at, kUnnamed.size());
  return kernel.substr(0, kernel.find('('));
}

Outcome library_outcome(const std::string& kernel) {
  return outcome_with({"suspect.library_kernel", {{"kernel", kernel}}});
}

}  // namespace

Symbols symbols_of(const std::filesystem::path& object) {
  std::string file = text::read_file(object);
  auto header = at<Elf64_Ehdr>(file, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    throw std::runtime_error(fmt::format("{} is no ELF file", object.string()));
  auto section = [&](uint64_t index) {
    return at<Elf64_Shdr>(file, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  Symbols symbols;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table = section(i);
    if (table.sh_type == SHT_DYNSYM) {
      Elf64_Shdr names = section(table.sh_link);
      for (uint64_t one = 1; one < table.sh_size / sizeof(Elf64_Sym); ++one) {
        auto symbol = at<Elf64_Sym>(file, table.sh_offset + one * sizeof(Elf64_Sym));
        std::string name = string_at(file, names, symbol.st_name);
        (symbol.st_shndx == SHN_UNDEF ? symbols.wanted : symbols.offered).push_back(name);
      }
    } else if (table.sh_type == SHT_DYNAMIC) {
      Elf64_Shdr names = section(table.sh_link);
      for (uint64_t one = 0; one < table.sh_size / sizeof(Elf64_Dyn); ++one) {
        auto entry = at<Elf64_Dyn>(file, table.sh_offset + one * sizeof(Elf64_Dyn));
        if (entry.d_tag == DT_NEEDED) symbols.libraries.push_back(string_at(file, names, entry.d_un.d_val));
      }
    }
  }
  return symbols;
}

std::optional<Outcome> scan(const build::Compiled& compiled, const course::Rung& rung) {
  for (const build::KernelResources& kernel : compiled.kernels)
    for (const char* library : {"cub::", "thrust::", "cutlass::"})
      if (kernel.kernel.find(library) < kernel.kernel.find('(') &&
          kernel.kernel.find(library) < kernel.kernel.find('<') &&
          kernel.kernel.find(kUnlaunchedKernel) == std::string::npos)
        return library_outcome(kernel.kernel.substr(0, kernel.kernel.find('<')));
  const std::vector<std::string> texts = build::ptx_in(compiled.object);
  if (const std::string kernel = library_kernel(texts); !kernel.empty()) return library_outcome(kernel);
  Symbols symbols = symbols_of(compiled.object);
  for (const std::string& name : symbols.wanted)
    for (const Rule& rule : kWanted)
      if (fits(rule, name))
        return outcome_with({"suspect.symbol_used", {{"does", rule.does}, {"name", name}}});
  for (const std::string& name : symbols.offered)
    for (const Rule& rule : kOffered)
      if (fits(rule, name) && name != rung.entry)
        return outcome_with({"suspect.symbol_exported", {{"name", name}}});
  if (!rung.tensor_cores) {
    if (const std::string opcode = tensor_opcode(texts); !opcode.empty())
      return outcome_with({"suspect.tensor_cores", {{"instruction", opcode}}});
  }
  return std::nullopt;
}

bool runs_host_functions(const build::Compiled& compiled) {
  for (const std::string& name : symbols_of(compiled.object).wanted)
    for (const char* start : {"cudaLaunchHostFunc", "cudaStreamAddCallback", "cudaGraphAddHostNode"})
      if (name.starts_with(start)) return true;
  return false;
}

std::optional<Outcome> scan_copies(const measure::Work& work) {
  constexpr double kMostShare = 0.02, kMostBytes = 4096;
  if (work.copied_bytes <= std::max(kMostBytes, kMostShare * work.bytes())) return std::nullopt;
  return outcome_with({"slow.copies",
                       {{"copied", fmt::format("{:.0f}", work.copied_bytes)},
                        {"work", fmt::format("{:.0f}", work.bytes())}}});
}

std::optional<Outcome> scan_launches(const std::vector<trace::LaunchReport>& launches,
                                     const build::Compiled& compiled, double bytes_to_move, double operations,
                                     bool streams, bool any_stream) {
  if (launches.empty()) return outcome_with({"suspect.no_kernel"});
  double touched = 0, asked = 0;
  for (const trace::LaunchReport& launch : launches) {
    bool known =
        std::any_of(compiled.kernels.begin(), compiled.kernels.end(),
                    [&](const build::KernelResources& kernel) { return kernel.kernel == launch.kernel; });
    if (!known) return outcome_with({"suspect.foreign_kernel", {{"kernel", launch.kernel}}});
    if (launch.on_default_stream && !any_stream)
      return outcome_with({"suspect.default_stream", {{"kernel", short_name(launch.kernel)}}});
    uint64_t bytes = 0, asked_bytes = 0;
    for (const trace::InstructionCounts& instruction : launch.instructions) {
      if (instruction.space != "global") continue;
      bytes += instruction.bytes;
      // One value that all lanes load counts as one sector, not as 32 values.
      asked_bytes += std::min(instruction.bytes, kSectorBytes * std::max(instruction.sectors, uint64_t{1}));
      // A box of the copy engine that lies outside its tensor is a request for no bytes.
      const bool may_be_outside = instruction.opcode.starts_with("cp.async.bulk.tensor");
      if ((instruction.requests > instruction.bytes && !may_be_outside) ||
          instruction.lanes > 32 * instruction.executions)
        return outcome_with({"suspect.report_forged"});
    }
    asked += static_cast<double>(asked_bytes);
    uint64_t sectors = launch.l1_load_sectors + launch.l2_read_sectors + launch.l2_write_sectors;
    touched += static_cast<double>(std::max({bytes, launch.ideal_bytes, kSectorBytes * sectors}));
  }
  if (touched < 0.9 * bytes_to_move)
    return outcome_with(
        {"suspect.too_few_bytes",
         {{"touched", fmt::format("{:.0f}", touched)}, {"work", fmt::format("{:.0f}", bytes_to_move)}}});
  const std::optional<double> arithmetic = most_operations(launches);
  if (arithmetic && *arithmetic < 0.5 * operations)
    return outcome_with(
        {"suspect.too_few_operations",
         {{"done", fmt::format("{:.0f}", *arithmetic)}, {"work", fmt::format("{:.0f}", operations)}}});
  if (streams && asked > 2 * bytes_to_move)
    return outcome_with({"slow.too_many_bytes", {{"times", fmt::format("{:.1f}", asked / bytes_to_move)}}});
  return std::nullopt;
}

}  // namespace ridge::grade
