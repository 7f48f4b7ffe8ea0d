# The loops over 32 lanes are compiled for an instruction set of their own, and the virtual GPU chooses
# among those that were built when it starts.
#
# A build compiles them for this machine's processor only, the best set that it has: the others were a
# sixth of the first build. RIDGE_PORTABLE=ON compiles all of them, for a build folder that is carried to
# another machine. The tests of the loops get RIDGE_TESTED_SETS.
option(RIDGE_PORTABLE "Build for every x86-64 processor since 2009, not for this machine's alone" OFF)

set(ridge_options_v2 -march=x86-64-v2)
set(ridge_options_v3 -march=x86-64-v3)
set(ridge_options_v4 -march=x86-64-v4 -mprefer-vector-width=512)

# What is compiled, and what this processor can execute, best first. The flags are those that
# virtual_gpu/machine/lanes/select.cpp asks the processor for.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(RIDGE_RUNNABLE_SETS v2)
  set(flags "")
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
  endif()
  set(flags_v3 avx2 fma bmi1 bmi2)
  set(flags_v4 avx512f avx512bw avx512cd avx512dq avx512vl)
  foreach(set v3 v4)
    foreach(flag ${flags_${set}})
      if(NOT "${flags} " MATCHES " ${flag} ")
        set(flags "")  # a processor without v3 has no v4
      endif()
    endforeach()
    if(flags)
      list(PREPEND RIDGE_RUNNABLE_SETS ${set})
    endif()
  endforeach()
  set(RIDGE_INSTRUCTION_SETS v4 v3 v2)
  if(NOT RIDGE_PORTABLE)
    list(GET RIDGE_RUNNABLE_SETS 0 RIDGE_INSTRUCTION_SETS)
  endif()
else()
  set(RIDGE_RUNNABLE_SETS plain)
  set(RIDGE_INSTRUCTION_SETS plain)
endif()

# ridge_per_instruction_set(LIBRARY SOURCES files... DEFINITIONS NAME=PREFIX... OPTIONS options...): loops
# that are compiled once per instruction set, with every NAME defined as PREFIX_v2, PREFIX_v3, ... (a
# namespace of its own). Those of RIDGE_INSTRUCTION_SETS become part of LIBRARY; the other sets that this
# processor can execute are targets that nothing builds but the tests.
# To add an instruction set: its options and flags above, and a line where the library chooses.
function(ridge_per_instruction_set library)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEFINITIONS;OPTIONS" ${ARGN})
  set(names ${RIDGE_INSTRUCTION_SETS} ${RIDGE_RUNNABLE_SETS})
  list(REMOVE_DUPLICATES names)
  foreach(name ${names})
    set(target ${library}_${name})
    add_library(${target} OBJECT EXCLUDE_FROM_ALL ${ARG_SOURCES})
    ridge_target_options(${target})
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)  # their time goes into code, not into headers
    list(TRANSFORM ARG_DEFINITIONS APPEND _${name} OUTPUT_VARIABLE definitions)
    target_compile_definitions(${target} PRIVATE ${definitions})
    # Optimised in every build type: loops that are not vectorized make the virtual GPU twenty times slower.
    target_compile_options(${target} PRIVATE -O3 ${ARG_OPTIONS} ${ridge_options_${name}})
    # A sanitizer's checks between the lanes cost ten minutes per file to compile, and hide nothing: what
    # these loops may touch was checked before.
    if(RIDGE_SANITIZE)
      target_compile_options(${target} PRIVATE -fno-sanitize=all)
    endif()
    if(name IN_LIST RIDGE_INSTRUCTION_SETS)
      target_sources(${library} PRIVATE $<TARGET_OBJECTS:${target}>)
      string(TOUPPER ${name} upper)
      target_compile_definitions(${library} PRIVATE RIDGE_BUILT_${upper})
    else()
      set_property(GLOBAL APPEND PROPERTY ridge_other_sets_of_${library} ${target})
    endif()
  endforeach()
endfunction()

# The sets that tests run: the library's, and the least that every processor has, which shares no wide
# loop with it. Those between take half a minute to compile and are tested in a portable build.
list(GET RIDGE_RUNNABLE_SETS -1 ridge_least_set)
set(RIDGE_TESTED_SETS ${RIDGE_RUNNABLE_SETS})
if(NOT RIDGE_PORTABLE)
  set(RIDGE_TESTED_SETS ${RIDGE_INSTRUCTION_SETS} ${ridge_least_set})
  list(REMOVE_DUPLICATES RIDGE_TESTED_SETS)
endif()

# ridge_test_instruction_sets(TEST LIBRARIES...): the test gets the libraries' loops for
# RIDGE_TESTED_SETS.
function(ridge_test_instruction_sets test)
  foreach(library ${ARGN})
    get_property(targets GLOBAL PROPERTY ridge_other_sets_of_${library})
    list(FILTER targets INCLUDE REGEX "_${ridge_least_set}$")
    foreach(target ${targets})
      target_sources(${test} PRIVATE $<TARGET_OBJECTS:${target}>)
    endforeach()
  endforeach()
endfunction()
