// Memory and events shared between processes. An exported allocation is moved into a memory file at
// the same address; another process opens that file through /proc and maps it too.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/report/messages.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

constexpr uint64_t kPage = 4096;

// The content of NVIDIA's 64-byte handle.
struct Handle {
  uint32_t magic = 0;
  int32_t pid = 0, file = 0;
  uint32_t first_byte = 0;  // of the allocation, in the first page of the file
  uint64_t bytes = 0;
};
constexpr uint32_t kMemoryMagic = 0x6d656d52, kEventMagic = 0x74766552;
static_assert(sizeof(Handle) <= CUDA_IPC_HANDLE_SIZE);

struct Exported {
  uint64_t first_page = 0, end_page = 0;
  int file = -1;
};
struct Imported {
  void* pages = nullptr;
  uint64_t page_bytes = 0;
  int uses = 0;
  Handle handle;
};
struct Shared {
  std::mutex mutex;
  std::map<uint64_t, Exported> exported;  // by address of the allocation
  std::map<uint64_t, Imported> imported;  // by address in this process
};
Shared& shared() {
  static auto* all = new Shared();
  return *all;
}

template <typename NvidiaHandle>
void write_handle(const Handle& from, NvidiaHandle& to) {
  std::memset(&to, 0, sizeof to);
  std::memcpy(&to, &from, sizeof from);
}

template <typename NvidiaHandle>
Handle read_handle(const NvidiaHandle& from) {
  Handle handle;
  std::memcpy(static_cast<void*>(&handle), &from, sizeof handle);
  return handle;
}

cudaError_t refuse(cudaError_t code, const std::string& why) {
  say(why);
  return code;
}

// Creates a memory file with these contents.
int file_of(const void* data, uint64_t bytes) {
  const int file = memfd_create("ridge-shared", MFD_CLOEXEC);
  if (file < 0) return -1;
  bool good = ftruncate(file, static_cast<off_t>(bytes)) == 0;
  const auto* from = static_cast<const char*>(data);
  for (uint64_t done = 0; good && data && done < bytes;) {
    const ssize_t written = pwrite(file, from + done, bytes - done, static_cast<off_t>(done));
    good = written > 0;
    done += good ? static_cast<uint64_t>(written) : 0;
  }
  if (good) return file;
  close(file);
  return -1;
}

