// libdevice, mathematical functions. Those of double follow textbook reductions with Taylor series, carried in two
// doubles where one is not enough; those of float are computed in double and rounded once. Errors against exact
// values are at most 2 units in the last place (tests/virtual_gpu/headers).
#pragma once

#include "ridge_cuda/device/libdevice/two_doubles.h"
//
#include "ridge_cuda/device/libdevice/exponents.h"
//
#include "ridge_cuda/device/libdevice/exponentials.h"
#include "ridge_cuda/device/libdevice/logarithms.h"
//
#include "ridge_cuda/device/libdevice/powers.h"
#include "ridge_cuda/device/libdevice/trigonometry.h"
//
#include "ridge_cuda/device/libdevice/gamma.h"
#include "ridge_cuda/device/libdevice/hyperbolic.h"
#include "ridge_cuda/device/libdevice/inverse_trigonometry.h"
#include "ridge_cuda/device/libdevice/special.h"
//
#include "ridge_cuda/device/libdevice/bessel.h"
#include "ridge_cuda/device/libdevice/inverse_errors.h"
//
#include "ridge_cuda/device/libdevice/in_float.h"
