// tex, tld4, txq, suld, sust, suq.
#include "virtual_gpu/machine/decode/decoder.h"

namespace ridge::machine {
namespace {

using OperandKind = ptx::Operand::Kind;

// "2d", "a1d", "cube": how many coordinates, and whether a layer comes before them. Multisampled images are not
// executed: their opcodes stay unknown, and the launch stops with their text.
bool geometry(const OpcodeParts& parts, TextureOp& op) {
  for (const char* name : {"1d", "2d", "3d", "a1d", "a2d"}) {
    if (!parts.has(name)) continue;
    op.is_layered = name[0] == 'a';
    op.dimensions = static_cast<uint8_t>(name[op.is_layered ? 1 : 0] - '0');
    return true;
  }
  op.is_cube = parts.has("cube") || parts.has("acube");
  op.is_layered = parts.has("acube");
  op.dimensions = 3;
  return op.is_cube;
}

std::optional<SurfaceBoundary> boundary(const OpcodeParts& parts) {
  if (parts.has("trap")) return SurfaceBoundary::trap;
  if (parts.has("clamp")) return SurfaceBoundary::clamp;
  if (parts.has("zero")) return SurfaceBoundary::zero;
  return std::nullopt;
}

int component_of(const OpcodeParts& parts) {
  for (int i = 0; i < 4; ++i) {
    if (parts[1] == std::string_view("rgba").substr(static_cast<size_t>(i), 1)) return i;
  }
  return -1;
}

}  // namespace

// [texture, {x, y}]: the object's register, and rows for the coordinates.
bool FunctionDecoder::texture_place(const ptx::Operand& operand, TextureOp& op) {
  if (operand.kind != OperandKind::address || operand.name.empty() || operand.name[0] != '%') return false;
  const auto handle = register_row(operand);
  if (!handle || handle->type != RowType::b64) return false;
  op.handle = handle->offset;
  if (op.kind == TextureOpKind::query) return operand.elements.empty();
  // Two elements would be a separate sampler and the coordinates, which nvcc does not emit.
  if (operand.elements.size() != 1) return false;
  const ptx::Operand& place = operand.elements[0];
  const size_t wanted = size_t{op.dimensions} + op.is_layered;
  const bool is_vector = place.kind == OperandKind::vector;
  if ((is_vector ? place.elements.size() : 1) < wanted) return false;
  for (size_t i = 0; i < wanted; ++i) {
    const ptx::Operand& element = is_vector ? place.elements[i] : place;
    const auto row =
        source(element, RowType::b32, op.float_coordinates && !(op.is_layered && i == 0) ? "f32" : "s32");
    if (!row) return false;
    if (op.is_layered && i == 0)
      op.layer = *row;
    else
      op.coordinates[i - op.is_layered] = *row;
  }
  return true;
}

bool FunctionDecoder::texture_values(const ptx::Operand& operand, bool is_destination, size_t count,
                                     TextureOp& op) {
  const bool is_vector = operand.kind == OperandKind::vector;
  if ((is_vector ? operand.elements.size() : 1) != count) return false;
  const RowType type = op.element_bytes == 8 ? RowType::b64 : RowType::b32;
  for (size_t i = 0; i < count; ++i) {
    const ptx::Operand& element = is_vector ? operand.elements[i] : operand;
    op.values[i] = kNoRow;
    if (is_destination && (element.kind == OperandKind::sink || element.name == "_")) continue;
    const auto row = is_destination ? destination(element, type) : source(element, type);
    if (!row) return false;
    op.values[i] = *row;
  }
  op.count = static_cast<uint8_t>(count);
  return true;
}

bool FunctionDecoder::decode_texture(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                     MicroOp& op) {
  if (instruction.operands.size() < 2) return false;
  TextureOp texture;
  const bool is_gather = parts.base() == "tld4";
  texture.kind = is_gather ? TextureOpKind::gather : TextureOpKind::sample;
  const std::string_view result = parts[parts.size() - 2], coordinate = parts.last();
  if (!geometry(parts, texture) || !parts.has("v4")) return false;
  if (result != "f32" && result != "s32" && result != "u32") return false;
  if (coordinate != "f32" && coordinate != "s32") return false;
  texture.float_coordinates = coordinate == "f32";
  if (texture.is_cube && !texture.float_coordinates) return false;
  if (is_gather) {
    const int component = component_of(parts);
    if (component < 0 || texture.dimensions != 2) return false;
    texture.component = static_cast<uint8_t>(component);
  }
  // .level and .grad select a mipmap level; there is only one level here, so they have no effect.
  if (!texture_values(instruction.operands[0], true, 4, texture)) return false;
  if (!texture_place(instruction.operands[1], texture)) return false;
  op.kind = OpKind::texture;
  op.detail = static_cast<uint32_t>(program_.textures.size());
  program_.textures.push_back(texture);
  return true;
}

bool FunctionDecoder::decode_texture_query(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                           MicroOp& op) {
  if (instruction.operands.size() != 2) return false;
  TextureOp query;
  query.kind = TextureOpKind::query;
  if (parts[1] == "width")
    query.component = 0;
  else if (parts[1] == "height")
    query.component = 1;
  else if (parts[1] == "depth" || parts[1] == "array_size")
    query.component = 2;
  else
    return false;
  if (!texture_values(instruction.operands[0], true, 1, query)) return false;
  if (!texture_place(instruction.operands[1], query)) return false;
  op.kind = OpKind::texture;
  op.detail = static_cast<uint32_t>(program_.textures.size());
  program_.textures.push_back(query);
  return true;
}

bool FunctionDecoder::decode_surface(const ptx::Instruction& instruction, const OpcodeParts& parts,
                                     MicroOp& op) {
  if (instruction.operands.size() != 2 || parts[1] != "b") return false;
  TextureOp surface;
  const bool is_load = parts.base() == "suld";
  surface.kind = is_load ? TextureOpKind::load_surface : TextureOpKind::store_surface;
  surface.float_coordinates = false;
  const auto mode = boundary(parts);
  if (!geometry(parts, surface) || !mode) return false;
  surface.boundary = *mode;
  int bits = 0;
  for (size_t i = 2; i < parts.size(); ++i)
    bits = std::max(bits, type_bits(parts[i]));
  if (bits < 8 || bits > 64) return false;
  surface.element_bytes = static_cast<uint8_t>(bits / 8);
  const size_t count = parts.has("v4") ? 4 : parts.has("v2") ? 2 : 1;
  const ptx::Operand& values = instruction.operands[is_load ? 0 : 1];
  const ptx::Operand& place = instruction.operands[is_load ? 1 : 0];
  if (!texture_values(values, is_load, count, surface) || !texture_place(place, surface)) return false;
  op.kind = OpKind::texture;
  op.detail = static_cast<uint32_t>(program_.textures.size());
  program_.textures.push_back(surface);
  return true;
}

}  // namespace ridge::machine
