// wmma: what each load puts into which register, and whole chains load, mma, store.
#include "tests/hardware/matrix_tables.h"

namespace ridge::hardware {
namespace {

struct Shape {
  const char* name;
  uint32_t m, n, k;
};
struct Fragment {
  size_t a, b, c, d;  // registers
};

std::string plain(std::string text) {
  for (char& ch : text)
    if (ch == '.') ch = '_';
  return text;
}

// In the shared array: A at 0, B at 8192, C at 16384, D from 0 again once A was read. Strides are a little
// longer than the rows.
struct Types {
  const char *a, *b, *c, *d;
  Content content, accumulator;
};

uint32_t stride_of(const char* layout, uint32_t rows, uint32_t columns, uint32_t align) {
  return (layout[0] == 'r' ? columns : rows) + align;
}

std::string load(const char* which, const char* layout, const Shape& shape, const char* type,
                 const char* prefix, size_t first, size_t count, uint32_t offset, uint32_t stride) {
  return "  wmma.load." + std::string(which) + ".sync.aligned." + layout + "." + shape.name + ".shared." +
         type + " " + registers(prefix, first, count) + ", [%tile+" + std::to_string(offset) + "], " +
         std::to_string(stride) + ";\n";
}

std::string store(const char* layout, const Shape& shape, const char* type, const char* prefix, size_t first,
                  size_t count, uint32_t stride) {
  return "  wmma.store.d.sync.aligned." + std::string(layout) + "." + shape.name + ".shared." + type +
         " [%tile], " + registers(prefix, first, count) + ", " + std::to_string(stride) + ";\n";
}

// Chains with the accumulator's content from another region: C is loaded as it lies there.
void add_chain(MatrixCases& cases, const Shape& shape, const Types& t, const Fragment& f,
               const char* a_layout, const char* b_layout, const char* c_layout, const std::string& operation,
               uint32_t align) {
  const bool wide = t.content == Content::f64_low;
  const char* prefix = wide ? "%w" : "%o";
  MatrixKernel k;
  k.name = plain("wmma_" + std::string(shape.name) + "_" + t.a + "_" + t.b + "_" + t.c + "_" + t.d + "_" +
                 a_layout + "_" + b_layout + "_" + c_layout + operation);
  k.writes_tile = true;
  k.outputs = wide ? 0 : static_cast<uint32_t>(f.a + f.b + f.c + f.d);
  const size_t b0 = f.a, c0 = b0 + f.b, d0 = c0 + f.c;
  k.body =
      load("a", a_layout, shape, t.a, prefix, 0, f.a, 0, stride_of(a_layout, shape.m, shape.k, align)) +
      load("b", b_layout, shape, t.b, prefix, b0, f.b, 8192, stride_of(b_layout, shape.k, shape.n, align)) +
      load("c", c_layout, shape, t.c, prefix, c0, f.c, 16384, stride_of(c_layout, shape.m, shape.n, 8));
  const std::string type = std::string(t.a);
  std::string types;
  if (type == "f16")
    types = std::string(t.d) + "." + t.c;
  else
    types = std::string(t.d) + "." + t.a + "." + t.b + "." + t.c;
  const bool is_bits = type == "b1";
  k.body += "  bar.sync 0;\n  wmma.mma" + (is_bits ? operation : "") + ".sync.aligned." + a_layout + "." +
            b_layout + "." + shape.name + "." + types + (is_bits ? "" : operation) + " " +
            registers(prefix, d0, f.d) + ", " + registers(prefix, 0, f.a) + ", " +
            registers(prefix, b0, f.b) + ", " + registers(prefix, c0, f.c) + ";\n";
  k.body += store(c_layout, shape, t.d, prefix, d0, f.d, stride_of(c_layout, shape.m, shape.n, 8));
  cases.kernels.push_back(k);
  add_runs(cases, false, t.content, {}, false);
  MatrixRun& run = cases.runs.back();
  run.has_accumulator = true;
  run.accumulator_content = t.accumulator;
}

}  // namespace

void add_wmma(MatrixCases& cases) {
  const Shape square{"m16n16k16", 16, 16, 16}, tall{"m32n8k16", 32, 8, 16}, flat{"m8n32k16", 8, 32, 16};
  for (const char* a : {"row", "col"}) {
    for (const char* b : {"row", "col"}) {
      for (const char* c : {"row", "col"}) {
        for (const Shape& shape : {square, tall, flat}) {
          const bool is_tall = shape.m == 32, is_flat = shape.m == 8;
          add_chain(cases, shape, {"f16", "f16", "f16", "f16", Content::f16, Content::f16}, {8, 8, 4, 4}, a,
                    b, c, "", 8);
          add_chain(cases, shape, {"f16", "f16", "f16", "f32", Content::f16, Content::f16}, {8, 8, 4, 8}, a,
                    b, c, "", 8);
          add_chain(cases, shape, {"f16", "f16", "f32", "f32", Content::f16, Content::f32}, {8, 8, 8, 8}, a,
                    b, c, "", 8);
          const Fragment bf{is_tall ? 8u : is_flat ? 2u : 4u, is_tall ? 2u : is_flat ? 8u : 4u, 8, 8};
          add_chain(cases, shape, {"bf16", "bf16", "f32", "f32", Content::bf16, Content::f32}, bf, a, b, c,
                    "", 8);
          const Fragment bytes{bf.a / 2, bf.b / 2, 8, 8};
          add_chain(cases, shape, {"s8", "s8", "s32", "s32", Content::bits, Content::bits}, bytes, a, b, c,
                    "", 16);
          add_chain(cases, shape, {"u8", "u8", "s32", "s32", Content::bits, Content::bits}, bytes, a, b, c,
                    ".satfinite", 16);
        }
        const Shape tf{"m16n16k8", 16, 16, 8}, f64{"m8n8k4", 8, 8, 4};
        add_chain(cases, tf, {"tf32", "tf32", "f32", "f32", Content::tf32, Content::f32}, {4, 4, 8, 8}, a, b,
                  c, "", 4);
        add_chain(cases, f64, {"f64", "f64", "f64", "f64", Content::f64_low, Content::f64_low}, {1, 1, 2, 2},
                  a, b, c, "", 2);
      }
    }
  }
  const Shape nibbles{"m8n8k32", 8, 8, 32}, bits{"m8n8k128", 8, 8, 128};
  for (const char* c : {"row", "col"}) {
    add_chain(cases, nibbles, {"s4", "s4", "s32", "s32", Content::bits, Content::bits}, {1, 1, 2, 2}, "row",
              "col", c, "", 32);
    add_chain(cases, nibbles, {"u4", "u4", "s32", "s32", Content::bits, Content::bits}, {1, 1, 2, 2}, "row",
              "col", c, ".satfinite", 32);
    add_chain(cases, bits, {"b1", "b1", "s32", "s32", Content::bits, Content::bits}, {1, 1, 2, 2}, "row",
              "col", c, ".xor.popc", 128);
    add_chain(cases, bits, {"b1", "b1", "s32", "s32", Content::bits, Content::bits}, {1, 1, 2, 2}, "row",
              "col", c, ".and.popc", 128);
  }
}

}  // namespace ridge::hardware
