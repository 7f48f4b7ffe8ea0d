// The lines of PTX text, without a copy of each line: views into text that this object owns.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ridge::ptx {

class TextLines {
 public:
  TextLines() = default;
  // The text ends at its first zero byte; PTX in a fat binary is padded with them. Lines may end
  // in "\r\n".
  explicit TextLines(std::string text) {
    text.resize(std::min(text.size(), text.find('\0')));
    texts_.push_back(std::make_shared<const std::string>(std::move(text)));
    std::string_view rest = *texts_.back();
    lines_.reserve(static_cast<size_t>(std::count(rest.begin(), rest.end(), '\n')) + 1);
    while (!rest.empty()) {
      const size_t newline = rest.find('\n');
      std::string_view line = rest.substr(0, newline);
      if (line.ends_with('\r')) line.remove_suffix(1);
      lines_.push_back(line);
      if (newline == std::string_view::npos) break;
      rest.remove_prefix(newline + 1);
    }
  }

  size_t size() const { return lines_.size(); }
  std::string_view operator[](size_t index) const { return lines_[index]; }
  std::string_view at(size_t index) const { return lines_.at(index); }
  auto begin() const { return lines_.begin(); }
  auto end() const { return lines_.end(); }

  // The text of the constructor. Views of it live as long as this object, its copies and what they
  // were appended to.
  std::string_view text() const { return texts_.empty() ? std::string_view{} : *texts_.front(); }
  bool contains(std::string_view word) const {
    for (const auto& text : texts_) {
      if (text->find(word) != std::string::npos) return true;
    }
    return false;
  }
  void append(const TextLines& more) {
    texts_.insert(texts_.end(), more.texts_.begin(), more.texts_.end());
    lines_.insert(lines_.end(), more.lines_.begin(), more.lines_.end());
  }

 private:
  std::vector<std::shared_ptr<const std::string>> texts_;
  std::vector<std::string_view> lines_;
};

}  // namespace ridge::ptx
