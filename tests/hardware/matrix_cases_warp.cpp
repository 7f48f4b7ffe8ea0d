// ldmatrix, stmatrix, movmatrix and mma.sync.
#include "tests/hardware/matrix_tables.h"

namespace ridge::hardware {
namespace {

void add_contents(std::vector<Content>& list, Content content, size_t count) {
  if (content == Content::f64_low) {
    for (size_t i = 0; i < count; ++i) {
      list.push_back(Content::f64_low);
      list.push_back(Content::f64_high);
    }
    return;
  }
  list.insert(list.end(), count, content);
}

Content content_of(const std::string& type) {
  if (type == "f16") return Content::f16;
  if (type == "bf16") return Content::bf16;
  if (type == "tf32") return Content::tf32;
  if (type == "f32") return Content::f32;
  if (type == "e4m3") return Content::e4m3;
  if (type == "e5m2") return Content::e5m2;
  if (type == "f64") return Content::f64_low;
  if (type == "s32") return Content::small_s32;
  return Content::bits;
}

// A product of register operands: `a`, `b`, `c` registers of each, in the types' natural size.
void add_product(MatrixCases& cases, const std::string& opcode, const std::string& name,
                 const std::string& a_type, const std::string& b_type, const std::string& c_type,
                 const std::string& d_type, size_t a, size_t b, size_t c, size_t d,
                 const std::string& tail = {}, bool has_metadata = false) {
  MatrixKernel k;
  k.name = name;
  add_contents(k.inputs, content_of(a_type), a);
  add_contents(k.inputs, content_of(b_type), b);
  add_contents(k.inputs, content_of(c_type), c);
  const bool wide = a_type == "f64";
  if (wide) {
    for (size_t i = 0; i < a + b + c; ++i)
      k.body += "  mov.b64 %w" + std::to_string(i) + ", {%i" + std::to_string(2 * i) + ",%i" +
                std::to_string(2 * i + 1) + "};\n";
    k.body += "  " + opcode + " " + registers("%w", a + b + c, d) + ", " + registers("%w", 0, a) + ", " +
              registers("%w", a, b) + ", " + registers("%w", a + b, c) + ";\n";
    for (size_t i = 0; i < d; ++i)
      k.body += "  mov.b64 {%o" + std::to_string(2 * i) + ",%o" + std::to_string(2 * i + 1) + "}, %w" +
                std::to_string(a + b + c + i) + ";\n";
    k.outputs = static_cast<uint32_t>(2 * d);
  } else {
    k.body = "  " + opcode + " " + registers("%o", 0, d) + ", " + registers("%i", 0, a) + ", " +
             registers("%i", a, b) + ", " + registers("%i", a + b, c);
    if (has_metadata) {
      // The metadata of sparse A: which two of four elements are there (01, 02, 03, 12, 13 or 23,
      // different by lane). tf32 has one of two elements, which are halves 01 or 23 of four.
      k.body = "  mov.u32 %v3, " + std::string(a_type == "tf32" ? "0xe4e44e44" : "0x94d8ec98") +
               ";\n  shr.u32 %v4, %lane, 2;\n  and.b32 %v4, %v4, 1;\n  shl.b32 %v4, %v4, 3;\n"
               "  shf.l.wrap.b32 %v3, %v3, %v3, %v4;\n" +
               k.body + ", %v3, 0x0";
    }
    k.body += tail + ";\n";
    k.outputs = static_cast<uint32_t>(d);
  }
  cases.kernels.push_back(k);
  const bool integer = d_type == "s32";
  add_runs(cases, !integer);
}

std::string plain(std::string text) {
  for (char& ch : text)
    if (ch == '.' || ch == ':' || ch == '+') ch = '_';
  return text;
}

}  // namespace

void add_fragment_moves(MatrixCases& cases) {
  for (const int count : {1, 2, 4}) {
    for (const bool trans : {false, true}) {
      const std::string suffix = "x" + std::to_string(count) + (trans ? ".trans" : "");
      MatrixKernel load;
      load.name = plain("ldmatrix_" + suffix);
      load.outputs = static_cast<uint32_t>(count);
      load.reads_tile = true;
      // Rows 144 bytes apart, the second matrix and on from another place.
      load.body = "  mad.lo.u32 %v3, %lane, 144, %tile;\n  ldmatrix.sync.aligned.m8n8." + suffix +
                  ".shared.b16 " + registers("%o", 0, static_cast<size_t>(count)) + ", [%v3+32];\n";
      cases.kernels.push_back(load);
      add_runs(cases, false, Content::index16);
      MatrixKernel store;
      store.name = plain("stmatrix_" + suffix);
      store.writes_tile = true;
      store.inputs.assign(static_cast<size_t>(count), Content::bits);
      store.body = "  mad.lo.u32 %v3, %lane, 144, %tile;\n  stmatrix.sync.aligned.m8n8." + suffix +
                   ".shared.b16 [%v3+32], " + registers("%i", 0, static_cast<size_t>(count)) + ";\n";
      cases.kernels.push_back(store);
      add_runs(cases, false, Content::index16);
    }
  }
  MatrixKernel move;
  move.name = "movmatrix";
  move.inputs = {Content::bits};
  move.outputs = 1;
  move.body = "  movmatrix.sync.aligned.m8n8.trans.b16 %o0, %i0;\n";
  cases.kernels.push_back(move);
  add_runs(cases, false);
}

void add_warp_products(MatrixCases& cases) {
  struct Float {
    const char *shape, *a, *b, *d, *c;
    size_t ra, rb, rc;
  };
  std::vector<Float> floats = {
      {"m16n8k8", "f16", "f16", "f32", "f32", 2, 1, 4},   {"m16n8k16", "f16", "f16", "f32", "f32", 4, 2, 4},
      {"m16n8k8", "f16", "f16", "f16", "f16", 2, 1, 2},   {"m16n8k16", "f16", "f16", "f16", "f16", 4, 2, 2},
      {"m16n8k8", "bf16", "bf16", "f32", "f32", 2, 1, 4}, {"m16n8k16", "bf16", "bf16", "f32", "f32", 4, 2, 4},
      {"m16n8k4", "tf32", "tf32", "f32", "f32", 2, 1, 4}, {"m16n8k8", "tf32", "tf32", "f32", "f32", 4, 2, 4},
      {"m8n8k4", "f64", "f64", "f64", "f64", 1, 1, 2},    {"m16n8k4", "f64", "f64", "f64", "f64", 2, 1, 4},
      {"m16n8k8", "f64", "f64", "f64", "f64", 4, 2, 4},   {"m16n8k16", "f64", "f64", "f64", "f64", 8, 4, 4}};
  for (const char* a : {"e4m3", "e5m2"}) {
    for (const char* b : {"e4m3", "e5m2"}) {
      for (const char* d : {"f32", "f16"}) {
        const size_t rc = d[1] == '3' ? 4 : 2;
        floats.push_back({"m16n8k16", a, b, d, d, 2, 1, rc});
        floats.push_back({"m16n8k32", a, b, d, d, 4, 2, rc});
      }
    }
  }
  for (const Float& f : floats) {
    const std::string opcode =
        "mma.sync.aligned." + std::string(f.shape) + ".row.col." + f.d + "." + f.a + "." + f.b + "." + f.c;
    add_product(cases, opcode, plain("mma_" + std::string(f.shape) + "_" + f.d + "_" + f.a + "_" + f.b), f.a,
                f.b, f.c, f.d, f.ra, f.rb, f.rc, f.rc);
  }
  for (const char* layout : {"row.row", "row.col", "col.row", "col.col"}) {
    for (const char* d : {"f16", "f32"}) {
      for (const char* c : {"f16", "f32"}) {
        if (d[1] == '1' && c[1] == '3') continue;
        add_product(cases, "mma.sync.aligned.m8n8k4." + std::string(layout) + "." + d + ".f16.f16." + c,
                    plain("mma_m8n8k4_" + std::string(layout) + "_" + d + "_" + c), "f16", "f16", c, d, 2, 2,
                    c[1] == '3' ? 8 : 4, d[1] == '3' ? 8 : 4);
      }
    }
  }
  struct Whole {
    const char* shape;
    const char* first;
    const char* second;
    size_t ra, rb, rc;
  };
  const Whole wholes[] = {{"m8n8k16", "s8", "u8", 1, 1, 2},  {"m16n8k16", "s8", "u8", 2, 1, 4},
                          {"m16n8k32", "s8", "u8", 4, 2, 4}, {"m8n8k32", "s4", "u4", 1, 1, 2},
                          {"m16n8k32", "s4", "u4", 2, 1, 4}, {"m16n8k64", "s4", "u4", 4, 2, 4}};
  for (const Whole& w : wholes) {
    for (const char* a : {w.first, w.second}) {
      for (const char* b : {w.first, w.second}) {
        for (const char* saturate : {"", ".satfinite"}) {
          add_product(cases,
                      "mma.sync.aligned." + std::string(w.shape) + ".row.col" + saturate + ".s32." + a + "." +
                          b + ".s32",
                      plain("mma_" + std::string(w.shape) + "_" + a + "_" + b + saturate), a, b, "s32", "s32",
                      w.ra, w.rb, w.rc, w.rc);
        }
      }
    }
  }
  const Whole bits[] = {{"m8n8k128", "and", "xor", 1, 1, 2},
                        {"m16n8k128", "and", "xor", 2, 1, 4},
                        {"m16n8k256", "and", "xor", 4, 2, 4}};
  for (const Whole& w : bits) {
    for (const char* operation : {"and", "xor"}) {
      add_product(
          cases, "mma.sync.aligned." + std::string(w.shape) + ".row.col.s32.b1.b1.s32." + operation + ".popc",
          plain("mma_" + std::string(w.shape) + "_b1_" + operation), "b1", "b1", "s32", "s32", w.ra, w.rb,
          w.rc, w.rc);
    }
  }
  struct Sparse {
    const char *shape, *a, *d;
    size_t ra, rb, rc;
  };
  const Sparse sparse[] = {{"m16n8k16", "f16", "f32", 2, 2, 4},  {"m16n8k32", "f16", "f32", 4, 4, 4},
                           {"m16n8k16", "f16", "f16", 2, 2, 2},  {"m16n8k32", "f16", "f16", 4, 4, 2},
                           {"m16n8k16", "bf16", "f32", 2, 2, 4}, {"m16n8k32", "bf16", "f32", 4, 4, 4},
                           {"m16n8k8", "tf32", "f32", 2, 2, 4},  {"m16n8k16", "tf32", "f32", 4, 4, 4},
                           {"m16n8k64", "e4m3", "f32", 4, 4, 4}, {"m16n8k64", "e5m2", "f32", 4, 4, 4},
                           {"m16n8k32", "s8", "s32", 2, 2, 4},   {"m16n8k64", "u8", "s32", 4, 4, 4}};
  for (const Sparse& s : sparse) {
    const bool integer = std::string(s.d) == "s32";
    const std::string opcode = "mma.sp::ordered_metadata.sync.aligned." + std::string(s.shape) + ".row.col." +
                               s.d + "." + s.a + "." + s.a + "." + s.d;
    add_product(cases, opcode, plain("mma_sp_" + std::string(s.shape) + "_" + s.d + "_" + s.a), s.a, s.a,
                integer ? "s32" : s.d, s.d, s.ra, s.rb, s.rc, s.rc, "", true);
  }
}

}  // namespace ridge::hardware
