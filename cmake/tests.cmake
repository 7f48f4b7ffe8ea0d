# ridge_test(NAME [SEPARATE] [DRAWS] [LONG] [REALTIME] [EXHAUSTIVE] [CUDA] [NVCC] [DEPENDS targets...] [LABELS labels...]):
# a Catch2 program of the folder's *_test.cpp, with one ctest entry per test case. SEPARATE: its files have fixtures
# with the same names, so each is compiled alone. DRAWS: it uses OpenGL, whose driver leaks a few bytes. LONG: it
# has cases tagged [long], which ctest starts first. REALTIME: it has cases tagged [realtime], which judge times of
# this machine. EXHAUSTIVE: it has cases tagged [exhaustive], which do more of what a shorter case does. `ridge
# test` leaves out these two kinds; `ridge test --all` runs them. CUDA: it includes tests/cuda_compiler.h. NVCC: and it
# has cases tagged [nvcc], which are skipped where there is no toolkit. Tests may use the strings RIDGE_SOURCE_DIR and
# RIDGE_BINARY_DIR.
include(Catch)

add_library(ridge_test_main STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/main.cpp)
target_link_libraries(ridge_test_main PUBLIC Catch2::Catch2)
target_include_directories(ridge_test_main PUBLIC ${PROJECT_SOURCE_DIR})

# -Wno-array-bounds: GCC 12 sees a copy out of bounds in `"text" + std::to_string(n)` (its bug 105329), and a header that
# was compiled before no longer counts as the system's.
set(ridge_test_warnings -Wno-conversion -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)

# Catch2 is parsed once for all tests. GCC requires the same options, those of a program (-fPIE).
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp CONTENT "")
add_library(ridge_test_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp)
ridge_target_options(ridge_test_headers)
target_link_libraries(ridge_test_headers PRIVATE Catch2::Catch2)
target_compile_options(ridge_test_headers PRIVATE ${ridge_test_warnings} -fPIE)
target_precompile_headers(ridge_test_headers PRIVATE ${PROJECT_SOURCE_DIR}/tests/catch.h <filesystem> <fstream> <functional> <map> <random>
                          <span> <sstream> <fmt/format.h>)

function(ridge_test name)
  cmake_parse_arguments(ARG "SEPARATE;DRAWS;LONG;REALTIME;EXHAUSTIVE;CUDA;NVCC" "" "DEPENDS;LABELS;SUBFOLDERS" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  foreach(folder IN LISTS ARG_SUBFOLDERS)
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_executable(${name} ${sources})
  ridge_target_options(${name})
  target_compile_options(${name} PRIVATE ${ridge_test_warnings})
  target_link_libraries(${name} PRIVATE ridge_test_main ${ARG_DEPENDS})
  target_precompile_headers(${name} REUSE_FROM ridge_test_headers)
  target_compile_definitions(${name} PRIVATE RIDGE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" RIDGE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if(ARG_CUDA OR ARG_NVCC)
    target_compile_definitions(${name} PRIVATE RIDGE_CUDA_COMPILER="${RIDGE_CUDA_COMPILER}" RIDGE_HAS_NVCC=$<BOOL:${RIDGE_HAS_NVCC}>)
    add_dependencies(${name} ridge_cuda_compiler)
  endif()
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  if(ARG_SEPARATE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  add_dependencies(tests ${name})
  # A test that cannot run here says WARN("skipped: why").
  set(properties SKIP_REGULAR_EXPRESSION "skipped: ")
  if(ARG_LABELS)
    list(APPEND properties LABELS "${ARG_LABELS}")
  endif()
  if(RIDGE_SANITIZE AND ARG_DRAWS)
    list(APPEND properties ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
  set(skipped "")
  if(ARG_NVCC AND NOT RIDGE_HAS_NVCC)
    set(skipped "~[nvcc]")
    catch_discover_tests(${name} TEST_SPEC "[nvcc]~[realtime]~[exhaustive]" TEST_PREFIX "${name}: "
                         PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: " LABELS ${ridge_nvcc_label})
  endif()
  catch_discover_tests(${name} TEST_SPEC "~[long]~[realtime]~[exhaustive]${skipped}" TEST_PREFIX "${name}: " PROPERTIES ${properties})
  if(ARG_LONG)
    catch_discover_tests(${name} TEST_SPEC "[long]${skipped}" TEST_PREFIX "${name}: " PROPERTIES ${properties} COST 100)
  endif()
  foreach(kind REALTIME EXHAUSTIVE)
    if(ARG_${kind})
      string(TOLOWER ${kind} tag)
      catch_discover_tests(${name} TEST_SPEC "[${tag}]" TEST_PREFIX "${name}: " PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: "
                           LABELS ${tag} RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()

# The label of tests that are skipped because there is no toolkit: ctest's summary counts tests by label.
set(ridge_nvcc_label "skipped,needs-nvcc")

# ridge_nvcc_test(NAME name FOR what COMMAND ...): add_test for what only nvcc of the CUDA Toolkit can do. Without it the
# test is skipped, and says what it needs nvcc for.
function(ridge_nvcc_test)
  cmake_parse_arguments(ARG "" "NAME;FOR" "COMMAND" ${ARGN})
  if(RIDGE_HAS_NVCC)
    add_test(NAME ${ARG_NAME} COMMAND ${ARG_COMMAND})
  else()
    add_test(NAME ${ARG_NAME} COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs nvcc of the CUDA Toolkit, for ${ARG_FOR}")
    set_tests_properties(${ARG_NAME} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: " LABELS ${ridge_nvcc_label})
  endif()
endfunction()
