# Every target of ours is made by ridge_library or ridge_program, so all of them get the same warnings,
# the same include root (the top of the tree) and the same sanitizers.

function(ridge_target_options target)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
  # IEEE arithmetic as written: a fused multiply-add is an instruction of its own in PTX, never the compiler's idea.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(RIDGE_ASSERTIONS)
    target_compile_options(${target} PRIVATE -UNDEBUG)
  endif()
  if(RIDGE_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  else()
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# ridge_library(NAME [DEPENDS targets...]): a static library of the folder's own sources.
function(ridge_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  ridge_target_options(${name})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
endfunction()
