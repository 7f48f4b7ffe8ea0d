#include "virtual_gpu/ptx/names/register_numbers.h"

#include <algorithm>

namespace ridge::ptx {

RegisterNumber RegisterNumbers::declare(std::string_view name, uint32_t count) {
  const RegisterNumber first = next_;
  next_ += std::max(count, 1u);
  if (count == 0)
    single_[name] = first;
  else
    ranges_[name] = {first, count};
  return first;
}

RegisterNumbers::Range RegisterNumbers::range_of(std::string_view prefix) {
  const auto last = static_cast<unsigned char>(prefix.back());
  const auto before = static_cast<unsigned char>(prefix[prefix.size() - 2]);
  Recent& recent = recent_[(prefix.size() * 29 + before * 5 + last) % recent_.size()];
  if (recent.prefix == prefix) return recent.range;
  const auto found = ranges_.find(prefix);
  if (found == ranges_.end()) return {};
  recent = {found->first, found->second};
  return recent.range;
}

RegisterNumber RegisterNumbers::of(std::string_view name) {
  constexpr size_t kMostDigits = 9;
  size_t cut = name.size();
  while (cut > 0 && name[cut - 1] >= '0' && name[cut - 1] <= '9')
    --cut;
  const size_t digits = name.size() - cut;
  // "%r01" is not a member of %r<...>.
  if (cut > 1 && digits > 0 && digits <= kMostDigits && (name[cut] != '0' || digits == 1)) {
    uint32_t number = 0;
    for (const char digit : name.substr(cut))
      number = number * 10 + static_cast<uint32_t>(digit - '0');
    const Range range = range_of(name.substr(0, cut));
    if (number < range.count) return range.first + number;
  }
  const auto [known, is_new] = single_.try_emplace(name, next_);
  if (is_new) ++next_;
  return known->second;
}

}  // namespace ridge::ptx
