#include "virtual_gpu/machine/native/native_code.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/native/access_code.h"
#include "virtual_gpu/machine/native/executable_memory.h"
#include "virtual_gpu/machine/native/operation_table.h"

namespace ridge::machine {
namespace {

constexpr size_t kMaxBytes = size_t{4} << 20;
constexpr size_t kPageBytes = 4096, kLineBytes = 64;

// A buffer for the code of one run while it is generated.
uint8_t* scratch() {
  // Never destroyed: kernels may still run while the process exits. Not cleared: pages that no code
  // reaches cost nothing.
  static uint8_t* const bytes = std::make_unique_for_overwrite<uint8_t[]>(kMaxBytes).release();
  return bytes;
}

std::string_view native_setting() {
  const char* const text = std::getenv("RIDGE_NATIVE");
  return text != nullptr ? text : "";
}

class Generator final : public NativeCode {
 public:
  explicit Generator(const Program& program) : is_eager_(native_setting() == "eager") {
    entries_ = std::make_unique<NativeEntry[]>(program.ops.size());
    // Two executions are enough to know the lane patterns of the accesses.
    for (size_t pc = 0; is_eager_ && pc < program.ops.size(); ++pc) {
      for (NativeEntry::Variant* variants : {entries_[pc].full, entries_[pc].masked})
        variants[0].heat = variants[1].heat = kHotCount - 2;
    }
  }

 private:
  // One compilation at a time in the whole process: `scratch` is shared, and there are only a few
  // dozen.
  void compile(const Program& program, uint32_t pc, const Form& form) override {
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    NativeEntry::Variant& variant =
        (form.is_masked ? entries_[pc].masked : entries_[pc].full)[form.is_observed];
    if (variant.run.load(std::memory_order_relaxed) != nullptr) return;
    if (!is_eager_ && ++postponed_[pc] < (form.is_observed ? kPostponementsObserved : kPostponements)) {
      variant.heat = 0;
      return;
    }
    try {
      variant.run.store(make(program, pc, form), std::memory_order_release);
    } catch (const std::exception&) {
      // Larger than the buffer, or no memory: the stretch stays interpreted.
    }
  }

  NativeRun make(const Program& program, uint32_t pc, const Form& form) {
    find_constants(program, pc);
    const OperationTable& operations = native_operations();
    const uint32_t end = pc + program.ops[pc].stretch;
    bool calls = false;
    ChunkUses uses;
    for (uint32_t at = pc; at < end; ++at) {
      calls |= is_call(operations, program.ops[at]);
      record_uses(program, at, uses);
    }
    RowAssembler code(scratch(), kMaxBytes, constants_, uses);
    AccessCode accesses(code, program, form);
    code.begin(form.is_masked, calls);
    if (calls)
      code.mov(code.user, Xbyak::util::ptr[code.context + static_cast<int>(offsetof(NativeContext, cached))]);
    for (uint32_t at = pc; at < end; ++at) {
      const MicroOp& op = program.ops[at];
      code.begin_operation(at);
      if (op.kind != OpKind::lane) {
        accesses.emit(at);
        continue;
      }
      const OperationTable::Operation* const known = operations.find(op.full);
      if (known == nullptr || !known->emit(code, op.operands))
        code.call(form.is_masked ? op.masked : op.full, op.operands);
    }
    code.end();
    accesses.finish();
    const auto size = code.getSize();
    const void* const begin = memory_.emplace_back(code.getCode(), size, bytes_ % kPageBytes).begin();
    bytes_ += (size + kLineBytes - 1) / kLineBytes * kLineBytes;
    return reinterpret_cast<NativeRun>(reinterpret_cast<uint64_t>(begin));
  }

  void record_uses(const Program& program, uint32_t pc, ChunkUses& uses) const {
    const MicroOp& op = program.ops[pc];
    if (op.kind != OpKind::lane)
      return record_access(program.memory[op.detail], op.kind == OpKind::store, pc, uses);
    const OperationTable::Operation* const known = native_operations().find(op.full);
    if (known == nullptr || is_call(native_operations(), op)) return uses.record_unknown(pc);
    using Kind = ChunkUses::Kind;
    const RowOffset sources[] = {op.operands.a, op.operands.b, op.operands.c};
    for (int k = 0; k < 3; ++k)
      uses.note(sources[k], known->sources[k], pc, known->is_float ? Kind::float_read : Kind::read);
    uses.note(op.operands.dst, known->results[0], pc, Kind::write);
    uses.note(op.operands.dst2, known->results[1], pc, Kind::write);
  }
  static void record_access(const MemoryOp& memory, bool is_store, uint32_t pc, ChunkUses& uses) {
    using Kind = ChunkUses::Kind;
    if (!memory.fixed_address) uses.record_chunks(memory.address, memory.wide_address ? 4 : 2, pc, Kind::read);
    for (uint32_t k = 0; k < memory.count; ++k) {
      if (memory.values[k] == kNoRow) continue;
      uses.record_chunks(memory.values[k], memory.register_bytes / 2, pc, is_store ? Kind::read : Kind::write);
    }
  }

  void find_constants(const Program& program, uint32_t pc) {
    constants_.clear();
    for (const FunctionCode& function : program.functions) {
      if (pc < function.first || pc >= function.end) continue;
      for (const ConstantRow& constant : function.constants)
        constants_[constant.row] = constant.value;
    }
  }
  bool is_call(const OperationTable& operations, const MicroOp& op) const {
    return op.kind != OpKind::lane || operations.find(op.full) == nullptr ||
           (op.operands.d != 0 && constants_.count(op.operands.d) == 0);
  }

  // Compiling an operation costs as much as interpreting it several hundred times. The elision
  // terms are known later than the lane patterns.
  static constexpr int kPostponements = 4, kPostponementsObserved = 16;
  std::unordered_map<uint32_t, int> postponed_;
  bool is_eager_;
  ConstantRows constants_;
  std::vector<ExecutableMemory> memory_;
  size_t bytes_ = 0;  // size of all compiled code
};

std::string why_off() {
  if (native_setting() == "off") return "off: RIDGE_NATIVE=off";
  if (lane_instruction_set() != "x86-64-v4")
    return "off: it needs AVX-512, and lanes use " + std::string(lane_instruction_set());
  const uint8_t ret = 0xc3;
  if (ExecutableMemory(&ret, 1, 0).begin() == nullptr) return "off: the system gives no executable memory";
  return {};
}

}  // namespace

std::shared_ptr<NativeCode> make_native_code(const Program& program) {
  static const bool is_off = !why_off().empty();
  if (is_off) return nullptr;
  return std::make_shared<Generator>(program);
}

std::string native_tier_text() {
  const std::string reason = why_off();
  return reason.empty() ? "AVX-512" : reason;
}

}  // namespace ridge::machine
