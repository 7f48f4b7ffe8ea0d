// Decodes one function of a PTX module into micro-operations. Private to decode*.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "virtual_gpu/machine/decode/opcode_parts.h"
#include "virtual_gpu/machine/observer.h"
#include "virtual_gpu/machine/program/micro_op.h"
#include "virtual_gpu/machine/program/register_allocation.h"
#include "virtual_gpu/machine/program/register_use.h"

namespace ridge::machine {

// Data shared by the functions of one program: addresses of module-scope names, and the required
// functions.
class ModuleDecoder {
 public:
  ModuleDecoder(Program& program, const SymbolLookup& symbols, const DecodeOptions& options);

  void decode_kernel(const std::string& name);

  Program& program() { return program_; }
  const DecodeOptions& options() const { return options_; }
  const ptx::Module& module() const { return *program_.module; }
  const ptx::Function* find_function(std::string_view name) const;
  // The index in Program::functions; a new function is queued for decoding.
  uint32_t function_index(const ptx::Function& function);
  std::optional<uint32_t> shared_offset(std::string_view name) const;
  const SharedArray* shared_array(std::string_view name) const;
  void place_shared(const ptx::Variable& variable);
  std::optional<uint64_t> symbol_address(std::string_view name);

 private:
  void queue_address_taken();
  void add_sources(const ptx::Function& function);
  bool names_reserved_shared() const;
  std::unordered_set<std::string_view> named_symbols() const;
  void finish_shared();
  uint32_t local_stack_bytes() const;

  Program& program_;
  const SymbolLookup& symbols_;
  DecodeOptions options_;
  std::unordered_map<const ptx::Function*, uint32_t> function_indices_;
  std::vector<const ptx::Function*> queue_;
  std::unordered_map<std::string_view, uint32_t> shared_offsets_;
  uint32_t shared_bytes_ = 0, dynamic_alignment_ = 16;
};

// The row of a register, or of a constant operand.
struct Row {
  RowOffset offset = kNoRow;
  RowType type = RowType::none;
};

// Defined in decode_atomics.cpp: by the parts of an opcode; nullopt when none of them is one.
std::optional<AtomicOperation> atomic_operation(const OpcodeParts& parts);
std::optional<AtomicType> atomic_type(std::string_view name);
// The ordering and the scope in an opcode; `without` when it has none.
Scope scope_of(const OpcodeParts& parts, Scope without);
Ordering ordering_of(const OpcodeParts& parts, Ordering without);

class FunctionDecoder {
 public:
  FunctionDecoder(ModuleDecoder& owner, const ptx::Function& function, FunctionCode& code);
  void decode();

