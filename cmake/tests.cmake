# ridge_test(NAME [DEPENDS targets...] [LABELS labels...]): a Catch2 program of the folder's *_test.cpp, one ctest
# entry a test case. RIDGE_SOURCE_DIR and RIDGE_BINARY_DIR are strings a test can use.
include(Catch)

add_library(ridge_test_main STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/main.cpp)
target_link_libraries(ridge_test_main PUBLIC Catch2::Catch2)
target_include_directories(ridge_test_main PUBLIC ${PROJECT_SOURCE_DIR})

function(ridge_test name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LABELS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  add_executable(${name} ${sources})
  ridge_target_options(${name})
  target_compile_options(${name} PRIVATE -Wno-conversion)
  target_link_libraries(${name} PRIVATE ridge_test_main ${ARG_DEPENDS})
  target_compile_definitions(${name} PRIVATE RIDGE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" RIDGE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(tests ${name})
  catch_discover_tests(${name} TEST_PREFIX "${name}: " PROPERTIES LABELS "${ARG_LABELS}")
endfunction()
