# Every target of ours is made by ridge_library or ridge_program, so all of them get the same warnings,
# the same include root (the top of the tree) and the same sanitizers.

function(ridge_target_options target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
  # No contraction: PTX has an instruction for a fused multiply-add, and the compiler must not introduce one.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(RIDGE_ASSERTIONS)
    target_compile_options(${target} PRIVATE -UNDEBUG)
  endif()
  if(RIDGE_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    # Instrumented code triggers this warning wrongly, for example in <regex>.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  else()
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# ridge_precompile(TARGET): precompiles the standard headers that nearly every file includes, which takes a
# third off the first build on a small machine. Targets with the same options share them. Every file still
# includes what it uses; `cmake --preset release -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON` builds without this.
function(ridge_precompile target)
  get_target_property(own ${target} COMPILE_OPTIONS)
  get_target_property(type ${target} TYPE)  # for example, a shared library hides its symbols
  string(MD5 options "${own} ${type}")
  get_property(holder GLOBAL PROPERTY ridge_precompiled_${options})
  if(holder)
    target_precompile_headers(${target} REUSE_FROM ${holder})
  else()
    set(headers algorithm array atomic bit chrono cmath cstdint cstring deque filesystem fstream functional limits map memory mutex optional set
              span sstream stdexcept string string_view thread unordered_map unordered_set utility variant vector fmt/format.h)
    list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    set_property(GLOBAL PROPERTY ridge_precompiled_${options} ${target})
    target_precompile_headers(${target} PRIVATE ${headers})
  endif()
endfunction()

# ridge_sources(VARIABLE [SUBFOLDERS folders...]): the sources of this folder and of the subfolders named.
function(ridge_sources variable)
  cmake_parse_arguments(ARG "" "" "SUBFOLDERS" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(folder IN LISTS ARG_SUBFOLDERS)
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# ridge_library(NAME [SUBFOLDERS folders...] [DEPENDS targets...] [OPTIONS compiler options...]): a static library of the
# sources of this folder and of the subfolders named.
function(ridge_library name)
  cmake_parse_arguments(ARG "" "" "SUBFOLDERS;DEPENDS;OPTIONS" ${ARGN})
  ridge_sources(sources SUBFOLDERS ${ARG_SUBFOLDERS})
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  ridge_target_options(${name})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  if(ridge_fmt IN_LIST ARG_DEPENDS)
    ridge_precompile(${name})
  endif()
endfunction()