  using Handler = bool (FunctionDecoder::*)(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  // The opcode table; see opcode_table.cpp.
  struct Opcode {
    Handler decode = nullptr;  // nullptr: an operation of lanes/, found by its complete text
    RegisterUse use = RegisterUse::reads_all;
  };
  static const std::unordered_map<std::string_view, Opcode>& opcode_table();

 private:
  // Defined in decode_function.cpp.
  void declare_variables();
  MicroOp decode_instruction(const ptx::Instruction& instruction);
  const LaneOp* lane_op_of(const ptx::Instruction& instruction);
  bool decode_lane(const ptx::Instruction& instruction, MicroOp& op);
  void link_blocks();

  // Defined in decode_registers.cpp: rows for operands.
  Row allocate(RowType type);
  RowOffset allocate_words(uint32_t words);
  const ptx::RegisterDeclaration* declaration_of(std::string_view name) const;
  RowType declared_type(const ptx::Operand& reg) const;
  void allocate_registers();
  std::optional<Row> register_row(const ptx::Operand& reg);
  std::optional<Row> special_row(std::string_view name);
  RowOffset constant_row(RowType type, uint64_t value);
  RowOffset scratch_row(RowType type);
  bool address_is_used(std::string_view parameter) const;
  std::optional<Row> symbol_row(std::string_view name, int64_t addend, RowType wanted);
  // The row of a source; nullopt when the operand cannot have that type.
  std::optional<RowOffset> source(const ptx::Operand& operand, RowType wanted,
                                  std::string_view type = {});
  std::optional<RowOffset> destination(const ptx::Operand& operand, RowType wanted);
  std::optional<Row> any_row(const ptx::Operand& operand, RowType wanted_constant);
  bool predicate(const ptx::Operand& operand, RowOffset& row, bool& negated);

  // Defined in decode_memory.cpp.
  bool decode_load(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_store(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_convert_address(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_is_space(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_map_shared(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_prefetch(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_fence(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_stack(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool place(const ptx::Operand& operand, MemorySpace space, MemoryOp& op);
  void bound_to_shared_array(const ptx::Operand& operand, MemoryOp& op);
  bool transfer_type(const OpcodeParts& parts, MemoryOp& op);
  bool values(const ptx::Operand& operand, bool is_destination, MemoryOp& op);
  uint32_t add_memory(MemoryOp op, AccessKind kind);

  // Defined in decode_atomics.cpp.
  bool decode_atomic(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_async_copy(const ptx::Instruction&, const OpcodeParts&, MicroOp&);

  // Defined in decode_bulk.cpp.
  bool decode_bulk(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_bulk_copy(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_tensor_map(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_create_policy(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool bulk_operands(const ptx::Instruction&, const OpcodeParts&, BulkOp& bulk);
  bool atomic_kind(const OpcodeParts& parts, AtomicOp& atomic);

  // Defined in decode_cluster.cpp.
  bool decode_mbarrier(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_async_arrive(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_cluster_barrier(const OpcodeParts&, MicroOp&);
  bool decode_rank_of_address(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_store_async(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_register_count(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  void add_mbarrier(MicroOp& op, const MbarrierOp& detail);
  // Defined in decode_texture.cpp.
  bool decode_texture(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_texture_query(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_surface(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool texture_place(const ptx::Operand& operand, TextureOp& op);
  bool texture_values(const ptx::Operand& operand, bool is_destination, size_t count,
                      TextureOp& op);

  // Defined in decode_control.cpp.
  bool decode_branch(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_branch_indexed(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_end(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_call(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_nothing(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_grid_dependency(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  std::optional<ParameterSlot> argument_slot(const ptx::Operand& operand);

  // Defined in decode_rare.cpp.
  bool decode_scalar_video(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_lop3(const ptx::Instruction&, const OpcodeParts&, MicroOp&);

  // Defined in decode_warp.cpp.
  bool decode_barrier(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_shuffle(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_vote(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_match(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_redux(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_elect(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_active_mask(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_sleep(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool decode_mov(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  void add_warp_op(MicroOp& op, OpKind kind, const WarpOp& detail);

  // Defined in matrix/decode_*.cpp.
  bool decode_matrix(const ptx::Instruction&, const OpcodeParts&, MicroOp&);
  bool fragment_move(const ptx::Instruction&, const OpcodeParts&, MatrixOp&);
  bool warp_product(const ptx::Instruction&, const OpcodeParts&, MatrixOp&);
  bool wmma_product(const ptx::Instruction&, const OpcodeParts&, MatrixOp&);
  bool wmma_memory(const ptx::Instruction&, const OpcodeParts&, MatrixOp&);
  bool warpgroup_op(const ptx::Instruction&, const OpcodeParts&, MatrixOp&);
  bool warpgroup_product(const ptx::Instruction&, const OpcodeParts&, MatrixOp&);
  bool product_rows(const ptx::Instruction& instruction, MatrixOp& matrix, size_t a, size_t b);
  bool matrix_rows(const ptx::Operand& operand, RowType type, bool is_destination, size_t count,
                   std::vector<RowOffset>& rows);
  void add_matrix_op(MicroOp& op, MatrixOp matrix);

  ModuleDecoder& owner_;
  Program& program_;
  const ptx::Function& function_;
  FunctionCode& code_;
  RowOffset next_row_ = kFirstRow;
  std::unordered_map<std::string_view, const ptx::RegisterDeclaration*> declarations_;
  // By RegisterNumber.
  std::vector<RowType> types_;  // none: not covered by one declaration
  std::vector<Row> rows_;       // kNoRow: not yet used
  RowAllocation allocation_;
  std::vector<std::string_view> shared_origins_;           // see shared_origins.h
  std::map<RowType, std::vector<RowOffset>> shared_rows_;  // by RowAllocation::numbers
  std::map<std::pair<RowType, uint64_t>, RowOffset> constants_;
  std::map<std::pair<uint64_t, RowType>, RowOffset> local_addresses_;
  std::map<RowType, RowOffset> scratch_;
  struct LocalVariable {
    uint64_t offset;
  };
  std::unordered_map<std::string_view, LocalVariable> locals_;
  std::unordered_map<std::string_view, ParameterSlot> slots_;  // .param variables of this function
  std::unordered_map<std::string_view, uint32_t> kernel_parameters_;  // name -> offset
};

}  // namespace ridge::machine
