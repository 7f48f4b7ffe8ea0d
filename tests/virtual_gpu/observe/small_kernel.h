// A kernel that does one of everything an observer sees: out[i] = tile[i] where tile[i] = in[2 i], in one
// block a warp pair.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/ptx/parser.h"

inline constexpr std::string_view kSmallKernel = R"(.version 8.8
.target sm_90a
.address_size 64
.file 1 "small.cu"
.visible .entry small(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<12>;
  .reg .f32 %f<4>;
  .shared .align 4 .b8 tile[256];
  .loc 1 3 0
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.s32 %r3, %r2, 64, %r1;
  .loc 1 4 0
  mul.wide.u32 %rd5, %r3, 8;
  add.s64 %rd6, %rd3, %rd5;
  ld.global.f32 %f1, [%rd6];
  mov.u32 %r4, tile;
  shl.b32 %r5, %r1, 2;
  add.s32 %r6, %r4, %r5;
  .loc 1 5 0
  st.shared.f32 [%r6], %f1;
  bar.sync 0;
  ld.shared.f32 %f2, [%r6];
  .loc 1 6 0
  setp.gt.u32 %p1, %r1, 39;
  @%p1 bra $end;
  mul.wide.u32 %rd7, %r3, 4;
  add.s64 %rd8, %rd4, %rd7;
  st.global.f32 [%rd8], %f2;
$end:
  ret;
}
)";

inline std::shared_ptr<const ridge::machine::Program> small_program() {
  auto module = std::make_shared<const ridge::ptx::Module>(ridge::ptx::parse(kSmallKernel));
  return ridge::machine::decode(std::move(module), "small", [](const std::string& name) -> uint64_t {
    throw std::runtime_error("no symbol " + name);
  });
}

// The index of the first instruction whose text begins so.
inline uint32_t instruction_named(const ridge::machine::Program& program, std::string_view opcode) {
  const auto& sources = ridge::machine::sources(program);
  for (size_t k = 0; k < sources.size(); ++k) {
    if (sources[k].text.find(opcode) != std::string::npos) return static_cast<uint32_t>(k);
  }
  throw std::runtime_error("no instruction " + std::string(opcode));
}
