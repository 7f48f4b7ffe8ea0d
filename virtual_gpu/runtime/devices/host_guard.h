// Keeps the host's hands off device memory. Device memory of the virtual GPU lies in the process, where the
// program's host code could read and write it, which no host code can do with a GPU's: such a program ends
// with a segmentation fault there, and here. The whole pages of what cudaMalloc gave out may not be touched
// but while work of a stream (a kernel, a copy, a fill) is carried out. Not seen: host code that runs beside
// such work in another thread, and the bytes of an allocation that share a page with others.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace ridge::runtime {

class HostGuard {
 public:
  // Off until then: it costs two system calls per allocation for each piece of work.
  void turn_on() { is_on_ = true; }
  void add(uint64_t begin, uint64_t bytes);
  // Before the memory is given back. Nothing happens for what was not added.
  void remove(uint64_t begin);
  void begin_work();
  void end_work();

 private:
  void protect_all(bool open);

  bool is_on_ = false;
  std::mutex mutex_;
  int working_ = 0;
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> pages_;  // by allocation: first byte, bytes
};

// While it lives, device memory is open.
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
