// Barriers, fences, waiting and registers: functions that clang's headers leave to the toolkit.
#pragma once

RIDGE_DEVICE void __nanosleep(unsigned nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

// dependent launches: griddepcontrol
RIDGE_DEVICE void cudaGridDependencySynchronize() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
RIDGE_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// The bytes of dynamic shared memory, and of all shared memory, of this block.
RIDGE_DEVICE unsigned __dynamic_smem_size() {
  unsigned bytes;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
