// A small loader for tests: PTX or CUDA text in, arrays in device memory, launches.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/cuda_compiler.h"
#include "tests/locked_file.h"
#include "virtual_gpu/machine/grid/launch.h"
#include "virtual_gpu/ptx/parser.h"

namespace ridge::machine::test {

inline std::string whole_file(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

// The PTX that the compiler makes of CUDA text, with source lines of "kernel.cu". Every test case is a process of its
// own and those of a file share their text, so what was made is kept beside what it was made of.
inline std::string compile_cuda(const std::string& text) {
  namespace fs = std::filesystem;
  static int serial = 0;
  const std::string flags =
      " -std=c++20 -gencode arch=compute_90,code=compute_90 -lineinfo -ptx kernel.cu -o kernel.ptx";
  const std::string key = tests::kCudaCompiler + flags +
                          std::to_string(tests::compiler_time().time_since_epoch().count()) + "\n" + text + '\0';
  const fs::path all = fs::path(RIDGE_BINARY_DIR) / "tests" / "machine_ptx";
  const fs::path kept = all / std::to_string(std::hash<std::string>{}(key));
  fs::create_directories(all);
  // Who comes second for the same text finds it made; other texts are compiled side by side.
  const tests::LockedFile lock(kept.string() + ".lock");
  if (const std::string there = whole_file(kept); there.starts_with(key)) return there.substr(key.size());

  const fs::path folder = all / ("of_" + std::to_string(getpid()) + "_" + std::to_string(serial++));
  fs::create_directories(folder);
  std::ofstream(folder / "kernel.cu") << text;
  const int status =
      std::system(("cd '" + folder.string() + "' && '" + tests::kCudaCompiler + "'" + flags + " 2> log").c_str());
  const std::string ptx = whole_file(folder / "kernel.ptx"), log = whole_file(folder / "log");
  if (status == 0) {
    std::ofstream(folder / "kept", std::ios::binary) << key << ptx;
    fs::rename(folder / "kept", kept);
  }
  fs::remove_all(folder);
  if (status != 0) throw std::runtime_error("compiler: " + log);
  return ptx;
}

class Device {
 public:
  explicit Device(const std::string& ptx)
      : memory(uint64_t{1} << 30), module_(std::make_shared<ptx::Module>(ptx::parse(ptx))) {
    for (const ptx::Variable& v : module_->variables)
      place(v);
    for (const ptx::Variable& v : module_->variables) {
      for (const auto& relocation : v.relocations) {
        const uint64_t value = address_of(relocation.symbol) + static_cast<uint64_t>(relocation.addend);
        std::memcpy(reinterpret_cast<void*>(symbols_[v.name] + relocation.offset), &value, relocation.bytes);
      }
    }
  }

  template <class T>
  uint64_t upload(const std::vector<T>& values, const std::string& origin = "cudaMalloc") {
    const uint64_t address = memory.allocate(values.size() * sizeof(T), origin).value();
    std::memcpy(reinterpret_cast<void*>(address), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> download(uint64_t address, size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), reinterpret_cast<const void*>(address), count * sizeof(T));
    return values;
  }

  uint64_t address_of(const std::string& name) const {
    if (const uint64_t function = function_address(*module_, name)) return function;
    const auto it = symbols_.find(name);
    return it == symbols_.end() ? 0 : it->second;
  }

  std::shared_ptr<const Program> program(const std::string& kernel) const {
    // A kernel by its plain name: extern "C", or the first whose mangled name contains it.
    for (const ptx::Function& f : module_->functions) {
      if (f.is_entry && !f.is_declaration && f.name.find(kernel) != std::string::npos) {
        return decode(module_, f.name, [this](const std::string& name) { return address_of(name); });
      }
    }
    throw std::runtime_error("no kernel " + kernel);
  }

  template <class... Arguments>
  LaunchOutcome launch(const std::string& kernel, Dim3 grid, Dim3 block, Arguments... arguments) {
    const auto decoded = program(kernel);
    config.grid = grid;
    config.block = block;
    config.parameters.assign(info(*decoded).parameter_bytes, std::byte{0});
    size_t index = 0;
    (set_parameter(*decoded, index++, &arguments, sizeof arguments), ...);
    printed.clear();
    config.print = [this](std::string_view text) { printed += text; };
    return run(*decoded, config, memory, observers);
  }

  DeviceMemory memory;
  LaunchConfig config;
  ObserverFactory* observers = nullptr;
  std::string printed;

 private:
  void place(const ptx::Variable& v) {
    if (v.space != ptx::Space::global && v.space != ptx::Space::constant) return;
    const int bits = std::atoi(v.type.c_str() + 1);
    const uint64_t bytes = static_cast<uint64_t>(bits / 8) * v.vector_width * v.element_count;
    symbols_[v.name] = memory.allocate(bytes, "__device__ " + v.name).value();
    std::memset(reinterpret_cast<void*>(symbols_[v.name]), 0, bytes);
    std::copy_n(v.initial.begin(), std::min<uint64_t>(bytes, v.initial.size()),
                reinterpret_cast<uint8_t*>(symbols_[v.name]));
  }
  void set_parameter(const Program& decoded, size_t index, const void* value, size_t bytes) {
    const KernelParameter& parameter = info(decoded).parameters.at(index);
    if (bytes != parameter.bytes)
      throw std::runtime_error("parameter " + std::to_string(index) + " has " +
                               std::to_string(parameter.bytes) + " bytes");
    std::memcpy(config.parameters.data() + parameter.offset, value, bytes);
  }

  std::shared_ptr<const ptx::Module> module_;
  std::unordered_map<std::string, uint64_t> symbols_;
};

}  // namespace ridge::machine::test
