// A kernel decoded for execution. Decode once, launch many times; immutable and shared between host
// threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "virtual_gpu/ptx/module.h"

namespace ridge::machine {

// An instruction or a symbol that cannot be executed: the message has the PTX text, the PTX line
// and the source line.
struct DecodeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The origin of an instruction, shown in every message, count and trace.
struct InstructionSource {
  // From the .file directive; empty = unknown. The module has these texts.
  std::string_view file;
  uint32_t line = 0;
  // The same or, for code inlined from another file, the line of the kernel's own file that called
  // it: pictures of the student's file show this line.
  std::string_view own_file;
  uint32_t own_line = 0;
  uint32_t ptx_line = 0;
  // The PTX instruction, without its label; the program has these texts. A zero byte follows, for
  // readers in a signal handler.
  std::string_view text;
  // As the parser read it, with all modifiers: "mma.sync.aligned.m16n8k16...".
  std::string_view opcode;
  std::string called_from;  // "gemm.cu:46": the nearest call in another file, when it was inlined
  bool is_library = false;  // in a header of the toolkit, whoever called it
};

struct KernelParameter {
  uint32_t offset = 0, bytes = 0, alignment = 0;
};

class Program;  // the micro-operations; for decoder and interpreter only

struct KernelInfo {
  std::string name;  // mangled
  std::vector<KernelParameter> parameters;
  uint32_t parameter_bytes = 0;
  uint32_t static_shared_bytes = 0;
  // The system's part of the static bytes, at the beginning, initially zero.
  uint32_t reserved_shared_bytes = 0;
  uint32_t local_bytes_per_thread = 0;
  uint32_t constant_bytes = 0;
  uint32_t max_threads_per_block = 1024;     // from .maxntid / .reqntid
  uint32_t required_cluster[3] = {0, 0, 0};  // .reqnctapercluster
  bool must_have_cluster = false;            // .explicitcluster: the launch must specify one
  uint32_t max_cluster_blocks = 0;           // .maxclusterrank; 0 = not specified
  uint32_t registers_per_thread = 0;         // from the cubin; 0 = unknown (set by the runtime)
};

const KernelInfo& info(const Program& program);
const std::vector<InstructionSource>& sources(const Program& program);  // by instruction index

// True when a thread of the kernel may look again and again at what another block writes: a volatile,
// relaxed or acquiring load that can read global memory, or an atomic on it that returns a value. How
// often it looks, and so what the kernel counts, depends on which blocks run at the same time.
bool may_poll_memory(const Program& program);

// Looks up the device address of a module-scope variable (.global or .const) or a kernel by its PTX
// name.
using SymbolLookup = std::function<uint64_t(const std::string& name)>;

// The address that represents a device function in function pointers and in initialised tables:
// never memory, 0 when the module has no such function. The loader stores it where a relocation
// names a function.
uint64_t function_address(const ptx::Module& module, std::string_view name);
// The inverse; nullptr when no function has this address.
const ptx::Function* function_at(const ptx::Module& module, uint64_t address);

// True when kernels can call a function that no module defines.
bool is_built_in(std::string_view name);

struct DecodeOptions {
  // Observers see the operands of divisions, reciprocals and roots that are rounded as IEEE 754 says
  // (Observer::rounded_operands). Such instructions are then not part of native code.
  bool shows_rounded_operands = false;
};

// Throws DecodeError when the kernel or a function it calls has something we do not know *and* cannot be
// skipped until reached. An unknown instruction does not fail here: it becomes a micro-operation that stops
// the launch when executed.
std::shared_ptr<const Program> decode(std::shared_ptr<const ptx::Module> module,
                                      const std::string& kernel, const SymbolLookup& symbols,
                                      const DecodeOptions& options = {});

}  // namespace ridge::machine
