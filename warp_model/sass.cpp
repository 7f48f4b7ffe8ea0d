#include "warp_model/sass.h"

#include <algorithm>
#include <array>

namespace ridge::warp_model {
namespace {

constexpr uint32_t kOperations = 512;  // 9 bits

struct Range {
  uint16_t first, last;
  SassClass sass_class;
};

// Classes by operation number, with nvdisasm's names. A later row overrides an earlier one.
constexpr Range kRanges[] = {
    {0x000, 0x000, SassClass::other},
    {0x002, 0x005, SassClass::move},     // MOV P2R R2P CS2R
    {0x006, 0x006, SassClass::warp},     // VOTE
    {0x007, 0x007, SassClass::integer},  // SEL
    {0x008, 0x00b, SassClass::fp32},     // FSEL FMNMX FSET FSETP
    // 00c to 01f: ISETP VIMNMX3 IADD3 LEA LOP3 IABS VABSDIFF PRMT IMNMX SHF SGXT BMSK PLOP3.
    {0x00c, 0x01f, SassClass::integer},
    {0x020, 0x023, SassClass::fp32},          // FMUL FADD FSWZADD FFMA
    {0x024, 0x027, SassClass::integer},       // IMAD IMAD.WIDE IDP IMAD.HI
    {0x028, 0x02b, SassClass::fp64},          // DMUL DADD DSETP DFMA
    {0x02d, 0x02e, SassClass::sync},          // PREEXIT ACQBULK
    {0x02f, 0x02f, SassClass::warp},          // ELECT
    {0x030, 0x035, SassClass::fp16},          // HADD2 HFMA2 HMUL2 HSET2 HSETP2 HFMA2.MMA
    {0x036, 0x036, SassClass::integer},       // VIADD
    {0x037, 0x037, SassClass::tensor},        // IMMA
    {0x038, 0x039, SassClass::conversion},    // I2I I2IP
    {0x03a, 0x03a, SassClass::warp},          // MOVM
    {0x03b, 0x03b, SassClass::matrix_load},   // LDSM
    {0x03c, 0x03d, SassClass::tensor},        // HMMA BMMA
    {0x03e, 0x03e, SassClass::conversion},    // F2FP
    {0x03f, 0x03f, SassClass::tensor},        // DMMA
    {0x040, 0x040, SassClass::fp16},          // HMNMX2
    {0x043, 0x043, SassClass::conversion},    // F2IP
    {0x044, 0x044, SassClass::matrix_store},  // STSM
    {0x045, 0x045, SassClass::conversion},    // I2FP
    {0x046, 0x046, SassClass::integer},       // VIADDMNMX
    {0x047, 0x047, SassClass::fp16},          // VHMNMX
    {0x048, 0x048, SassClass::integer},       // VIMNMX
    {0x080, 0x0bf, SassClass::uniform},       // UMOV ULDC UIADD3 ULEA UISETP ...
    {0x086, 0x086, SassClass::warp},          // VOTEU
    {0x0ca, 0x0ca, SassClass::uniform},       // R2UR
    {0x100, 0x101, SassClass::integer},       // FLO BREV
    {0x102, 0x102, SassClass::fp32},          // FCHK
    {0x105, 0x107, SassClass::conversion},    // F2I I2F FRND
    {0x108, 0x108, SassClass::special},       // MUFU
    {0x109, 0x109, SassClass::integer},       // POPC
    {0x110, 0x113, SassClass::conversion},    // F2F F2I I2F FRND
    {0x118, 0x118, SassClass::control},       // NOP
    {0x119, 0x119, SassClass::move},          // S2R
    {0x11a, 0x11a, SassClass::sync},          // DEPBAR
    {0x11b, 0x11b, SassClass::control},       // ENDCOLLECTIVE
    {0x11c, 0x11c, SassClass::move},          // B2R
    {0x11d, 0x11d, SassClass::barrier},       // BAR
    {0x141, 0x150,
     SassClass::control},  // BSYNC BREAK CALL BSSY YIELD BRA WARPSYNC BRX JMP EXIT LEPC RET
    {0x152, 0x15c, SassClass::control},           // RPCMOV BMOV BRXU JMXU KILL BPT
    {0x15d, 0x15d, SassClass::control},           // NANOSLEEP
    {0x160, 0x173, SassClass::texture},           // TEX TLD4 TLD TMML TXD TXQ
    {0x180, 0x180, SassClass::generic_load},      // LD
    {0x181, 0x181, SassClass::global_load},       // LDG
    {0x182, 0x182, SassClass::constant_load},     // LDC
    {0x183, 0x183, SassClass::local_load},        // LDL
    {0x184, 0x184, SassClass::shared_load},       // LDS
    {0x185, 0x185, SassClass::generic_store},     // ST
    {0x186, 0x186, SassClass::global_store},      // STG
    {0x187, 0x187, SassClass::local_store},       // STL
    {0x188, 0x188, SassClass::shared_store},      // STS
    {0x189, 0x189, SassClass::warp},              // SHFL
    {0x18a, 0x18b, SassClass::generic_atomic},    // ATOM
    {0x18c, 0x18d, SassClass::shared_atomic},     // ATOMS
    {0x18e, 0x18e, SassClass::global_reduction},  // REDG
    {0x18f, 0x192, SassClass::sync},              // CCTL CCTLL MEMBAR
    {0x193, 0x19f, SassClass::texture},           // SULD SUST SUATOM SURED
    {0x1a1, 0x1a1, SassClass::warp},              // MATCH
    {0x1a2, 0x1a2, SassClass::generic_atomic},    // ATOM of floats
    {0x1a3, 0x1a3, SassClass::global_atomic},     // ATOMG of floats
    {0x1a6, 0x1a6, SassClass::global_reduction},  // REDG of floats
    {0x1a7, 0x1a7, SassClass::sync},              // SYNCS
    {0x1a8, 0x1a9, SassClass::global_atomic},     // ATOMG
    {0x1aa, 0x1aa, SassClass::other},             // QSPC
    {0x1ab, 0x1ab, SassClass::sync},              // ERRBAR CGAERRBAR
    {0x1ae, 0x1ae, SassClass::async_copy},        // LDGSTS
    {0x1af, 0x1b2, SassClass::sync},              // LDGDEPBAR ARRIVES SYNCS
    {0x1b4, 0x1b6, SassClass::bulk_copy},         // UTMALDG UTMASTG UTMAREDG
    {0x1b7, 0x1b7, SassClass::sync},              // UTMACMDFLUSH
    {0x1b8, 0x1bc, SassClass::bulk_copy},         // UTMAPF UTMACCTL UBLKCP UBLKRED UBLKPF
    {0x1c0, 0x1c1, SassClass::move},              // GETLMEMBASE SETLMEMBASE
    {0x1c3, 0x1c3, SassClass::uniform},           // S2UR
    {0x1c4, 0x1c4, SassClass::warp},              // REDUX
    {0x1c5, 0x1c7, SassClass::sync},              // WARPGROUP FENCE UCGABAR
    {0x1c8, 0x1c9, SassClass::control},           // USETMAXREG USETSHMSZ
    {0x1f0, 0x1f3, SassClass::tensor},            // HGMMA IGMMA BGMMA QGMMA
};

constexpr std::array<SassClass, kOperations> class_table() {
  std::array<SassClass, kOperations> table{};
  table.fill(SassClass::other);
  for (const Range& range : kRanges)
    for (uint32_t op = range.first; op <= range.last; ++op)
      table[op] = range.sass_class;
  return table;
}

constexpr std::array<SassClass, kOperations> kClasses = class_table();

constexpr uint32_t kNop = 0x118, kQspc = 0x1aa, kBsync = 0x141, kCallAbsolute = 0x143,
                   kCallRelative = 0x144, kBssy = 0x145, kBra = 0x147, kBrx = 0x149, kJmp = 0x14a,
                   kJmx = 0x14c, kExit = 0x14d, kRet = 0x150, kBrxu = 0x158, kJmxu = 0x159;

// Bits 34 to 81, signed, in units of 4 bytes.
int64_t long_offset(uint64_t low, uint64_t high) {
  const uint64_t field = low >> 34 | (high & 0x3ffff) << 30;
  return static_cast<int64_t>(field << 16) >> 16;
}

SassFlow flow_of(uint32_t operation) {
  switch (operation) {
    case kBra:
      return SassFlow::branch;
    case kBssy:
      return SassFlow::converge;
    case kBsync:
      return SassFlow::reconverge;
    case kExit:
      return SassFlow::exit;
    case kCallAbsolute:
    case kCallRelative:
      return SassFlow::call;
    case kBrx:
    case kJmp:
    case kJmx:
    case kRet:
    case kBrxu:
    case kJmxu:
      return SassFlow::other;
    default:
      return SassFlow::straight;
  }
}

bool moves_by_lane(SassClass c) {
  return (c >= SassClass::global_load && c <= SassClass::shared_atomic) ||
         (c >= SassClass::local_load && c <= SassClass::async_copy);
}

}  // namespace

std::string_view name(SassClass sass_class) {
  constexpr std::string_view kNames[] = {
      "fp32",         "fp64",          "fp16",          "integer",          "conversion",
      "special",      "tensor",        "move",          "uniform",          "warp",
      "global load",  "global store",  "global atomic", "global reduction", "shared load",
      "shared store", "shared atomic", "matrix load",   "matrix store",     "local load",
      "local store",  "generic load",  "generic store", "generic atomic",   "constant load",
      "async copy",   "bulk copy",     "texture",       "control",          "barrier",
      "sync",         "other"};
  static_assert(std::size(kNames) == kSassClasses);
  return kNames[static_cast<size_t>(sass_class)];
}

SassInstruction decode_sass(uint64_t low, uint64_t high, uint32_t address) {
  const uint32_t operation = low & (kOperations - 1);
  SassInstruction instruction;
  instruction.address = address;
  instruction.sass_class = kClasses[operation];
  instruction.flow = flow_of(operation);
  instruction.padding = operation == kNop;
  instruction.asks_for_space = operation == kQspc;
  instruction.guarded = (low >> 12 & 0xf) != 7;  // 7: PT, always
  instruction.sets_scoreboard = high >> 46 & 7;
  instruction.waits_for_scoreboards = high >> 52 & ((1u << kScoreboards) - 1);
  if (moves_by_lane(instruction.sass_class)) {
    constexpr uint8_t kWidths[] = {1, 1, 2, 2, 4, 8, 16, 16};  // U8 S8 U16 S16 32 64 128
    instruction.lane_bytes = kWidths[high >> 9 & 7];
  }
  if (instruction.sass_class == SassClass::local_load ||
      instruction.sass_class == SassClass::local_store)
    instruction.offset = static_cast<int32_t>(static_cast<int64_t>(low) >> 40);
  const int64_t next = int64_t{address} + kSassBytes;
  // BRA.DIV branches only when the warp has diverged. The compiler emits it where the warp has
  // converged, so the branch is not taken.
  constexpr uint64_t kBranchWhenDivergent = 2;
  if (instruction.flow == SassFlow::branch && (low >> 32 & 3) == kBranchWhenDivergent)
    instruction.flow = SassFlow::straight;
  // The low 8 bits of the offset are stored separately, in bits 16 to 23.
  const int64_t offset = long_offset(low, high) * 256 + static_cast<int64_t>(low >> 16 & 0xff);
  // The offset of a call is 0 where the linker is to fill it in. In any other form the function's
  // address is in a register.
  constexpr uint64_t kFormImmediate = 4;
  if (instruction.flow == SassFlow::branch) {
    instruction.guarded |= (high >> 23 & 0xf) != 7;  // a second predicate
    instruction.target = static_cast<uint32_t>(next + offset * 4);
  } else if (operation == kCallRelative && (low >> 9 & 7) == kFormImmediate && offset != 0) {
    instruction.target = static_cast<uint32_t>(next + offset * 4);
  } else if (instruction.flow == SassFlow::converge) {
    instruction.target = static_cast<uint32_t>(next + long_offset(low, high) * 4);
  }
  return instruction;
}

}  // namespace ridge::warp_model
