// Assigns rows to operands. A register gets its row at its first use, so that rows used together
// are adjacent.
#include <algorithm>
#include <bit>
#include <cmath>

#include "virtual_gpu/machine/decode/decoder.h"
#include "virtual_gpu/machine/memory/address_windows.h"
#include "virtual_gpu/machine/program/register_allocation.h"

namespace ridge::machine {
namespace {

uint32_t row_bytes(RowType type) {
  switch (type) {
    case RowType::pred:
      return 64;
    case RowType::b32:
      return 128;
    case RowType::b64:
      return 256;
    case RowType::b128:
      return 512;
    case RowType::none:
      break;
  }
  return 0;
}

RowType row_type_of(std::string_view type) {
  const int bits = type_bits(type);
  if (bits == 1) return RowType::pred;
  if (bits == 128) return RowType::b128;
  return bits == 64 ? RowType::b64 : RowType::b32;
}

const std::unordered_map<std::string_view, Special>& special_names() {
  static const std::unordered_map<std::string_view, Special> names{
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},
      {"%warpid", Special::warpid},
      {"%nwarpid", Special::nwarpid},
      {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},
      {"%gridid", Special::gridid},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%dynamic_smem_size", Special::dynamic_shared},
      {"%total_smem_size", Special::total_shared},
      {"%aggr_smem_size", Special::total_shared},
      // A launch without clusters has clusters of one block.
      {"%is_explicit_cluster", Special::cluster_is_explicit},
      {"%cluster_ctarank", Special::cluster_rank},
      {"%cluster_nctarank", Special::cluster_blocks},
      {"%cluster_ctaid.x", Special::cluster_block_x},
      {"%cluster_ctaid.y", Special::cluster_block_y},
      {"%cluster_ctaid.z", Special::cluster_block_z},
      {"%cluster_nctaid.x", Special::cluster_size_x},
      {"%cluster_nctaid.y", Special::cluster_size_y},
      {"%cluster_nctaid.z", Special::cluster_size_z},
      {"%clusterid.x", Special::cluster_id_x},
      {"%clusterid.y", Special::cluster_id_y},
      {"%clusterid.z", Special::cluster_id_z},
      {"%nclusterid.x", Special::cluster_count_x},
      {"%nclusterid.y", Special::cluster_count_y},
      {"%nclusterid.z", Special::cluster_count_z},
      {"%current_graph_exec", Special::zero},
      {"%envreg1", Special::grid_workspace_high},
      {"%envreg2", Special::grid_workspace_low},
      {"%reserved_smem_offset_begin", Special::zero},
      {"%reserved_smem_offset_0", Special::zero},
      {"%reserved_smem_offset_1", Special::reserved_shared_middle},
      {"%reserved_smem_offset_end", Special::reserved_shared_end},
      {"%reserved_smem_offset_cap", Special::reserved_shared_end},
  };
  return names;
}

uint64_t float_bits(const ptx::Operand& operand, RowType wanted) {
  if (wanted == RowType::b64) return std::bit_cast<uint64_t>(operand.floating);
  if (operand.is_f32_bits) return static_cast<uint32_t>(operand.integer);
  return std::bit_cast<uint32_t>(static_cast<float>(operand.floating));
}

}  // namespace

Row FunctionDecoder::allocate(RowType type) {
  const Row row{next_row_, type};
  next_row_ += row_bytes(type);
  return row;
}

RowOffset FunctionDecoder::allocate_words(uint32_t words) {
  const RowOffset first = next_row_;
  next_row_ += words * row_bytes(RowType::b32);
  return first;
}

