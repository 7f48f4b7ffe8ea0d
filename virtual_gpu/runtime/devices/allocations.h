// The program's allocations and their kinds. The machine knows the address ranges; this table knows
// how each was allocated.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <vector>

namespace ridge::runtime {

enum class MemoryKind : uint8_t {
  device,      // cudaMalloc and its variants
  managed,     // cudaMallocManaged, __managed__
  pinned,      // cudaMallocHost, cudaHostAlloc
  registered,  // cudaHostRegister
  variable,    // __device__ and __constant__
  array,       // cudaMallocArray
  imported,    // cudaIpcOpenMemHandle
};

struct Block {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  int device = 0;
  unsigned flags = 0;    // as given to cudaHostAlloc, cudaHostRegister or cudaMallocManaged
  void* pool = nullptr;  // the pool of cudaMallocAsync

  uint64_t end() const { return begin + bytes; }
  // True when the host may access it without a copy.
  bool host_accessible() const {
    return kind == MemoryKind::managed || kind == MemoryKind::pinned || kind == MemoryKind::registered;
  }
};

class Allocations {
 public:
  void add(const Block& block);
  // Removes the block that begins at `address` if its kind is one of `kinds`.
  std::optional<Block> remove(uint64_t address, std::initializer_list<MemoryKind> kinds);
  // The block that contains `address`. One byte past the end belongs to no block.
  std::optional<Block> find(uint64_t address) const;
  // True when any block overlaps [begin, end).
  bool overlaps(uint64_t begin, uint64_t end) const;
  std::vector<Block> all() const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Block> blocks_;  // by beginning
};

}  // namespace ridge::runtime
