// Records what a Hopper GPU answers to every matrix instruction:
//   nvcc -arch=sm_90a -std=c++20 -I<tree> tests/hardware/record_matrix.cu tests/hardware/matrix_*.cpp -o record_matrix
//   record_matrix --modules FOLDER            writes the kernels as PTX, to be assembled with ptxas -arch=sm_90a
//   record_matrix FOLDER matrix.bin [all.bin] runs FOLDER/*.cubin and writes the answers
// matrix.bin is committed as tests/hardware/recorded/matrix.bin; all.bin holds every word, for looking into a difference.
// A record: u64 digest of the run's name, u64 digest of the answer, u32 words that follow, the words.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/hardware/matrix_cases.h"

using namespace ridge::hardware;

namespace {

constexpr size_t kKernelsInModule = 40;

void check(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what.c_str(), cudaGetErrorString(error));
  std::exit(1);
}

uint64_t name_digest(const std::string& name) {
  std::vector<uint32_t> letters(name.begin(), name.end());
  return digest(letters);
}

void put(std::ofstream& file, uint64_t name, uint64_t answer, const std::vector<uint32_t>& words, bool keeps) {
  const uint32_t count = keeps ? static_cast<uint32_t>(words.size()) : 0;
  file.write(reinterpret_cast<const char*>(&name), 8);
  file.write(reinterpret_cast<const char*>(&answer), 8);
  file.write(reinterpret_cast<const char*>(&count), 4);
  if (keeps) file.write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(count * 4));
}

}  // namespace

int main(int argc, char** argv) {
  const MatrixCases cases = all_matrix_cases();
  const std::string folder = argc > 2 && !std::strcmp(argv[1], "--modules") ? argv[2] : argc > 2 ? argv[1] : "";
  if (folder.empty()) return std::fprintf(stderr, "record_matrix --modules FOLDER | FOLDER matrix.bin [all.bin]\n"), 2;
  const size_t modules = (cases.kernels.size() + kKernelsInModule - 1) / kKernelsInModule;
  const auto path = [&](size_t i, const char* ending) { return folder + "/matrix" + std::to_string(i) + ending; };
  if (!std::strcmp(argv[1], "--modules")) {
    for (size_t i = 0; i < modules; ++i)
      std::ofstream(path(i, ".ptx")) << matrix_module(cases, i * kKernelsInModule,
                                                      std::min(cases.kernels.size(), (i + 1) * kKernelsInModule));
    std::printf("%zu kernels, %zu launches, %zu modules\n", cases.kernels.size(), cases.runs.size(), modules);
    return 0;
  }
  std::ofstream compact(argv[2], std::ios::binary), all;
  if (argc > 3) all.open(argv[3], std::ios::binary);
  std::vector<cudaLibrary_t> libraries(modules);
  for (size_t i = 0; i < modules; ++i)
    check(cudaLibraryLoadFromFile(&libraries[i], path(i, ".cubin").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          path(i, ".cubin"));
  uint32_t *in = nullptr, *tile = nullptr, *out = nullptr;
  check(cudaMalloc(&in, 1 << 20), "cudaMalloc");
  check(cudaMalloc(&tile, kTileBytes), "cudaMalloc");
  check(cudaMalloc(&out, 1 << 20), "cudaMalloc");
  for (const MatrixRun& run : cases.runs) {
    const MatrixKernel& kernel = cases.kernels[run.kernel];
    const std::string name = run_name(cases, run);
    cudaKernel_t function;
    check(cudaLibraryGetKernel(&function, libraries[run.kernel / kKernelsInModule], kernel.name.c_str()), name);
    const auto inputs = input_words(cases, run), image = tile_words(cases, run);
    check(cudaMemcpy(in, inputs.data(), inputs.size() * 4, cudaMemcpyHostToDevice), name);
    check(cudaMemcpy(tile, image.data(), image.size() * 4, cudaMemcpyHostToDevice), name);
    uint64_t constants[3] = {run.constants[0], run.constants[1], run.constants[2]};
    void* arguments[] = {&in, &tile, &out, &constants[0], &constants[1], &constants[2]};
    check(cudaLaunchKernel(function, dim3(1), dim3(kernel.threads), arguments, 0, nullptr), name);
    std::vector<uint32_t> words(output_word_count(kernel));
    check(cudaMemcpy(words.data(), out, words.size() * 4, cudaMemcpyDeviceToHost), name);
    put(compact, name_digest(name), digest(words), words, run.keeps_words);
    if (all.is_open()) put(all, name_digest(name), digest(words), words, true);
  }
  std::printf("%zu launches recorded\n", cases.runs.size());
  return 0;
}
