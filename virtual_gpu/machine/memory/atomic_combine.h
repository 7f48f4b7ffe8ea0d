// The function of an atomic operation, for atom, red and the copy engine's reductions.
#pragma once

#include "virtual_gpu/machine/program/micro_op.h"

namespace ridge::machine {

// The stored value, computed from the old value, the operand and, for cas, the new value.
template <class Word>
using Combine = Word (*)(Word old, Word a, Word b);

// Word: uint16_t, uint32_t, uint64_t.
template <class Word>
Combine<Word> combine_for(const AtomicOp& op);

}  // namespace ridge::machine
