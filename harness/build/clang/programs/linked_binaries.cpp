#include "harness/build/clang/programs/linked_binaries.h"

#include <fmt/format.h>

namespace ridge::build::clang {
namespace {

constexpr std::string_view kFunction = "__cudaRegisterLinkedBinary_";

// The format of the wrapper and of the (empty) container is described in virtual_gpu/runtime/binary/fatbin.h.
constexpr const char* kSource = R"(
extern "C" void** __cudaRegisterFatBinary(void*);
extern "C" void __cudaRegisterFatBinaryEnd(void**);
namespace {{
struct Container {{ unsigned magic; unsigned short version, header_bytes; unsigned long bytes; }};
const Container kEmpty = {{0xBA55ED50, 1, sizeof(Container), 0}};
struct Wrapper {{ unsigned magic, version; const void* data; const void* const* objects; }};
const void* objects[{0} + 1];
Wrapper all = {{0x466243b1, 2, &kEmpty, objects}};
void** handle;
int count;
void add(void (*register_kernels)(void**), const Wrapper* object) {{
  objects[count++] = object->data;
  if (!handle) handle = __cudaRegisterFatBinary(&all);
  register_kernels(handle);
  __cudaRegisterFatBinaryEnd(handle);
}}
}}
)";

bool is_letter_of_name(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z') || letter == '_';
}

}  // namespace

std::set<std::string> linked_binaries_in(std::string_view bytes) {
  std::set<std::string> functions;
  for (size_t at = bytes.find(kFunction); at != std::string_view::npos;
       at = bytes.find(kFunction, at + 1)) {
    size_t end = at;
    while (end < bytes.size() && is_letter_of_name(bytes[end]))
      ++end;
    functions.emplace(bytes.substr(at, end - at));
  }
  return functions;
}

std::string linked_binaries_source(const std::set<std::string>& functions) {
  std::string source = fmt::format(kSource, functions.size());
  for (const std::string& function : functions)
    source += fmt::format(
        "extern \"C\" void {}(void (*kernels)(void**), const Wrapper* object, const char*, void*) {{\n"
        "  add(kernels, object);\n}}\n",
        function);
  return source;
}

}  // namespace ridge::build::clang
