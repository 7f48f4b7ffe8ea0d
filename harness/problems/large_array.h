// Arrays of up to gigabytes that many threads fill. They are not initialised, so all those threads
// touch the pages first and the system zeroes them in parallel; a single thread would take a second
// for two gigabytes. The creator must write every element.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace ridge::problems {

template <typename T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <typename Other>
  LargeAllocator(const LargeAllocator<Other>&) {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kLarge) return static_cast<T*>(::operator new(bytes));
    const size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* memory = std::aligned_alloc(kPage, whole);
    if (!memory) throw std::bad_alloc();
    madvise(memory, whole, MADV_HUGEPAGE);  // some systems refuse, which does no harm
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    if (count * sizeof(T) < kLarge)
      ::operator delete(memory);
    else
      std::free(memory);
  }
  // Elements without a value stay uninitialised.
  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  template <typename Other>
  bool operator==(const LargeAllocator<Other>&) const {
    return true;
  }

 private:
  static constexpr size_t kPage = size_t{2} << 20, kLarge = 4 * kPage;
};

template <typename T>
using LargeArray = std::vector<T, LargeAllocator<T>>;

}  // namespace ridge::problems
