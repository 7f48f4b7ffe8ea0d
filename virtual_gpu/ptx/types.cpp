#include "virtual_gpu/ptx/types.h"

namespace ridge::ptx {

uint32_t type_bytes(std::string_view type) {
  struct Row {
    std::string_view type;
    uint32_t bytes;
  };
  static constexpr Row kTypes[] = {
      {"b32", 4},   {"b64", 8},    {"f32", 4},        {"b8", 1},     {"u64", 8},  {"u32", 4},
      {"pred", 1},  {"b16", 2},    {"f64", 8},        {"s32", 4},    {"s64", 8},  {"u16", 2},
      {"s16", 2},   {"u8", 1},     {"s8", 1},         {"f16", 2},    {"bf16", 2}, {"b128", 16},
      {"u128", 16}, {"s128", 16},  {"f16x2", 4},      {"bf16x2", 4}, {"tf32", 4}, {"e4m3", 1},
      {"e5m2", 1},  {"texref", 8}, {"samplerref", 8}, {"surfref", 8}};
  for (const Row& row : kTypes) {
    if (row.type == type) return row.bytes;
  }
  return 0;
}

}  // namespace ridge::ptx
