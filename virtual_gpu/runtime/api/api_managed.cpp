// Hints on the location of managed memory, and their queries. There is only one memory here, so they
// are stored and change nothing else.
#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "virtual_gpu/runtime/errors/errors.h"
#include "virtual_gpu/runtime/process/process.h"

using namespace ridge::runtime;

namespace {

constexpr cudaMemLocation kNoLocation{cudaMemLocationTypeInvalid, 0};

struct Hints {
  bool read_mostly = false;
  cudaMemLocation preferred = kNoLocation, prefetched = kNoLocation;
  std::vector<int> accessed_by;
};

// A device's ordinal, or cudaCpuDeviceId.
int ordinal_of(const cudaMemLocation& location) {
  if (location.type == cudaMemLocationTypeInvalid) return cudaInvalidDeviceId;
  return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

bool is_location(const cudaMemLocation& location) {
  if (location.type != cudaMemLocationTypeDevice) return location.type != cudaMemLocationTypeInvalid;
  return location.id >= 0 && static_cast<size_t>(location.id) < process().devices.size();
}

std::mutex hints_mutex;

std::map<uint64_t, Hints>& hints_of_allocations() {  // by the allocation's number
  static auto* const hints = new std::map<uint64_t, Hints>();
  return *hints;
}

// Calls `use` with the hints of the managed allocation that holds the range.
template <typename Use>
cudaError_t with_range(const void* pointer, size_t bytes, Use use) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const auto block = process().allocations.find(address);
  if (!block || block->kind != MemoryKind::managed || bytes > block->end() - address) return cudaErrorInvalidValue;
  const auto allocation = process().memory.find(address);
  const std::lock_guard lock(hints_mutex);
  return use(hints_of_allocations()[allocation ? allocation->serial : 0]);
}

cudaError_t put(void* data, size_t bytes, int value) {
  if (bytes != sizeof value) return cudaErrorInvalidValue;
  *static_cast<int*>(data) = value;
  return cudaSuccess;
}

cudaError_t query(const Hints& hints, void* data, size_t bytes, cudaMemRangeAttribute attribute) {
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      return put(data, bytes, hints.read_mostly);
    case cudaMemRangeAttributePreferredLocation:
      return put(data, bytes, ordinal_of(hints.preferred));
    case cudaMemRangeAttributeLastPrefetchLocation:
      return put(data, bytes, ordinal_of(hints.prefetched));
    case cudaMemRangeAttributePreferredLocationType:
      return put(data, bytes, hints.preferred.type);
    case cudaMemRangeAttributePreferredLocationId:
      return put(data, bytes, hints.preferred.id);
    case cudaMemRangeAttributeLastPrefetchLocationType:
      return put(data, bytes, hints.prefetched.type);
    case cudaMemRangeAttributeLastPrefetchLocationId:
      return put(data, bytes, hints.prefetched.id);
    case cudaMemRangeAttributeAccessedBy: {
      if (bytes == 0 || bytes % sizeof(int) != 0) return cudaErrorInvalidValue;
      int* const devices = static_cast<int*>(data);
      for (size_t i = 0; i < bytes / sizeof(int); ++i)
        devices[i] = i < hints.accessed_by.size() ? hints.accessed_by[i] : cudaInvalidDeviceId;
      return cudaSuccess;
    }
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
  return call([&] {
    return with_range(pointer, bytes, [&](Hints& hints) {
      const bool names_place = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy ||
                               advice == cudaMemAdviseUnsetAccessedBy;
      if (names_place && !is_location(location)) return cudaErrorInvalidDevice;
      switch (advice) {
        case cudaMemAdviseSetReadMostly:
        case cudaMemAdviseUnsetReadMostly:
          hints.read_mostly = advice == cudaMemAdviseSetReadMostly;
          return cudaSuccess;
        case cudaMemAdviseSetPreferredLocation:
          hints.preferred = location;
          return cudaSuccess;
        case cudaMemAdviseUnsetPreferredLocation:
          hints.preferred = kNoLocation;
          return cudaSuccess;
        case cudaMemAdviseSetAccessedBy:
        case cudaMemAdviseUnsetAccessedBy:
          std::erase(hints.accessed_by, ordinal_of(location));
          if (advice == cudaMemAdviseSetAccessedBy) hints.accessed_by.push_back(ordinal_of(location));
          return cudaSuccess;
        default:
          return cudaErrorInvalidValue;
      }
    });
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned,
                                 cudaStream_t stream) {
  return call([&] {
    if (!find_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (!is_location(location)) return cudaErrorInvalidDevice;
    return with_range(pointer, bytes, [&](Hints& hints) {
      hints.prefetched = location;
      return cudaSuccess;
    });
  });
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_bytes, cudaMemRangeAttribute attribute,
                                     const void* pointer, size_t bytes) {
  return call([&] {
    if (!data) return cudaErrorInvalidValue;
    return with_range(pointer, bytes, [&](Hints& hints) { return query(hints, data, data_bytes, attribute); });
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* data_bytes, cudaMemRangeAttribute* attributes,
                                      size_t count, const void* pointer, size_t bytes) {
  return call([&] {
    if (!data || !data_bytes || !attributes || count == 0) return cudaErrorInvalidValue;
    return with_range(pointer, bytes, [&](Hints& hints) {
      for (size_t i = 0; i < count; ++i) {
        const cudaError_t error = query(hints, data[i], data_bytes[i], attributes[i]);
        if (error != cudaSuccess) return error;
      }
      return cudaSuccess;
    });
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes, unsigned) {
  return call([&] {
    if (!find_stream(stream)) return cudaErrorInvalidResourceHandle;
    return with_range(pointer, bytes, [](Hints&) { return cudaSuccess; });
  });
}
