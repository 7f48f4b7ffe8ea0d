// Prevents the host from accessing device memory directly. The virtual GPU's device memory is in
// the process, where host code could read and write it, which is impossible with a GPU's: such a
// program ends with a segmentation fault there, and here too. Allocations by cudaMalloc are accessible
// only while work of a stream (a kernel, a copy, a fill) is executed. Not detected: host code in
// another thread during such work.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace ridge::runtime {

class HostGuard {
 public:
  // Off by default: it costs two system calls per allocation for each piece of work.
  void turn_on() { is_on_ = true; }
  // The pages of [begin, begin + bytes): no other allocation may be there
  // (DeviceMemory::give_each_its_own_pages). std::logic_error: `begin` is inside a page.
  void add(uint64_t begin, uint64_t bytes);
  // Called before memory is freed. No effect for ranges that were not added.
  void remove(uint64_t begin);
  void begin_work();
  void end_work();

 private:
  void protect_all(bool open);

  bool is_on_ = false;
  std::mutex mutex_;
  int working_ = 0;
  std::map<uint64_t, uint64_t> pages_;  // first byte of an allocation -> bytes of its pages
};

// Device memory is accessible during its lifetime.
class DeviceWork {
 public:
  explicit DeviceWork(HostGuard& guard) : guard_(guard) { guard_.begin_work(); }
  ~DeviceWork() { guard_.end_work(); }
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

 private:
  HostGuard& guard_;
};

}  // namespace ridge::runtime
