// A kernel of hand-written PTX around the copy engine: its parameters are read, its shared memory is there.
#pragma once

#include <string>

namespace ridge::machine::test {

// k(u64 a, u64 b, u32 c, 128-byte tensor map): %rd0 = a, %rd1 = b, %r0 = c, %rd38 = the map's generic
// address, %r10 = thread; s: shared memory, %r20 = its address; %p2: not thread 0. bar: an mbarrier, %r21 =
// its address.
inline std::string bulk_kernel(const std::string& body, int shared_bytes = 4096,
                               const std::string& directives = {}) {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 1024 .b8 s[" +
         std::to_string(shared_bytes) +
         "];\n.shared .align 8 .b64 bar[4];\n"
         ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 c, .param .align 64 .b8 map[128]) " +
         directives +
         " {\n.reg .b32 %r<60>; .reg .b64 %rd<60>; .reg .pred %p<20>; .reg .b16 %h<20>;\n"
         "ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b]; ld.param.u32 %r0, [c]; mov.u32 %r10, %tid.x;\n"
         "mov.b64 %rd37, map; cvta.param.u64 %rd38, %rd37;\n"
         "mov.u32 %r20, s; mov.u32 %r21, bar; setp.ne.u32 %p2, %r10, 0;\n" +
         body + "\nret;\n}\n";
}

// Every thread initialises nothing; thread 0 the mbarrier, with one arrival, and the block meets.
inline const std::string kInitBarrier =
    "@!%p2 mbarrier.init.shared::cta.b64 [%r21], 1;\n"
    "@!%p2 mbarrier.init.shared::cta.b64 [%r21+8], 1;\n"
    "fence.mbarrier_init.release.cluster;\nbar.sync 0;\n";

// All threads wait for the phase with this parity of bar[number].
inline std::string wait_for(int number, int parity) {
  static int serial = 0;
  const std::string label = "$wait" + std::to_string(serial++), at = std::to_string(8 * number);
  return label + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p9, [%r21+" + at + "], " +
         std::to_string(parity) + ";\n@!%p9 bra " + label + ";\n";
}

// out[i] = s[i] as words, for i below `words`, from address %rd1 on, by a block of 32 threads.
inline std::string show_shared(int words) {
  static int serial = 0;
  const std::string label = "$show" + std::to_string(serial++);
  return "mov.u32 %r50, %r10;\n" + label +
         ":\nshl.b32 %r51, %r50, 2; add.s32 %r52, %r20, %r51; ld.shared.u32 %r53, [%r52];\n"
         "cvt.u64.u32 %rd50, %r51; add.s64 %rd51, %rd1, %rd50; st.global.u32 [%rd51], %r53;\n"
         "add.s32 %r50, %r50, 32; setp.lt.u32 %p9, %r50, " +
         std::to_string(words) + "; @%p9 bra " + label + ";\n";
}

}  // namespace ridge::machine::test
