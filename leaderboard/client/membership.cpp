// Reads and writes .ridge/class.json.
#include "leaderboard/client/membership.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ridge::leaderboard {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path membership_file(const fs::path& clone) {
  return clone / ".ridge" / "class.json";
}

std::optional<Membership> read_membership(const fs::path& clone) {
  std::ifstream stream(membership_file(clone));
  const json stored = json::parse(stream, nullptr, false);
  if (!stored.is_object()) return std::nullopt;
  try {
    return Membership{stored.at("url"), stored.at("class"), stored.at("title"),
                      stored.at("student"), stored.at("token")};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void write_membership(const fs::path& clone, const Membership& membership) {
  const fs::path file = membership_file(clone), fresh = file.string() + ".new";
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const std::string text = json{{"url", membership.url},
                                {"class", membership.class_name},
                                {"title", membership.title},
                                {"student", membership.student},
                                {"token", membership.token}}
                               .dump(1) +
                           "\n";
  fs::remove(fresh, ignored);
  const int descriptor = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written = descriptor >= 0 && write(descriptor, text.data(), text.size()) ==
                                              static_cast<ssize_t>(text.size());
  const int why = errno;
  if (descriptor >= 0) close(descriptor);
  if (!written)
    throw std::runtime_error(
        fmt::format("cannot write {}: {}", fresh.string(), std::strerror(why)));
  fs::rename(fresh, file);
}

}  // namespace ridge::leaderboard
