#include "virtual_gpu/machine/faults/print_format.h"

#include <cstdio>

namespace ridge::machine {
namespace {

// Reads consecutive arguments, each aligned to its size: int 4 bytes; long, double and pointers 8.
class Reader {
 public:
  explicit Reader(const PrintArguments& arguments) : arguments_(arguments) {}

  template <class T>
  T next() {
    T value{};
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    arguments_.read(offset_, &value, sizeof value);
    offset_ += sizeof(T);
    ++used_;
    return value;
  }
  int used() const { return used_; }

 private:
  const PrintArguments& arguments_;
  uint64_t offset_ = 0;
  int used_ = 0;
};

template <class T>
std::string print_one(const std::string& specification, T value) {
  const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (length <= 0) return {};
  std::string text(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(text.data(), text.size(), specification.c_str(), value);
  text.pop_back();
  return text;
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

}  // namespace

std::string format_print(std::string_view format, const PrintArguments& arguments, int& arguments_used) {
  Reader reader(arguments);
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    const size_t begin = i++;
    std::string specification = "%";
    while (i < format.size() && is_one_of(format[i], "-+ #0123456789.*")) {
      if (format[i] == '*')
        specification += std::to_string(reader.next<int32_t>());
      else
        specification += format[i];
      ++i;
    }
    bool is_long = false;
    while (i < format.size() && is_one_of(format[i], "hlLqjzt")) {
      is_long |= is_one_of(format[i], "lqjzt");
      ++i;
    }
    if (i >= format.size()) {
      out += format.substr(begin);
      break;
    }
    const char conversion = format[i];
    if (conversion == '%') {
      out += '%';
    } else if (is_one_of(conversion, "di")) {
      out += is_long ? print_one(specification + "ll" + conversion,
                                 static_cast<long long>(reader.next<int64_t>()))
                     : print_one(specification + conversion, reader.next<int32_t>());
    } else if (is_one_of(conversion, "uxXo")) {
      out += is_long ? print_one(specification + "ll" + conversion,
                                 static_cast<unsigned long long>(reader.next<uint64_t>()))
                     : print_one(specification + conversion, reader.next<uint32_t>());
    } else if (is_one_of(conversion, "fFeEgGaA")) {
      out += print_one(specification + conversion, reader.next<double>());
    } else if (conversion == 'c') {
      out += print_one(specification + 'c', reader.next<int32_t>());
    } else if (conversion == 'p') {
      out += print_one(specification + 'p', reinterpret_cast<void*>(reader.next<uint64_t>()));
    } else if (conversion == 's') {
      const std::string text = arguments.string(reader.next<uint64_t>());
      out += print_one(specification + 's', text.c_str());
    } else {
      out += format.substr(begin, i - begin + 1);
    }
  }
  arguments_used = reader.used();
  return out;
}

}  // namespace ridge::machine
