# RIDGE_CUDA_COMPILER: what compiles the CUDA programs of the tests and of the benchmark. It is nvcc where there is one
# that works (RIDGE_HAS_NVCC), else a script that compiles them by clang, as `ridge nvcc` does. The script is as new as what
# it starts, so that programs are compiled again after a change of that. What needs it depends on ridge_cuda_compiler.
set(RIDGE_HAS_NVCC OFF)
if(RIDGE_HAS_TOOLKIT)
  # It has a host compiler that it supports.
  execute_process(COMMAND ${NVCC} -x cu -E -o /dev/null /dev/null RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(RIDGE_HAS_NVCC ON)
  endif()
endif()
if(RIDGE_HAS_NVCC)
  set(RIDGE_CUDA_COMPILER ${NVCC})
  add_custom_target(ridge_cuda_compiler)
else()
  set(RIDGE_CUDA_COMPILER ${CMAKE_BINARY_DIR}/bin/ridge-cuda-by-clang)
  set(text ${CMAKE_BINARY_DIR}/ridge-cuda-by-clang.sh)
  file(GENERATE OUTPUT ${text} CONTENT "#!/bin/sh\nexec '$<TARGET_FILE:ridge>' nvcc --with clang \"$@\"\n"
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  file(GLOB_RECURSE cuda_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/virtual_gpu/headers/*)
  add_custom_command(OUTPUT ${RIDGE_CUDA_COMPILER} DEPENDS ${text} ${cuda_headers} ridge
                     COMMAND ${CMAKE_COMMAND} -E copy ${text} ${RIDGE_CUDA_COMPILER}
                     COMMAND ${CMAKE_COMMAND} -E touch ${RIDGE_CUDA_COMPILER} VERBATIM)
  add_custom_target(ridge_cuda_compiler DEPENDS ${RIDGE_CUDA_COMPILER})
  add_dependencies(ridge_cuda_compiler ridge ridge_virtual_cudart ridge_virtual_cuda ridge_cuda_header_copies)
endif()
