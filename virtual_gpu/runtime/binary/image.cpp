#include "virtual_gpu/runtime/binary/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "virtual_gpu/machine/program/program.h"
#include "virtual_gpu/ptx/parser.h"
#include "virtual_gpu/runtime/binary/fatbin.h"
#include "virtual_gpu/runtime/binary/linked_images.h"
#include "virtual_gpu/runtime/binary/load_error.h"
#include "virtual_gpu/runtime/binary/ptx_link.h"
#include "virtual_gpu/runtime/process/process.h"

namespace ridge::runtime {
namespace {

constexpr const char* kHowToBuild =
    "add -gencode arch=compute_90a,code=[sm_90a,compute_90a], or build with `ridge nvcc`";

// What the first four bytes of an image say that it is; anything else is PTX text.
constexpr uint32_t kWrapper = 0x466243B1, kContainer = 0xBA55ED50, kElf = 0x464c457f;

[[noreturn]] void throw_no_ptx(std::span<const FatbinEntry> entries, uint32_t device_arch) {
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != ImageKind::ptx) continue;
    throw LoadError(cudaErrorNoKernelImageForDevice,
                    fmt::format("was built for another GPU: it holds {0}, and this device is compute_{1}: "
                                "add -gencode arch=compute_{1},code=[sm_{1},compute_{1}]",
                                describe(entries), device_arch));
  }
  throw LoadError(cudaErrorNoKernelImageForDevice,
                  fmt::format("was built without PTX (it holds {}): {}", describe(entries), kHowToBuild));
}

// nvcc has assembled the text of a fat binary. Other text is read completely, so that its errors are
// found when it is loaded; so is text that will be linked.
enum class Reading { headers, everything };

ptx::Module parse(std::string text, Reading reading) {
  try {
    return reading == Reading::headers ? ptx::parse_headers(std::move(text)) : ptx::parse(text);
  } catch (const ptx::ParseError& error) {
    throw LoadError(cudaErrorInvalidPtx, fmt::format("has PTX that cannot be read: {}", error.what()));
  }
}

// Kernels that launch kernels call functions of NVIDIA's device runtime, which has no PTX; some of
// them are built in.
void refuse_unknown_device_runtime(const ptx::Module& module) {
  for (const ptx::Function& function : module.functions) {
    if (!function.name.starts_with("__cudaCDP2") && !function.name.starts_with("cudaLaunchDevice")) continue;
    if (machine::is_built_in(function.name)) continue;
    throw LoadError(
        cudaErrorNotSupported,
        fmt::format(
            "is in a program whose kernels call the device runtime's {}, which is not implemented "
            "(launches, streams and events in kernels are): call it from the host, or run this on a GPU",
            function.name));
  }
}

// Recognises the toolkit's libcudadevrt.a, which has machine code and only the PTX of the newest
// GPU. Its functions are built in here.
bool is_device_runtime(std::span<const FatbinEntry> object) {
  const auto cubin = std::find_if(object.begin(), object.end(),
                                  [](const FatbinEntry& entry) { return entry.kind == ImageKind::elf; });
  return cubin != object.end() && cubin->text().find("cuda_device_runtime_cu") != std::string::npos;
}

ptx::Module parse_best(std::span<const FatbinEntry> entries, uint32_t device_arch, Reading reading,
                       uint32_t& ptx_arch) {
  const FatbinEntry* ptx = best_ptx(entries, device_arch);
  if (!ptx) throw_no_ptx(entries, device_arch);
  ptx_arch = ptx->arch;
  return parse(ptx->text(), reading);
}

void read_best_cubin(std::span<const FatbinEntry> entries, uint32_t device_arch, Image& image) {
  const FatbinEntry* cubin = best_cubin(entries, device_arch);
  if (!cubin) return;
  LineShifts shifts;
  for (const ptx::Function& function : image.module->functions) {
    if (function.line_shift != 0) shifts[function.name] = function.line_shift;
  }
  const Settings& settings = process().settings;
  const bool wants_code = !settings.report_path.empty() || !settings.trace_path.empty();
  image.cubin_kernels =
      read_cubin(cubin->text(), shifts, wants_code ? CubinParts::all : CubinParts::sizes);
  image.cubin_arch = cubin->arch;
  // Only the encoding of sm_90 was compared with the listings of a disassembler.
  constexpr uint32_t kKnownArch = 90;
  if (cubin->arch == kKnownArch) return;
  for (auto& [name, kernel] : image.cubin_kernels)
    kernel.code.reset();
}

Image load(const WrappedFatbins& fatbins, uint32_t device_arch) {
  Image image;
  if (best_ptx(fatbins.entries, device_arch) || fatbins.objects.empty()) {
    image.module = std::make_shared<ptx::Module>(
        parse_best(fatbins.entries, device_arch, Reading::headers, image.ptx_arch));
  } else {
    std::vector<ptx::Module> modules;
    for (const auto& object : fatbins.objects) {
      if (best_ptx(object, device_arch))
        modules.push_back(parse_best(object, device_arch, Reading::everything, image.ptx_arch));
    }
    for (const ptx::Module& module : modules)
      refuse_unknown_device_runtime(module);
    for (const auto& object : fatbins.objects) {
      if (!best_ptx(object, device_arch) && !is_device_runtime(object)) throw_no_ptx(object, device_arch);
    }
    image.module = std::make_shared<ptx::Module>(link(std::move(modules)));
  }
  read_best_cubin(fatbins.entries, device_arch, image);
  return image;
}

// One of the images that cuLinkAddData took: PTX text or a fat binary.
ptx::Module parse_part(const void* data, uint32_t device_arch) {
  uint32_t magic = 0, ptx_arch = 0;
  std::memcpy(&magic, data, sizeof magic);
  if (magic != kContainer) return parse(static_cast<const char*>(data), Reading::everything);
  return parse_best(read_fatbin(container_at(data)), device_arch, Reading::everything, ptx_arch);
}

}  // namespace

Image load_registered(const void* wrapper, uint32_t device_arch) {
  try {
    return load(read_wrapper(wrapper), device_arch);
  } catch (const FatbinError& error) {
    throw LoadError(cudaErrorInvalidKernelImage, fmt::format("cannot be loaded: {}", error.what()));
  }
}

Image load_data(const void* data, uint32_t device_arch) {
  uint32_t magic = 0;
  std::memcpy(&magic, data, sizeof magic);
  if (magic == kWrapper) return load_registered(data, device_arch);
  if (magic == kElf) {
    throw LoadError(cudaErrorNoKernelImageForDevice, fmt::format("is a cubin, without PTX: {}", kHowToBuild));
  }
  try {
    if (magic == kContainer) return load({read_fatbin(container_at(data)), {}}, device_arch);
  } catch (const FatbinError& error) {
    throw LoadError(cudaErrorInvalidKernelImage, fmt::format("cannot be loaded: {}", error.what()));
  }
  Image image;
  if (magic == kLinkedImages) {
    std::vector<ptx::Module> modules;
    for (const void* part : unpack_images(data))
      modules.push_back(parse_part(part, device_arch));
    image.module = std::make_shared<ptx::Module>(link(std::move(modules)));
    return image;
  }
  image.module =
      std::make_shared<ptx::Module>(parse(static_cast<const char*>(data), Reading::everything));
  return image;
}

}  // namespace ridge::runtime
