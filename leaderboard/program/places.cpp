// The paths of a class's files.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>

#include "leaderboard/program/commands.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

std::string database_of(const ClassSpec& spec) {
  const fs::path named = spec.database;
  return named.is_absolute() || is_postgresql(spec.database) ? spec.database
                                                             : (spec.folder / named).string();
}

fs::path pages_folder() {
  const fs::path folder =
      fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "class-pages";
  std::error_code ignored;
  return fs::is_regular_file(folder / "index.html", ignored) ? folder : fs::path();
}

std::string why_no_pages() {
  if (!pages_folder().empty()) return "";
  return "The pages were not built, so only the API answers. They need Node.js 18 or newer with npm: sudo apt-get install "
         "nodejs npm, then start the class server by ./ridge again, which builds them.";
}

std::string public_url(const ClassSpec& spec) {
  if (!spec.public_url.empty()) {
    std::string url = spec.public_url;
    while (url.ends_with('/'))
      url.pop_back();
    return url;
  }
  return fmt::format(
      "http://{}:{}",
      spec.address.find(':') == std::string::npos ? spec.address : "[" + spec.address + "]",
      spec.port);
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream)
    throw std::runtime_error(fmt::format("cannot write {}: is the disk full?", file.string()));
}

int64_t unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace ridge::leaderboard
