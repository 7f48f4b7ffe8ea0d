// Reads and writes CSV.
#include "leaderboard/classes/csv.h"

#include <string_view>

namespace ridge::leaderboard {

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  Csv read() {
    while (at_ < text_.size())
      read_record();
    return std::move(csv_);
  }

 private:
  void read_record() {
    CsvRecord record;
    record.line = line_;
    bool more = true;
    while (more) {
      record.cells.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted() : plain());
      more = at_ < text_.size() && text_[at_] == ',';
      if (more) ++at_;
    }
    end_line();
    if (record.cells.size() > 1 || !record.cells[0].empty())
      csv_.records.push_back(std::move(record));
  }

  std::string plain() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted() {
    const int begin_line = line_;
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') {
          ++at_;
          return cell + plain();
        }
        ++at_;
      }
      if (text_[at_] == '\n') ++line_;
      cell += text_[at_];
    }
    csv_.errors.push_back({begin_line, "a quote (\") is opened here and not closed"});
    return cell;
  }

  void end_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  Csv csv_;
};

}  // namespace

Csv read_csv(const std::string& text) {
  return Reader(text).read();
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (!line.empty() || &cell != &cells.front()) line += ',';
    std::string safe = cell;
    const bool number = !cell.empty() && cell.find_first_not_of("0123456789.-") == cell.npos;
    if (!cell.empty() && std::string_view("=+-@\t\r").find(cell[0]) != std::string_view::npos &&
        !number)
      safe.insert(safe.begin(), '\'');
    if (safe.find_first_of(",\"\r\n") == safe.npos) {
      line += safe;
      continue;
    }
    line += '"';
    for (const char letter : safe) {
      if (letter == '"') line += '"';
      line += letter;
    }
    line += '"';
  }
  return line + "\r\n";
}

}  // namespace ridge::leaderboard