// The declaration of a register, whose name may be one of a range ("%rd12") or a part ("%v3.x").
const ptx::RegisterDeclaration* FunctionDecoder::declaration_of(std::string_view name) const {
  if (const auto it = declarations_.find(name); it != declarations_.end() && it->second->count == 0)
    return it->second;
  // "%rd12.x" is part of a vector register; "%rd12" belongs to the declaration "%rd<N>".
  const std::string_view whole = name.substr(0, name.find('.', 1));
  const size_t digits = whole.find_last_not_of("0123456789") + 1;
  if (digits < whole.size()) {
    const auto it = declarations_.find(whole.substr(0, digits));
    if (it != declarations_.end() && it->second->count > 0) return it->second;
  }
  if (whole.size() == name.size()) return nullptr;
  const auto it = declarations_.find(whole);
  return it != declarations_.end() ? it->second : nullptr;
}

// none: no declaration has this name.
RowType FunctionDecoder::declared_type(const ptx::Operand& reg) const {
  if (types_[reg.number] != RowType::none) return types_[reg.number];
  const ptx::RegisterDeclaration* declaration = declaration_of(reg.name);
  return declaration == nullptr ? RowType::none : row_type_of(declaration->type);
}

void FunctionDecoder::allocate_registers() {
  types_.assign(function_.register_count, RowType::none);
  rows_.assign(function_.register_count, Row{});
  for (const ptx::RegisterDeclaration& d : function_.registers)
    std::fill_n(types_.begin() + d.first, std::max(d.count, 1u), row_type_of(d.type));
  allocation_ =
      allocate_rows(function_, [this](const ptx::Operand& reg) { return declared_type(reg); });
}

std::optional<Row> FunctionDecoder::register_row(const ptx::Operand& reg) {
  if (reg.number == ptx::kNoRegister) return std::nullopt;
  Row& known = rows_[reg.number];
  if (known.offset != kNoRow) return known;
  const RowType type = declared_type(reg);
  if (type == RowType::none) {
    const auto special = special_row(reg.name);
    if (special) known = *special;
    return special;
  }
  const auto& numbers = allocation_.numbers;
  const uint32_t number = reg.number < numbers.size() ? numbers[reg.number] : kOwnRow;
  if (number == kOwnRow) return known = allocate(type);
  std::vector<RowOffset>& shared = shared_rows_[type];
  if (number >= shared.size()) shared.resize(number + 1, kNoRow);
  if (shared[number] == kNoRow) shared[number] = allocate(type).offset;
  return known = Row{shared[number], type};
}

std::optional<Row> FunctionDecoder::special_row(std::string_view name) {
  Special special = Special::zero;
  if (const auto it = special_names().find(name); it != special_names().end())
    special = it->second;
  else if (!name.starts_with("%envreg") && !name.starts_with("%pm"))  // never set: 0
    return std::nullopt;
  const bool wide = name == "%gridid" || name == "%current_graph_exec" || name.ends_with("_64");
  const bool is_predicate = special == Special::cluster_is_explicit;
  const Row row = allocate(is_predicate ? RowType::pred : wide ? RowType::b64 : RowType::b32);
  code_.specials.push_back({row.offset, row.type, special});
  return row;
}

RowOffset FunctionDecoder::constant_row(RowType type, uint64_t value) {
  if (type == RowType::b32) value &= 0xffffffffu;
  if (type == RowType::pred) value = value != 0 ? kAllLanes : 0;
  const auto [it, is_new] = constants_.try_emplace({type, value}, 0);
  if (is_new) {
    it->second = allocate(type).offset;
    code_.constants.push_back({it->second, type, value});
  }
  return it->second;
}

// A row for a result that is never read.
RowOffset FunctionDecoder::scratch_row(RowType type) {
  const auto [it, is_new] = scratch_.try_emplace(type, 0);
  if (is_new) it->second = allocate(type).offset;
  return it->second;
}

