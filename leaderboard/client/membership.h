// The class that a clone has joined: .ridge/class.json, readable only by its owner.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ridge::leaderboard {

struct Membership {
  std::string url, class_name, title, student, token;
};

std::filesystem::path membership_file(const std::filesystem::path& clone);
std::optional<Membership> read_membership(
    const std::filesystem::path& clone);  // no value: not joined, or damaged
void write_membership(const std::filesystem::path& clone,
                      const Membership& membership);  // throws std::runtime_error

}  // namespace ridge::leaderboard
