// What q, k and v hold for each kind of input: logits, not elements, decide what an attention kernel
// can get wrong.
#pragma once

#include "harness/problems/problem.h"

namespace ridge::problems {

// uniform: logits with a standard deviation of 2. offset: logits around +-10,000, with the sign of
// the row, and values around 1000. outliers: 1 key in 89 has logits 100 times larger, and 1 element
// of v in 89 is 1000 times larger. alternating: the sign of a logit is that of its key's number.
// zeros: every other query has equal logits, and half of v is zero. denormals: a third of k and v is
// below the smallest normal number. ascending: each key's logit is larger than the one before,
// and smaller for every other query, so that a running maximum always changes, also from the last
// key to the first; for half of the queries by 1 per key at d = 64, for the others by 1/64.
void fill_attention(const Fill& fill);

}  // namespace ridge::problems
