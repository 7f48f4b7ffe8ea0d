// A table of objects whose address the program uses as a handle: a stale or foreign handle gives an
// error code, never a crash.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ridge::runtime {

template <typename T>
class HandleTable {
 public:
  T* add(std::shared_ptr<T> object) {
    std::lock_guard lock(mutex_);
    T* handle = object.get();
    objects_[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<T> find(const void* handle) const {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(static_cast<const T*>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }
  // False when there is no such object.
  bool remove(const void* handle) {
    std::lock_guard lock(mutex_);
    return objects_.erase(static_cast<const T*>(handle)) != 0;
  }
  std::vector<std::shared_ptr<T>> all() const {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> objects;
    for (const auto& entry : objects_)
      objects.push_back(entry.second);
    return objects;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const T*, std::shared_ptr<T>> objects_;
};

}  // namespace ridge::runtime
