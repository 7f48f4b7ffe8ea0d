// NVTX for C++: ranges that last as long as an object, and marks. They do nothing, as in nvToolsExt.h.
#pragma once

#include "nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {

struct domain {
  struct global {
    static constexpr const char* name = nullptr;
  };
};
struct rgb {
  constexpr rgb(unsigned char, unsigned char, unsigned char) noexcept {}
};
struct argb {
  constexpr argb(unsigned char, unsigned char, unsigned char, unsigned char) noexcept {}
};
struct color {
  constexpr explicit color(uint32_t) noexcept {}
  constexpr color(rgb) noexcept {}
  constexpr color(argb) noexcept {}
};
struct category {
  constexpr explicit category(uint32_t) noexcept {}
};
struct payload {
  template <class T>
  constexpr explicit payload(T) noexcept {}
};
struct message {
  template <class T>
  constexpr message(const T&) noexcept {}
};
struct event_attributes {
  template <class... T>
  constexpr explicit event_attributes(const T&...) noexcept {}
};

template <class Domain = domain::global>
class scoped_range_in {
 public:
  template <class... T>
  explicit scoped_range_in(const T&...) noexcept {}
  scoped_range_in(const scoped_range_in&) = delete;
  scoped_range_in& operator=(const scoped_range_in&) = delete;
  ~scoped_range_in() noexcept {}  // a variable of it is not "unused"
};
using scoped_range = scoped_range_in<>;
template <class Domain = domain::global>
using unique_range_in = scoped_range_in<Domain>;
using unique_range = scoped_range_in<>;

template <class Domain = domain::global, class... T>
void mark_in(const T&...) noexcept {}
template <class... T>
void mark(const T&...) noexcept {}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_FUNC_RANGE() const ::nvtx3::scoped_range nvtx3_range_of_function(__func__)
#define NVTX3_FUNC_RANGE_IN(domain) const ::nvtx3::scoped_range_in<domain> nvtx3_range_of_function(__func__)