// clang's debug builds move the address of a structure that a device function takes into a register that nothing reads.
bool FunctionDecoder::address_is_used(std::string_view parameter) const {
  const auto uses_of = [&](ptx::RegisterNumber number) {
    const std::function<size_t(std::span<const ptx::Operand>)> in = [&](auto operands) {
      size_t uses = 0;
      for (const ptx::Operand& operand : operands)
        uses += (operand.number == number) + in(operand.elements);
      return uses;
    };
    size_t uses = 0;
    for (const ptx::Instruction& instruction : function_.instructions)
      uses += in(instruction.operands);
    return uses;
  };
  for (const ptx::Instruction& instruction : function_.instructions) {
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const ptx::Operand& operand = instruction.operands[i];
      if (operand.kind != ptx::Operand::Kind::symbol || operand.name != parameter) continue;
      const ptx::Operand& written = instruction.operands[0];
      if (!instruction.opcode.starts_with("mov") || i == 0 || written.number == ptx::kNoRegister ||
          uses_of(written.number) > 1)
        return true;
    }
  }
  return false;
}

std::optional<Row> FunctionDecoder::symbol_row(std::string_view name, int64_t addend,
                                               RowType wanted) {
  const RowType type = wanted == RowType::b32 ? RowType::b32 : RowType::b64;
  if (const auto it = locals_.find(name); it != locals_.end()) {
    const uint64_t offset = it->second.offset + static_cast<uint64_t>(addend);
    const auto [row, is_new] = local_addresses_.try_emplace({offset, type}, 0);
    if (is_new) {
      row->second = allocate(type).offset;
      code_.local_addresses.push_back({row->second, type, offset});
    }
    return Row{row->second, type};
  }
  uint64_t value = 0;
  if (const auto parameter = kernel_parameters_.find(name); parameter != kernel_parameters_.end()) {
    value = address_windows().parameter + parameter->second;
  } else if (const auto shared = owner_.shared_offset(name)) {
    value = *shared;
  } else if (const auto address = owner_.symbol_address(name)) {
    value = *address;
  } else if (!slots_.contains(name) || address_is_used(name)) {
    return std::nullopt;
  }
  return Row{constant_row(type, value + static_cast<uint64_t>(addend)), type};
}

std::optional<Row> FunctionDecoder::any_row(const ptx::Operand& operand, RowType wanted_constant) {
  using Kind = ptx::Operand::Kind;
  switch (operand.kind) {
    case Kind::reg:
      return register_row(operand);
    case Kind::integer:
      return Row{constant_row(wanted_constant, static_cast<uint64_t>(operand.integer)),
                 wanted_constant};
    case Kind::floating:
      return Row{constant_row(wanted_constant, float_bits(operand, wanted_constant)),
                 wanted_constant};
    case Kind::symbol:
      return symbol_row(operand.name, operand.integer, wanted_constant);
    default:
      return std::nullopt;
  }
}

std::optional<RowOffset> FunctionDecoder::source(const ptx::Operand& operand, RowType wanted,
                                                 std::string_view type) {
  ptx::Operand adjusted;
  const ptx::Operand* used = &operand;
  const int bits = type_bits(type);
  if (operand.kind == ptx::Operand::Kind::integer && (bits == 8 || bits == 16)) {
    adjusted = operand;
    adjusted.integer &= (int64_t{1} << bits) - 1;
    used = &adjusted;
  }
  const auto row = any_row(*used, wanted);
  if (!row || row->type != wanted) return std::nullopt;
  return row->offset;
}

std::optional<RowOffset> FunctionDecoder::destination(const ptx::Operand& operand, RowType wanted) {
  if (operand.kind == ptx::Operand::Kind::sink) return scratch_row(wanted);
  if (operand.kind != ptx::Operand::Kind::reg) return std::nullopt;
  if (operand.name == "_") return scratch_row(wanted);
  const auto row = register_row(operand);
  if (!row || row->type != wanted) return std::nullopt;
  return row->offset;
}

bool FunctionDecoder::predicate(const ptx::Operand& operand, RowOffset& row, bool& negated) {
  const auto found = source(operand, RowType::pred);
  if (!found) return false;
  row = *found;
  negated = operand.negated;
  return true;
}

}  // namespace ridge::machine
