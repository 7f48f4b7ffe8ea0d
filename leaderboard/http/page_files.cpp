// Sends the pages' files, or reports that they were not built.
#include "leaderboard/http/page_files.h"

#include <fmt/format.h>

#include "text/whole_file.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

std::string type_of(const std::string& ending) {
  static const std::map<std::string, std::string> types = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".woff2", "font/woff2"},
      {".json", "application/json"}};
  const auto found = types.find(ending);
  return found == types.end() ? "application/octet-stream" : found->second;
}

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

}  // namespace

PageFiles::PageFiles(const fs::path& folder, std::string missing) : missing_(std::move(missing)) {
  std::error_code error;
  if (folder.empty() || !fs::is_directory(folder, error)) return;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files_["/" + fs::relative(entry.path(), folder).generic_string()] = {
        text::read_file(entry.path()), type_of(entry.path().extension())};
  }
}

Response PageFiles::answer(const Request& request) const {
  if (request.method != "GET" && request.method != "HEAD")
    return {405, "only GET is for pages\n", "text/plain"};
  const auto found = files_.find(request.path == "/" ? "/index.html" : request.path);
  if (found != files_.end()) {
    Response response{200, found->second.bytes, found->second.type};
    const bool named_by_content = request.path.starts_with("/assets/");
    response.headers.emplace_back(
        "Cache-Control", named_by_content ? "public, max-age=31536000, immutable" : "no-cache");
    return response;
  }
  if (files_.empty() && request.path == "/")
    return {503, missing_ + "\n", "text/plain; charset=utf-8"};
  return {404, "there is no such page\n", "text/plain"};
}

const std::vector<std::pair<std::string, std::string>>& security_headers() {
  static const std::vector<std::pair<std::string, std::string>> headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
       "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Frame-Options", "DENY"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
  return headers;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    char letter = text[i];
    if (letter == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1,
                low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      letter = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(letter) < 32 || letter == 127) return std::nullopt;
    plain += letter;
  }
  return plain;
}

std::map<std::string, std::string> query_of(std::string_view text) {
  std::map<std::string, std::string> query;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    const size_t equals = std::min(pair.find('='), pair.size());
    const auto name = decoded(pair.substr(0, equals));
    const auto value = decoded(equals < pair.size() ? pair.substr(equals + 1) : std::string_view());
    if (name && value) query[*name] = *value;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return query;
}

}  // namespace ridge::leaderboard
