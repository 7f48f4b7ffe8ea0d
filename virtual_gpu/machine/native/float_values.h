// Loading and storing of values of the types f32, f32_ftz and f64 of the first tier
// (lanes/operations/types.h), as instructions.
#pragma once

#include "virtual_gpu/machine/native/row_assembler.h"

namespace ridge::machine {

// The table of vfixupimm, four bits per class of number from the lowest: both kinds of NaN keep the
// destination, all others copy the source.
inline constexpr uint32_t kKeepUnlessNan = 0x11111100;

// Replaces |value| below the smallest normal number by a zero of its sign.
inline RowAssembler::Zmm flushed(RowAssembler& code, RowAssembler::Zmm value) {
  const auto result = code.fresh();
  code.vptestnmd(code.scratch_mask, value, code.constant32(0x7f800000));
  code.vmovdqa64(result, value);
  code.vpandd(result | code.scratch_mask, value, code.constant32(0x80000000));
  return result;
}

struct F32 {
  static constexpr Width kWidth = Width::w32;
  static constexpr const char* ftz = "";
  static constexpr const char* name = ".f32";
  static RowAssembler::Zmm load(RowAssembler&, RowAssembler::Zmm value) { return value; }
  // Any NaN becomes the GPU's canonical NaN, unless nothing depends on which NaN it is.
  static RowAssembler::Zmm store(RowAssembler& code, RowAssembler::Zmm value, RowOffset row, int chunk) {
    return code.any_nan_will_do(row, chunk) ? value : store(code, value);
  }
  static RowAssembler::Zmm store(RowAssembler& code, RowAssembler::Zmm value) {
    const auto result = code.fresh();
    code.vmovdqa64(result, code.constant32(0x7fffffff));
    code.vfixupimmps(result, value, code.constant32(kKeepUnlessNan), 0);
    return result;
  }
};
struct F32Ftz : F32 {
  static constexpr const char* ftz = ".ftz";
  static RowAssembler::Zmm load(RowAssembler& code, RowAssembler::Zmm value) { return flushed(code, value); }
  static RowAssembler::Zmm store(RowAssembler& code, RowAssembler::Zmm value, RowOffset row, int chunk) {
    return F32::store(code, flushed(code, value), row, chunk);
  }
  static RowAssembler::Zmm store(RowAssembler& code, RowAssembler::Zmm value) {
    return F32::store(code, flushed(code, value));
  }
};
struct F64 {
  static constexpr Width kWidth = Width::w64;
  static constexpr const char* ftz = "";
  static constexpr const char* name = ".f64";
  static RowAssembler::Zmm load(RowAssembler&, RowAssembler::Zmm value) { return value; }
  static RowAssembler::Zmm store(RowAssembler& code, RowAssembler::Zmm value, RowOffset row, int chunk) {
    return code.any_nan_will_do(row, chunk) ? value : store(code, value);
  }
  static RowAssembler::Zmm store(RowAssembler& code, RowAssembler::Zmm value) {
    const auto result = code.fresh();
    code.vmovdqa64(result, code.constant64(0xfff8000000000000u));
    code.vfixupimmpd(result, value, code.constant64(kKeepUnlessNan), 0);
    return result;
  }
};

}  // namespace ridge::machine
