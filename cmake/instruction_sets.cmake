# ridge_once_an_instruction_set(LIBRARY SOURCES files... DEFINITIONS NAME=PREFIX... OPTIONS options...): sources
# that are compiled once per instruction set, with every NAME defined as PREFIX_v2, PREFIX_v3, ... (a namespace
# of its own). They become part of LIBRARY, which chooses one when it starts. To add an instruction set, add a
# line below and one where the library chooses.
function(ridge_once_an_instruction_set library)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEFINITIONS;OPTIONS" ${ARGN})
  set(v2 -march=x86-64-v2)
  set(v3 -march=x86-64-v3)
  set(v4 -march=x86-64-v4 -mprefer-vector-width=512)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(names v2 v3 v4)
  else()
    set(names plain)
  endif()
  foreach(name ${names})
    set(target ${library}_${name})
    add_library(${target} OBJECT ${ARG_SOURCES})
    ridge_target_options(${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)  # the code takes their compile time, not the headers
    list(TRANSFORM ARG_DEFINITIONS APPEND _${name} OUTPUT_VARIABLE definitions)
    target_compile_definitions(${target} PRIVATE ${definitions})
    # Optimised in every build type: without vectorized loops the virtual GPU is twenty times slower.
    target_compile_options(${target} PRIVATE -O3 ${ARG_OPTIONS} ${${name}})
    # With a sanitizer each of these files compiles for ten minutes. The callers have checked the bounds.
    if(RIDGE_SANITIZE)
      target_compile_options(${target} PRIVATE -fno-sanitize=all)
    endif()
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:${target}>)
  endforeach()
endfunction()
