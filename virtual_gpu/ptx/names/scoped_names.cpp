#include "virtual_gpu/ptx/names/scoped_names.h"

#include <fmt/format.h>

#include <charconv>

namespace ridge::ptx {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Calls visit(prefix, digits) for every way to read `name` as a register of a range: "t12" is
// t<...> number 12 or t1<...> number 2. A number has no leading zero and at most nine digits, so it
// fits in 32 bits.
template <typename Visit>
void for_each_split(std::string_view name, Visit visit) {
  constexpr size_t kMaxDigits = 9;
  for (size_t digits = 1; digits < name.size() && digits <= kMaxDigits; ++digits) {
    const size_t cut = name.size() - digits;
    if (!is_digit(name[cut])) return;
    if (digits > 1 && name[cut] == '0') continue;
    visit(name.substr(0, cut), name.substr(cut));
  }
}

uint32_t to_number(std::string_view digits) {
  uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

}  // namespace

void ScopedNames::close_scope() {
  for (const std::string_view name : scopes_.back().bound) {
    const auto found = bindings_.find(name);
    found->second.pop_back();
    if (found->second.empty()) bindings_.erase(found);
  }
  scopes_.pop_back();
}

bool ScopedNames::is_used(std::string_view name) const {
  if (used_.contains(name) || used_ranges_.contains(name) || module_names_.contains(name))
    return true;
  bool used = false;
  for_each_split(name, [&](std::string_view prefix, std::string_view) {
    used |= used_ranges_.contains(prefix);
  });
  return used;
}

// A range and a single name with the same spelling would be two entries with one name in a table of
// declarations, so they conflict too.
bool ScopedNames::is_used_as_range(std::string_view name) const {
  return prefixes_of_used_.contains(name) || is_used(name);
}

std::string_view ScopedNames::unused_spelling(std::string_view name, std::string_view lead,
                                              std::string_view tail) {
  uint32_t& suffix = next_suffix_[name];
  if (suffix == 0) suffix = lead.empty() ? 2 : 1;
  while (true) {
    std::string made = fmt::format("{}{}${}{}", lead, name, suffix++, tail);
    if (!used_.contains(made) && !used_ranges_.contains(made) && !module_names_.contains(made))
      return pool_.name(std::move(made));
  }
}

void ScopedNames::use(std::string_view name) {
  used_[name] = current_scope();
  for_each_split(
      name, [&](std::string_view prefix, std::string_view) { prefixes_of_used_.insert(prefix); });
}

std::string_view ScopedNames::bind(std::string_view name, Binding binding) {
  (binding.count ? used_ranges_ : used_)[binding.name] = current_scope();
  scopes_.back().bound.push_back(name);
  binding.scope = current_scope();
  bindings_[name].push_back(binding);
  return binding.name;
}

std::string_view ScopedNames::declare(std::string_view name, Role role) {
  const auto previous = used_.find(name);
  if (previous != used_.end() && previous->second == current_scope()) return {};
  const bool lacks_percent = role == Role::reg && name.front() != '%';
  const bool keeps = !lacks_percent && !is_used(name);
  use(name);
  if (keeps) return name;
  return bind(name, {unused_spelling(name, lacks_percent ? "%" : "", ""), role});
}

std::string_view ScopedNames::declare_range(std::string_view name, uint32_t count) {
  const auto previous = used_ranges_.find(name);
  if (previous != used_ranges_.end() && previous->second == current_scope()) return {};
  const bool lacks_percent = name.front() != '%';
  // A prefix that ends in a digit would make %r12 ambiguous for readers of the tree: %r<...> 12 or
  // %r1<...> 2.
  const bool keeps = !lacks_percent && !is_digit(name.back()) && !is_used_as_range(name);
  used_ranges_[name] = current_scope();
  if (keeps) return name;
  // The '_' separates the numbers: %t$2_0 is the first of %t$2_<4>, not the twentieth renaming of
  // %t.
  return bind(name, {unused_spelling(name, lacks_percent ? "%" : "", "_"), Role::reg, count});
}

// Looks up a single name as written, and as a member of every range it could belong to; the
// innermost wins.
const ScopedNames::Binding* ScopedNames::find(std::string_view name,
                                              std::string_view& digits) const {
  const Binding* best = nullptr;
  if (const auto found = bindings_.find(name); found != bindings_.end()) {
    const std::vector<Binding>& candidates = found->second;
    for (size_t i = candidates.size(); i-- > 0 && !best;) {
      if (candidates[i].count == 0) best = &candidates[i];
    }
  }
  for_each_split(name, [&](std::string_view prefix, std::string_view number) {
    const auto found = bindings_.find(prefix);
    if (found == bindings_.end()) return;
    const Binding& range = found->second.back();
    if (to_number(number) >= range.count || (best && best->scope > range.scope)) return;
    best = &range;
    digits = number;
  });
  return best;
}

ScopedNames::Use ScopedNames::resolve(std::string_view name) const {
  const size_t dot = name.find('.');
  const std::string_view base = name.substr(0, dot);
  const bool has_percent = name.front() == '%';
  if (bindings_.empty()) return {name, has_percent};
  std::string_view digits;
  const Binding* binding = find(base, digits);
  if (!binding) return {name, has_percent};
  const bool is_register = binding->role == Role::reg;
  if (digits.empty() && dot == std::string_view::npos) return {binding->name, is_register};
  std::string spelling(binding->name);
  spelling += digits;
  if (dot != std::string_view::npos) spelling += name.substr(dot);
  return {pool_.name(std::move(spelling)), is_register};
}

}  // namespace ridge::ptx
