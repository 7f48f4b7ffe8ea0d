// Decodes the kernel and everything that it calls into one program.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/demangled.h"
#include "virtual_gpu/machine/decode/contraction.h"
#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/faults/fault_text.h"
#include "virtual_gpu/machine/matrix/matrix_op.h"
#include "virtual_gpu/machine/memory/address_windows.h"
#include "virtual_gpu/machine/native/native_code.h"

namespace ridge::machine {
namespace {

uint32_t round_up(uint32_t value, uint32_t to) {
  return (value + to - 1) / to * to;
}

uint32_t natural_bytes(const ptx::Variable& v) {
  return static_cast<uint32_t>(std::max(type_bits(v.type) / 8, 1)) * v.vector_width;
}

// "_ZZ5blendPKfE4tile" becomes `tile`.
std::string source_name(const std::string& name) {
  const std::string text = text::demangled(name);
  const size_t colons = text.rfind("::");
  return colons == std::string::npos ? text : text.substr(colons + 2);
}

constexpr uint32_t kReservedSharedBytes = 1024;

}  // namespace

ModuleDecoder::ModuleDecoder(Program& program, const SymbolLookup& symbols,
                             const DecodeOptions& options)
    : program_(program), symbols_(symbols), options_(options) {}

const ptx::Function* ModuleDecoder::find_function(std::string_view name) const {
  return ptx::find_function(module(), name);
}

uint32_t ModuleDecoder::function_index(const ptx::Function& function) {
  const auto [it, is_new] =
      function_indices_.try_emplace(&function, static_cast<uint32_t>(queue_.size()));
  if (!function.unread_body.empty())
    throw DecodeError(
        fmt::format("the body of {} was not read before it was decoded", function.name));
  if (is_new) queue_.push_back(&function);
  return it->second;
}

// Static arrays come first, then the dynamic one; every `extern __shared__` name has the same
// address.
void ModuleDecoder::place_shared(const ptx::Variable& v) {
  const uint32_t alignment = v.alignment != 0 ? v.alignment : natural_bytes(v);
  if (v.is_extern || v.element_count == 0) {
    dynamic_alignment_ = std::max(dynamic_alignment_, alignment);
    return;
  }
  if (shared_offsets_.contains(v.name)) return;
  shared_bytes_ = round_up(shared_bytes_, alignment);
  shared_offsets_[v.name] = shared_bytes_;
  shared_bytes_ += natural_bytes(v) * static_cast<uint32_t>(v.element_count);
}

std::optional<uint32_t> ModuleDecoder::shared_offset(std::string_view name) const {
  if (const auto it = shared_offsets_.find(name); it != shared_offsets_.end()) return it->second;
  return std::nullopt;
}

const SharedArray* ModuleDecoder::shared_array(std::string_view name) const {
  const auto offset = shared_offset(name);
  if (!offset) return nullptr;
  const auto found =
      std::find_if(program_.shared_arrays.begin(), program_.shared_arrays.end(),
                   [&](const SharedArray& array) { return array.offset == *offset; });
  return found == program_.shared_arrays.end() ? nullptr : &*found;
}

// The system's part of shared memory, in which cooperative_groups keeps the barriers of its large
// tiles. Only a program that names it has one.
bool ModuleDecoder::names_reserved_shared() const {
  const auto names_it = [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::reg &&
           operand.name.starts_with("%reserved_smem_offset_");
  };
  return std::any_of(queue_.begin(), queue_.end(), [&](const ptx::Function* function) {
    return std::any_of(
        function->instructions.begin(), function->instructions.end(), [&](const auto& instruction) {
          return std::any_of(instruction.operands.begin(), instruction.operands.end(), names_it);
        });
  });
}

// A kernel owns the module's shared variables that it, or a function that it may call, names: with
// separate compilation the module contains those of every kernel of the program.
std::unordered_set<std::string_view> ModuleDecoder::named_symbols() const {
  std::unordered_set<std::string_view> names;
  const auto add = [&](const auto& self, const ptx::Operand& operand) -> void {
    if (operand.number == ptx::kNoRegister && !operand.name.empty()) names.insert(operand.name);
    for (const ptx::Operand& element : operand.elements)
      self(self, element);
  };
  for (const ptx::Function* function : queue_) {
    for (const ptx::Instruction& instruction : function->instructions) {
      for (const ptx::Operand& operand : instruction.operands)
        add(add, operand);
    }
  }
  return names;
}

void ModuleDecoder::finish_shared() {
  if (names_reserved_shared())
    shared_bytes_ = program_.info.reserved_shared_bytes = kReservedSharedBytes;
  // Place the arrays of all functions before decoding any instruction, so that the address of the
  // dynamic array is known.
  const auto names = named_symbols();
  const auto is_owned = [&](const ptx::Variable& v) {
    return v.space == ptx::Space::shared && names.contains(v.name);
  };
  for (const ptx::Variable& v : module().variables) {
    if (is_owned(v)) place_shared(v);
  }
  for (const ptx::Function* function : queue_) {
    for (const ptx::Variable& v : function->variables) {
      if (v.space == ptx::Space::shared) place_shared(v);
    }
  }
  shared_bytes_ = round_up(shared_bytes_, 16);
  program_.info.static_shared_bytes = shared_bytes_;
  const uint32_t dynamic_begin = round_up(shared_bytes_, dynamic_alignment_);
  program_.info.static_shared_bytes =
      dynamic_begin > shared_bytes_ && shared_bytes_ > 0 ? dynamic_begin : shared_bytes_;
  const auto place_dynamic = [&](const ptx::Variable& v) {
    if (v.space != ptx::Space::shared) return;
    const bool is_dynamic = v.is_extern || v.element_count == 0;
    if (is_dynamic) shared_offsets_[v.name] = program_.info.static_shared_bytes;
    program_.shared_arrays.push_back(
        {source_name(v.name), shared_offsets_[v.name],
         is_dynamic ? 0 : natural_bytes(v) * static_cast<uint32_t>(v.element_count)});
  };
  for (const ptx::Variable& v : module().variables) {
    if (is_owned(v)) place_dynamic(v);
  }
  for (const ptx::Function* function : queue_)
    std::for_each(function->variables.begin(), function->variables.end(), place_dynamic);
  auto& arrays = program_.shared_arrays;
  std::stable_sort(arrays.begin(), arrays.end(),
                   [](const SharedArray& a, const SharedArray& b) { return a.offset < b.offset; });
  arrays.erase(
      std::unique(arrays.begin(), arrays.end(),
                  [](const SharedArray& a, const SharedArray& b) { return a.offset == b.offset; }),
      arrays.end());
}

std::optional<uint64_t> ModuleDecoder::symbol_address(std::string_view name) {
  // Kernels that launch a kernel name it by its address.
  if (find_function(name) != nullptr) {
    return function_address(module(), name);
  }
  const uint64_t address = symbols_ ? symbols_(std::string(name)) : 0;
  return address == 0 ? std::nullopt : std::optional(address);
}

// Finds the functions that the kernel can reach: named in a call, or with their address taken
// anywhere in the module.
void ModuleDecoder::queue_address_taken() {
  const auto enqueue = [&](std::string_view name) {
    const ptx::Function* callee = find_function(name);
    if (callee != nullptr && !callee->is_declaration && !callee->is_entry) function_index(*callee);
  };
  bool indirect = false;
  const auto scan = [&](size_t first) {
    for (size_t i = first; i < queue_.size(); ++i) {
      for (const ptx::Instruction& instruction : queue_[i]->instructions) {
        const bool is_call = instruction.opcode.starts_with("call");
        for (const ptx::Operand& operand : instruction.operands) {
          if (operand.kind == ptx::Operand::Kind::symbol) enqueue(operand.name);
          indirect |=
              is_call && operand.kind == ptx::Operand::Kind::reg && operand.name.starts_with('%');
        }
      }
    }
  };
  scan(0);
  if (!indirect) return;
  const size_t known = queue_.size();
  for (const ptx::Variable& v : module().variables) {
    for (const auto& relocation : v.relocations)
      enqueue(relocation.symbol);
  }
  // A pointer may also come from another kernel through memory.
  for (const ptx::Function& function : module().functions) {
    for (const ptx::Instruction& instruction : function.instructions) {
      if (!instruction.opcode.starts_with("mov")) continue;
      for (const ptx::Operand& operand : instruction.operands) {
        if (operand.kind == ptx::Operand::Kind::symbol) enqueue(operand.name);
      }
    }
  }
  scan(known);
}

uint32_t ModuleDecoder::local_stack_bytes() const {
  uint32_t bytes = 0;
  for (const FunctionCode& f : program_.functions)
    bytes += f.local_bytes;
  return bytes;
}

void ModuleDecoder::decode_kernel(const std::string& name) {
  const ptx::Function* kernel = find_function(name);
  if (kernel == nullptr || !kernel->is_entry || kernel->is_declaration) {
    throw DecodeError(fmt::format("the module has no kernel named {}: it defines {} functions",
                                  name, module().functions.size()));
  }
  KernelInfo& info = program_.info;
  info.name = name;
  for (const ptx::Variable& v : kernel->parameters) {
    const uint32_t bytes = natural_bytes(v) * static_cast<uint32_t>(v.element_count);
    const uint32_t alignment = std::max(1u, v.alignment != 0 ? v.alignment : natural_bytes(v));
    const uint32_t offset = round_up(info.parameter_bytes, alignment);
    info.parameters.push_back({offset, bytes, alignment});
    info.parameter_bytes = offset + bytes;
  }
  const auto threads = [](const std::array<uint32_t, 3>& t) {
    return std::max(t[0], 1u) * std::max(t[1], 1u) * std::max(t[2], 1u);
  };
  if (kernel->max_threads[0] != 0)
    info.max_threads_per_block = std::min(1024u, threads(kernel->max_threads));
  if (kernel->required_threads[0] != 0)
    info.max_threads_per_block = std::min(1024u, threads(kernel->required_threads));
  std::copy(kernel->cluster.begin(), kernel->cluster.end(), info.required_cluster);
  info.must_have_cluster = kernel->explicit_cluster;
  info.max_cluster_blocks = kernel->max_cluster_rank;
  for (const ptx::Variable& v : module().variables) {
    if (v.space == ptx::Space::constant)
      info.constant_bytes += natural_bytes(v) * static_cast<uint32_t>(v.element_count);
  }

  function_index(*kernel);
  queue_address_taken();
  finish_shared();
  program_.functions.resize(queue_.size());
  for (size_t i = 0; i < queue_.size(); ++i) {
    FunctionCode& code = program_.functions[i];
    code.name = queue_[i]->name;
    code.first = static_cast<uint32_t>(program_.ops.size());
    add_sources(*queue_[i]);
    const auto contracted = module().is_debug ? nullptr : contract(*queue_[i]);
    FunctionDecoder(*this, contracted ? contracted->function : *queue_[i], code).decode();
    for (MaskableRead& read : find_maskable_reads(*queue_[i])) {
      read.load += code.first;
      for (MaskableRead::Step& step : read.steps)
        step.at += code.first;
      program_.maskable_reads.push_back(std::move(read));
    }
    program_.function_at[function_address(module(), code.name)] = static_cast<uint32_t>(i);
  }
  info.local_bytes_per_thread = local_stack_bytes();
}

uint64_t function_address(const ptx::Module& module, std::string_view name) {
  const ptx::Function* function = ptx::find_function(module, name);
  if (function == nullptr) return 0;
  const auto index = static_cast<uint64_t>(function - module.functions.data());
  return address_windows().function + index * kFunctionStride;
}

const ptx::Function* function_at(const ptx::Module& module, uint64_t address) {
  const uint64_t offset = address - address_windows().function;
  if (offset % kFunctionStride != 0 || offset / kFunctionStride >= module.functions.size())
    return nullptr;
  return &module.functions[offset / kFunctionStride];
}

bool is_built_in(std::string_view name) {
  return builtin_named(name) != Builtin::none;
}

bool may_poll_memory(const Program& program) {
  const auto can_be_global = [](const MemoryOp& op) {
    return op.space == MemorySpace::global || op.space == MemorySpace::generic;
  };
  return std::ranges::any_of(program.ops,
                             [&](const MicroOp& op) {
                               return (op.flags & kPolls) != 0 &&
                                      can_be_global(program.memory[op.detail]);
                             }) ||
         std::ranges::any_of(program.atomics, [&](const AtomicOp& op) {
           return op.place.values[0] != kNoRow && can_be_global(op.place);
         });
}

const KernelInfo& info(const Program& program) {
  return program.info;
}
const std::vector<InstructionSource>& sources(const Program& program) {
  return program.sources;
}

std::shared_ptr<const Program> decode(std::shared_ptr<const ptx::Module> module,
                                      const std::string& kernel, const SymbolLookup& symbols,
                                      const DecodeOptions& options) {
  auto program = std::make_shared<Program>();
  program->module = std::move(module);
  ModuleDecoder(*program, symbols, options).decode_kernel(kernel);
  program->native = make_native_code(*program);
  return program;
}

}  // namespace ridge::machine
