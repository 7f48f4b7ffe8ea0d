# The distribution's packages. `./ridge` installs them; this file only says which one is missing.
# Everything is linked statically or header-only, so that a build folder can be copied to a GPU machine.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)             # libfmt-dev
find_package(nlohmann_json REQUIRED)   # nlohmann-json3-dev
find_package(CLI11 REQUIRED)           # libcli11-dev
find_package(Catch2)                   # catch2; only the tests need it
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)   # libtomlplusplus-dev
find_library(SQLITE3_STATIC libsqlite3.a REQUIRED)       # libsqlite3-dev
find_library(ZSTD_STATIC libzstd.a REQUIRED)             # libzstd-dev
find_library(LZ4_STATIC liblz4.a REQUIRED)               # liblz4-dev
find_library(SECCOMP_STATIC libseccomp.a REQUIRED)       # libseccomp-dev

find_path(XBYAK_INCLUDE xbyak/xbyak.h)                   # libxbyak-dev; without it the virtual GPU is slower

# ridge_fmt: fmt as a static library for the versions whose functions are known, header-only otherwise.
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
  add_library(ridge_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt_library.cpp)
  target_compile_features(ridge_fmt PUBLIC cxx_std_20)
else()
  add_library(ridge_fmt INTERFACE)
  target_link_libraries(ridge_fmt INTERFACE fmt::fmt-header-only)
endif()

add_library(ridge_toml INTERFACE)
target_include_directories(ridge_toml SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE})
target_compile_definitions(ridge_toml INTERFACE TOML_HEADER_ONLY=1)

add_library(ridge_sqlite INTERFACE)
target_link_libraries(ridge_sqlite INTERFACE ${SQLITE3_STATIC} Threads::Threads ${CMAKE_DL_LIBS} m)

add_library(ridge_seccomp INTERFACE)
target_link_libraries(ridge_seccomp INTERFACE ${SECCOMP_STATIC})

add_library(ridge_decompress INTERFACE)
target_link_libraries(ridge_decompress INTERFACE ${ZSTD_STATIC} ${LZ4_STATIC})

# ridge_debug_lines: libbacktrace, which Debian ships with g++ (libgcc-*-dev), looks up source lines of host
# programs. Without it messages name functions instead of lines.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES backtrace)
check_cxx_source_compiles("#include <backtrace.h>
int main() { return backtrace_create_state(nullptr, 1, nullptr, nullptr) == nullptr; }" RIDGE_HAS_LIBBACKTRACE)
unset(CMAKE_REQUIRED_LIBRARIES)
add_library(ridge_debug_lines INTERFACE)
target_link_libraries(ridge_debug_lines INTERFACE ${CMAKE_DL_LIBS})
if(RIDGE_HAS_LIBBACKTRACE)
  target_link_libraries(ridge_debug_lines INTERFACE backtrace)
  target_link_options(ridge_debug_lines INTERFACE LINKER:--wrap=dl_iterate_phdr)   # virtual_gpu/machine/program/debug_modules.h
  target_compile_definitions(ridge_debug_lines INTERFACE RIDGE_DEBUG_LINES=1)
else()
  target_compile_definitions(ridge_debug_lines INTERFACE RIDGE_DEBUG_LINES=0)
endif()

# The window of ridge-view. Without these packages everything else is built, and configuring names what is
# missing: a machine that only grades needs no window.
pkg_check_modules(IMGUI QUIET imgui)                     # libimgui-dev
pkg_check_modules(GLFW QUIET glfw3)                      # libglfw3-dev
pkg_check_modules(OPENGL QUIET gl)                       # libgl-dev
pkg_check_modules(EGL QUIET egl)                         # libegl-dev
find_library(STB_STATIC libstb.a)                        # libstb-dev
find_path(STB_INCLUDE stb_image_write.h PATH_SUFFIXES stb)
set(missing "")
foreach(pair IMGUI_FOUND:libimgui-dev GLFW_FOUND:libglfw3-dev OPENGL_FOUND:libgl-dev EGL_FOUND:libegl-dev STB_STATIC:libstb-dev)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 found)
  list(GET pair 1 package)
  if(NOT ${found})
    string(APPEND missing " ${package}")
  endif()
endforeach()
if(missing STREQUAL "")
  set(RIDGE_HAS_WINDOW ON)
  add_library(ridge_stb INTERFACE)
  target_include_directories(ridge_stb SYSTEM INTERFACE ${STB_INCLUDE})
  target_link_libraries(ridge_stb INTERFACE ${STB_STATIC} m)
  add_library(ridge_imgui INTERFACE)
  target_include_directories(ridge_imgui SYSTEM INTERFACE ${IMGUI_INCLUDE_DIRS} ${GLFW_INCLUDE_DIRS})
  target_link_directories(ridge_imgui INTERFACE ${IMGUI_LIBRARY_DIRS} ${GLFW_LIBRARY_DIRS})
  target_link_libraries(ridge_imgui INTERFACE ${IMGUI_LIBRARIES} ridge_stb ${GLFW_LIBRARIES} ${EGL_LIBRARIES} ${OPENGL_LIBRARIES}
                                              ${CMAKE_DL_LIBS})
else()
  set(RIDGE_HAS_WINDOW OFF)
  set(RIDGE_WINDOW_MISSING ${missing})
endif()

# The CUDA Toolkit: nvcc compiles labs where there is one, and the tests' programs (cuda_compiler.cmake); its headers
# give the runtime's types. No GPU is needed. Without it clang compiles both, and our own headers (virtual_gpu/headers)
# give the types. -DNVCC= configures as without it.
option(RIDGE_OWN_CUDA_HEADERS "Use virtual_gpu/headers for the runtime's types although there is a CUDA Toolkit" OFF)
find_program(NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
if(NVCC)
  get_filename_component(CUDA_BIN ${NVCC} REALPATH)
  get_filename_component(CUDA_BIN ${CUDA_BIN} DIRECTORY)
  find_path(CUDA_INCLUDE cuda_runtime_api.h HINTS ${CUDA_BIN}/../include ${CUDA_BIN}/../targets/x86_64-linux/include)
  find_library(CUDART_SHARED cudart HINTS ${CUDA_BIN}/../lib64 ${CUDA_BIN}/../targets/x86_64-linux/lib)
endif()
set(toolkit_version 0)
if(NVCC AND CUDA_INCLUDE AND CUDART_SHARED)
  file(STRINGS ${CUDA_INCLUDE}/cuda_runtime_api.h toolkit_version REGEX "^#define CUDART_VERSION +[0-9]+")
  string(REGEX REPLACE "[^0-9]" "" toolkit_version "${toolkit_version}")
endif()
if(toolkit_version GREATER_EQUAL 13000 AND toolkit_version LESS 14000)
  set(RIDGE_HAS_TOOLKIT ON)
else()
  set(RIDGE_HAS_TOOLKIT OFF)
  message(STATUS "No CUDA Toolkit 13: clang compiles the labs and the programs of the tests")
endif()

add_library(ridge_cuda_headers INTERFACE)
if(RIDGE_HAS_TOOLKIT AND NOT RIDGE_OWN_CUDA_HEADERS)
  target_include_directories(ridge_cuda_headers SYSTEM INTERFACE ${CUDA_INCLUDE})
else()
  target_include_directories(ridge_cuda_headers SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/virtual_gpu/headers)
endif()
