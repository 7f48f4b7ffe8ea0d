// RIDGE_VECTOR marks a function of plain loops: it is compiled for several instruction sets; one is
// selected at start.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define RIDGE_VECTOR \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), optimize("O3")))
#else
#define RIDGE_VECTOR
#endif
