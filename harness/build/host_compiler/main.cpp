// ridge-host-compiler ARGUMENTS...: gcc for nvcc (-ccbin). What it preprocesses is handed on without the
// declarations of headers that the file does not use, so that the three compilers that read it (cudafe++,
// cicc, cc1plus) take a third of the time. What it links is linked by gold where there is one: GNU ld takes
// three times as long, most of it for the symbols of libstdc++.
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/build/preprocessed/unused_declarations.h"

namespace {

// What the code that cudafe++ adds to the host's part of a file includes.
constexpr const char* kIncludedLater[] = {"crt/host_runtime.h", "crt/math_functions.hpp"};

std::string read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return "";
  std::string text(static_cast<size_t>(std::max<std::streamoff>(stream.tellg(), 0)), '\0');
  stream.seekg(0).read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  return text;
}

// -1: it did not start. `messages`: a descriptor for what it prints, or -1 for our own.
int run(char** arguments, int messages = -1) {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    if (messages >= 0 && (dup2(messages, 1) < 0 || dup2(messages, 2) < 0)) _exit(127);
    execvp(arguments[0], arguments);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Leaves the file alone when the result cannot be written.
void shorten(const std::string& file, bool is_for_host) {
  using namespace ridge::build;
  const std::string text = read(file), headers = toolkit_headers_of(text);
  if (headers.empty()) return;
  std::string later;
  for (const char* header : kIncludedLater)
    if (is_for_host) later += read(headers + header);
  const std::string shorter = file + ".shorter";
  std::ofstream stream(shorter, std::ios::binary);
  stream << without_unused_declarations(text, headers, later);
  stream.close();
  if (stream) std::rename(shorter.c_str(), file.c_str());
}

// True when gold linked without a word. Otherwise GNU ld links, whose messages the callers know, or another
// linker that the arguments choose.
bool links_with_gold(int count, char** arguments) {
  std::vector<char*> words(arguments, arguments + count);
  for (const char* word : words)
    if (std::string_view(word).starts_with("-fuse-ld=")) return false;
  char gold[] = "-fuse-ld=gold";
  words.insert(words.end(), {gold, nullptr});
  const int messages = memfd_create("messages", MFD_CLOEXEC);
  if (messages < 0) return false;
  const int status = run(words.data(), messages);
  struct stat printed;
  const bool silent = fstat(messages, &printed) == 0 && printed.st_size == 0;
  close(messages);
  return status == 0 && silent;
}

}  // namespace

int main(int count, char** arguments) {
  bool preprocesses = false, links = true, is_for_host = true;
  std::string output;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    preprocesses |= word == "-E";
    is_for_host &= !word.starts_with("-D__CUDA_ARCH__");
    links &= word != "-E" && word != "-c";
    if (word == "-o" && i + 1 < count) output = arguments[i + 1];
  }
  char gcc[] = "gcc", gxx[] = "g++";
  if (count > 0) arguments[0] = links ? gxx : gcc;  // as nvcc chooses
  if (links && count > 1 && links_with_gold(count, arguments)) return 0;
  if (!preprocesses || !output.ends_with(".ii")) {
    execvp(arguments[0], arguments);
    std::fprintf(stderr, "%s: %s\n", arguments[0], std::strerror(errno));
    return 127;
  }
  const int status = run(arguments);
  if (status == 0) shorten(output, is_for_host);
  if (status == 127) std::fprintf(stderr, "%s: not found\n", arguments[0]);
  return status < 0 ? 127 : status;
}
