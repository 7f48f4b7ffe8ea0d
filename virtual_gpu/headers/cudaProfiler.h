// Starting and stopping a profiler, in the driver API.
#pragma once

#include "cuda.h"

#if defined(__cplusplus)
extern "C" {
#endif
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
#if defined(__cplusplus)
}
#endif
