// Cooperative groups: inclusive and exclusive scans.
#pragma once

#include "cooperative_groups/reduce.h"
