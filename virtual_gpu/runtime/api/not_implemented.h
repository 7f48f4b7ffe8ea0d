// The answer to calls of CUDA's runtime that this library does not implement.
#pragma once

// Called by the generated stubs of all functions that NVIDIA's library exports and this one does
// not implement: prints one message per name and returns cudaErrorNotSupported.
extern "C" int ridge_not_implemented(const char* name);