void* map_file(int file, uint64_t bytes, void* at = nullptr) {
  void* pages = mmap(at, bytes, PROT_READ | PROT_WRITE, at ? MAP_SHARED | MAP_FIXED : MAP_SHARED, file, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

// Opens the file behind another process's handle; it must have at least `bytes`.
int open_shared(const Handle& handle, uint64_t bytes) {
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.pid, handle.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (file >= 0 && fstat(file, &status) == 0 && static_cast<uint64_t>(status.st_size) >= bytes) return file;
  say(fmt::format("what process {} shares cannot be opened ({}): it must still run, under the same user",
                  handle.pid, file < 0 ? std::strerror(errno) : "it is another file now"));
  if (file >= 0) close(file);
  return -1;
}

cudaError_t export_block(const Block& block, Exported& exported) {
  exported.first_page = block.begin / kPage * kPage;
  exported.end_page = (block.end() + kPage - 1) / kPage * kPage;
  for (const auto& [begin, other] : shared().exported) {
    if (exported.first_page < other.end_page && other.first_page < exported.end_page) {
      return refuse(
          cudaErrorNotSupported,
          "cudaIpcGetMemHandle: this allocation shares a page of 4096 bytes with another one that is already "
          "exported: allocate at least 8192 bytes for each that is shared");
    }
  }
  auto* pages = reinterpret_cast<void*>(exported.first_page);
  const uint64_t bytes = exported.end_page - exported.first_page;
  exported.file = file_of(pages, bytes);
  if (exported.file < 0 || !map_file(exported.file, bytes, pages)) {
    return refuse(cudaErrorMapBufferObjectFailed,
                  fmt::format("cudaIpcGetMemHandle: no file in memory of {}: {}", bytes_text(bytes),
                              std::strerror(errno)));
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return call([&] {
    auto block = process().allocations.find(reinterpret_cast<uint64_t>(pointer));
    if (!handle || !block || block->kind != MemoryKind::device || block->pool) return cudaErrorInvalidValue;
    finish_work_of_all();
    std::lock_guard lock(shared().mutex);
    auto known = shared().exported.find(block->begin);
    if (known == shared().exported.end()) {
      Exported exported;
      if (cudaError_t error = export_block(*block, exported); error != cudaSuccess) return error;
      known = shared().exported.emplace(block->begin, exported).first;
      process().other_processes_may_write = true;
    }
    write_handle(Handle{kMemoryMagic, getpid(), known->second.file,
                        static_cast<uint32_t>(block->begin - known->second.first_page), block->bytes},
                 *handle);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t nvidia_handle, unsigned flags) {
  return call([&] {
    const Handle handle = read_handle(nvidia_handle);
    if (!pointer || flags != cudaIpcMemLazyEnablePeerAccess) return cudaErrorInvalidValue;
    if (handle.magic != kMemoryMagic) return cudaErrorInvalidResourceHandle;
    // A handle is for other processes only.
    if (handle.pid == getpid()) return cudaErrorDeviceUninitialized;
    std::lock_guard lock(shared().mutex);
    for (auto& [address, known] : shared().imported) {
      if (std::memcmp(&known.handle, &handle, sizeof handle) != 0) continue;
      ++known.uses;
      *pointer = reinterpret_cast<void*>(address);
      return cudaSuccess;
    }
    Imported imported;
    imported.handle = handle;
    imported.uses = 1;
    imported.page_bytes = (handle.first_byte + handle.bytes + kPage - 1) / kPage * kPage;
    const int file = open_shared(handle, imported.page_bytes);
    if (file < 0) return cudaErrorInvalidResourceHandle;
    imported.pages = map_file(file, imported.page_bytes);
    close(file);
    if (!imported.pages) return cudaErrorMapBufferObjectFailed;
    const uint64_t begin = reinterpret_cast<uint64_t>(imported.pages) + handle.first_byte;
    process().memory.adopt(begin, handle.bytes, "cudaIpcOpenMemHandle", ridge::machine::HostSite::here());
    process().allocations.add(
        {begin, handle.bytes, MemoryKind::imported, current_device().ordinal, 0, nullptr});
    process().other_processes_may_write = true;
    shared().imported[begin] = imported;
    *pointer = reinterpret_cast<void*>(begin);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return call([&] {
    finish_work_of_all();
    std::lock_guard lock(shared().mutex);
    auto found = shared().imported.find(reinterpret_cast<uint64_t>(pointer));
    if (found == shared().imported.end()) return cudaErrorInvalidValue;
    if (--found->second.uses > 0) return cudaSuccess;
    cudaError_t error = release(found->first, {MemoryKind::imported}, "cudaIpcCloseMemHandle",
                                ridge::machine::HostSite::here());
    munmap(found->second.pages, found->second.page_bytes);
    shared().imported.erase(found);
    return error;
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return call([&] {
    std::shared_ptr<Event> own = process().events.find(event);
    if (!own) return cudaErrorInvalidResourceHandle;
    if (!handle || !(own->flags & cudaEventInterprocess)) return cudaErrorInvalidValue;
    if (!own->counts) {
      own->counts_file = file_of(nullptr, kPage);
      own->counts =
          static_cast<EventCounts*>(own->counts_file < 0 ? nullptr : map_file(own->counts_file, kPage));
      if (!own->counts) return cudaErrorMapBufferObjectFailed;
      process().other_processes_may_write = true;
    }
    write_handle(Handle{kEventMagic, getpid(), own->counts_file, 0, kPage}, *handle);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t nvidia_handle) {
  return call([&] {
    const Handle handle = read_handle(nvidia_handle);
    if (!event) return cudaErrorInvalidValue;
    if (handle.magic != kEventMagic) return cudaErrorInvalidResourceHandle;
    if (handle.pid == getpid()) return cudaErrorDeviceUninitialized;
    auto made = std::make_shared<Event>();
    made->device = current_device().ordinal;
    made->flags = cudaEventInterprocess | cudaEventDisableTiming;
    made->counts_file = open_shared(handle, kPage);
    if (made->counts_file < 0) return cudaErrorInvalidResourceHandle;
    made->counts = static_cast<EventCounts*>(map_file(made->counts_file, kPage));
    if (!made->counts) return cudaErrorMapBufferObjectFailed;
    process().other_processes_may_write = true;
    *event = reinterpret_cast<cudaEvent_t>(process().events.add(std::move(made)));
    return cudaSuccess;
  });
}
