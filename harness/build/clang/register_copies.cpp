#include "harness/build/clang/register_copies.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ridge::build {
namespace {

struct Copy {
  std::string to, from;  // "%f9", "%r65"
};

struct Register {
  std::vector<size_t> writes, mentions;  // lines; what may write counts as a write
};

bool begins_assembly(const std::string& line) {
  return line.find("// begin inline asm") != std::string::npos;
}

bool ends_assembly(const std::string& line) {
  return line.find("// end inline asm") != std::string::npos;
}

bool is_letter_of_register(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '%';
}

// Calls `visit` with the begin and end of each register's name: "%r65". Special registers ("%tid") are among them.
template <typename Visit>
void for_registers(std::string_view line, Visit visit) {
  for (size_t at = line.find('%'); at != std::string_view::npos; at = line.find('%', at)) {
    size_t end = at + 1;
    while (end < line.size() && is_letter_of_register(line[end]))
      ++end;
    if (at == 0 || !is_letter_of_register(line[at - 1])) visit(at, end);
    at = end;
  }
}

// "\tmov.b32 \t%f9, %r65;" with one register of a floating class and one of bits.
bool read_copy(const std::string& line, Copy& copy) {
  std::istringstream words(line);
  std::string opcode, rest;
  if (!(words >> opcode >> copy.to >> copy.from) || words >> rest) return false;
  if (!copy.to.ends_with(',') || !copy.from.ends_with(';')) return false;
  copy.to.pop_back();
  copy.from.pop_back();
  const bool is_wide = opcode == "mov.b64";
  if (!is_wide && opcode != "mov.b32") return false;
  const std::string to = is_wide ? "%fd" : "%f", from = is_wide ? "%rd" : "%r";
  const auto is_of = [](const std::string& name, const std::string& start) {
    return name.starts_with(start) && name.size() > start.size() &&
           std::all_of(name.begin() + static_cast<std::ptrdiff_t>(start.size()), name.end(),
                       [](unsigned char letter) { return std::isdigit(letter); });
  };
  return is_of(copy.to, to) && is_of(copy.from, from);
}

// Where the first operand ends: registers before it are written. 0: the instruction writes none.
size_t end_of_results(std::string_view line) {
  const size_t opcode = line.find_first_not_of(" \t");
  if (opcode == std::string_view::npos) return 0;
  const std::string_view text = line.substr(opcode);
  for (const char* start : {"st.", "red.", "bra", "call", "//"})
    if (text.starts_with(start)) return 0;
  const size_t brace = line.find('{'), comma = line.find(',');
  return brace < comma ? line.find('}') : comma;
}

// The body of one function.
class Body {
 public:
  explicit Body(std::vector<std::string>& lines) : lines_(lines) {
    bool is_assembly = false;
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string& line = lines[i];
      is_assembly = (is_assembly || begins_assembly(line)) && !ends_assembly(line);
      const bool may_write_all = is_assembly || (line.find('@') != std::string::npos &&
                                                 line.find("bra") == std::string::npos);
      const size_t results = may_write_all ? line.size() : end_of_results(line);
      for_registers(line, [&](size_t begin, size_t end) {
        Register& one = registers_[line.substr(begin, end - begin)];
        one.mentions.push_back(i);
        if (begin < results) one.writes.push_back(i);
      });
    }
  }

  void remove_copies() {
    for (size_t i = 0; i < lines_.size(); ++i) {
      Copy copy;
      if (!read_copy(lines_[i], copy) || !is_removable(copy, i)) continue;
      Register &to = registers_[copy.to], &from = registers_[copy.from];
      for (const size_t at : to.mentions) {
        rename(lines_[at], copy.to, copy.from);
        if (at != i) from.mentions.push_back(at);
      }
      lines_[i].clear();
      to = {};
    }
    std::erase_if(lines_, [](const std::string& line) { return line.empty(); });
  }

 private:
  bool is_removable(const Copy& copy, size_t at) {
    const Register &to = registers_[copy.to], &from = registers_[copy.from];
    if (to.writes.size() != 1 || from.writes.size() != 1 || from.writes[0] >= at) return false;
    for (size_t i = from.writes[0]; i < at; ++i)
      if (ends_block(lines_[i])) return false;
    return std::none_of(to.mentions.begin(), to.mentions.end(),
                        [&](size_t mention) { return mention >= from.writes[0] && mention < at; });
  }

  static bool ends_block(const std::string& line) {
    return line.starts_with("$") || line.find("bra") != std::string::npos;
  }

  static void rename(std::string& line, const std::string& from, const std::string& to) {
    std::string renamed;
    size_t kept = 0;
    for_registers(line, [&](size_t begin, size_t end) {
      if (std::string_view(line).substr(begin, end - begin) != from) return;
      renamed += line.substr(kept, begin - kept) + to;
      kept = end;
    });
    line = renamed + line.substr(kept);
  }

  std::vector<std::string>& lines_;
  std::unordered_map<std::string, Register> registers_;
};

}  // namespace

std::string without_register_copies(const std::string& ptx) {
  std::string result;
  std::vector<std::string> body;
  bool is_body = false, is_assembly = false;  // which may have braces of its own
  const auto append = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines)
      result += line + "\n";
  };
  std::istringstream stream(ptx);
  for (std::string line; std::getline(stream, line);) {
    is_assembly = (is_assembly || begins_assembly(line)) && !ends_assembly(line);
    if (!is_body) {
      append({line});
      is_body = line == "{";
    } else if (line == "}" && !is_assembly) {
      Body(body).remove_copies();
      append(body);
      append({line});
      body.clear();
      is_body = false;
    } else {
      body.push_back(line);
    }
  }
  append(body);
  return result;
}

}  // namespace ridge::build
