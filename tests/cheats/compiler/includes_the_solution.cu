// Somebody else's work, read while it is compiled.
#include "../../../solutions/01-kernel-basics/1-vector-add.cu"
