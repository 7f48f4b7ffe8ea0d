// Generates AccessCaches::elides as native code: a load that no observer needs is recorded inline.
#include <cstddef>

#include "virtual_gpu/machine/native/access_code.h"

namespace ridge::machine {
namespace {

using Xbyak::Label;
using Xbyak::Reg64;
namespace r = Xbyak::util;

Xbyak::Address field(const Reg64& base, size_t member) {
  return r::ptr[base + static_cast<int>(member)];
}

}  // namespace

// Records nothing when the access must be reported.
void AccessCode::emit_elision(const MemoryOp& memory, size_t at, Detour& detour) {
  code_.mov(elided_, cached(at, offsetof(AccessCache, elided)));
  code_.mov(work_, address_);
  code_.sub(work_, field(elided_, offsetof(ElidedAccess, from)));
  code_.cmp(work_, field(elided_, offsetof(ElidedAccess, span)));
  code_.ja(detour.begin, Xbyak::CodeGenerator::T_NEAR);
  if (memory.space == MemorySpace::shared) {
    Label is_noted;
    code_.mov(r::eax, field(elided_, offsetof(ElidedAccess, pattern)));
    code_.cmp(r::eax, -1);
    static_assert(ElidedAccess::kNotLogged == ~0u);
    code_.je(is_noted);
    code_.Xbyak::CodeGenerator::call(log_);
    code_.jc(detour.begin, Xbyak::CodeGenerator::T_NEAR);
    code_.L(is_noted);
    logs_ = true;
  }
  code_.mov(r::eax, field(elided_, offsetof(ElidedAccess, key_mask)));
  code_.and_(r::rax, address_);
  code_.mov(work_, field(elided_, offsetof(ElidedAccess, counts)));
  code_.inc(r::qword[work_ + r::rax * 8]);
  code_.inc(r::qword[elided_ + static_cast<int>(offsetof(ElidedAccess, times))]);
  code_.mov(work_, field(elided_, offsetof(ElidedAccess, lowest)));
  code_.cmp(address_, work_);
  code_.cmovb(work_, address_);
  code_.mov(field(elided_, offsetof(ElidedAccess, lowest)), work_);
  code_.mov(work_, field(elided_, offsetof(ElidedAccess, highest)));
  code_.cmp(address_, work_);
  code_.cmova(work_, address_);
  code_.mov(field(elided_, offsetof(ElidedAccess, highest)), work_);
}

// ReadLog::add for the elided access with its pattern in eax: the carry flag means that it must be
// reported. Preserves vectors and masks.
void AccessCode::emit_log() {
  const Reg64 &log = r::r8, &next = r::r9, &begin = r::rdx, &lines = r::rsi, &byte = r::rdi;
  const auto in_log = [&](size_t member) { return r::ptr[log + static_cast<int>(member)]; };
  Label fail, is_read;
  code_.L(log_);
  code_.mov(log, r::ptr[code_.context + static_cast<int>(offsetof(NativeContext, log))]);
  code_.mov(r::edx, r::ptr[code_.context + static_cast<int>(offsetof(NativeContext, warp))]);
  code_.cmp(r::edx, in_log(offsetof(ReadLog, warp)));
  code_.jne(fail, Xbyak::CodeGenerator::T_NEAR);
  code_.mov(next, in_log(offsetof(ReadLog, next)));
  code_.cmp(next, in_log(offsetof(ReadLog, end)));
  code_.je(fail, Xbyak::CodeGenerator::T_NEAR);
  code_.mov(r::ecx, field(elided_, offsetof(ElidedAccess, below)));
  code_.mov(begin, address_);
  code_.sub(begin, r::rcx);
  // One bit per line from the first to the last.
  static_assert(ReadLog::kLineBytes == 128);
  code_.mov(r::ecx, r::edx);
  code_.and_(r::ecx, 127);
  code_.add(r::ecx, field(elided_, offsetof(ElidedAccess, bytes)));
  code_.dec(r::ecx);
  code_.shr(r::ecx, 7);
  code_.mov(r::esi, 2);
  code_.shl(lines, r::cl);
  code_.dec(lines);
  // The first line's position: a byte, and a bit in it.
  code_.mov(r::ecx, r::edx);
  code_.shr(r::ecx, 7);
  code_.mov(r::edi, r::ecx);
  code_.shr(r::edi, 3);
  code_.and_(r::ecx, 7);
  code_.shl(lines, r::cl);
  const auto bits = [&](size_t member) { return r::ptr[log + byte + static_cast<int>(member)]; };
  code_.mov(begin, bits(offsetof(ReadLog, settled)));
  code_.not_(begin);
  code_.test(begin, lines);
  code_.jnz(fail, Xbyak::CodeGenerator::T_NEAR);
  code_.mov(begin, bits(offsetof(ReadLog, read)));
  code_.not_(begin);
  code_.test(begin, lines);
  code_.jz(is_read);
  code_.or_(bits(offsetof(ReadLog, read)), lines);
  code_.L(is_read);
  static_assert(sizeof(ReadLog::Entry) == 8);
  code_.mov(r::ptr[next + static_cast<int>(offsetof(ReadLog::Entry, first))], address_.cvt32());
  code_.mov(r::ptr[next + static_cast<int>(offsetof(ReadLog::Entry, pattern))], r::eax);
  code_.add(next, static_cast<int>(sizeof(ReadLog::Entry)));
  code_.mov(in_log(offsetof(ReadLog, next)), next);
  code_.clc();
  code_.ret();
  code_.L(fail);
  code_.stc();
  code_.ret();
}

}  // namespace ridge::machine
