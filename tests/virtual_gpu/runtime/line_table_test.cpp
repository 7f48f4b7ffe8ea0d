#include "virtual_gpu/runtime/binary/line_table.h"

#include <cstring>
#include <string>

#include "tests/catch.h"

using namespace ridge::runtime;

namespace {

template <typename T>
void put(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

// A DWARF 2 line program of one function: rows (0, 10), (16, 12), (48, 7).
std::string line_section() {
  std::string header;  // after its own length
  put<uint8_t>(header, 1);
  put<uint8_t>(header, 1);
  put<int8_t>(header, -5);
  put<uint8_t>(header, 14);
  put<uint8_t>(header, 10);
  header += std::string("\0\1\1\1\1\0\0\0\1", 9);
  header += std::string("\0", 1);           // no folders
  header += std::string("a\0\0\0\0\0", 6);  // one file
  std::string program;
  program += std::string("\0\x9\x2", 3);  // set address
  put<uint64_t>(program, 0);
  program += std::string("\x3\x9", 2);                     // line += 9
  program += '\x1';                                        // copy: (0, 10)
  program += static_cast<char>(10 + 2 + 5 + 14 * 16 - 0);  // special: address + 16, line + 2
  program += std::string("\x2\x20", 2);                    // address += 32
  program += std::string("\x3\x7b", 2);                    // line -= 5
  program += '\x1';
  program += std::string("\0\x1\x1", 3);  // end
  std::string unit;
  put<uint16_t>(unit, 2);
  put<uint32_t>(unit, static_cast<uint32_t>(header.size()));
  unit += header + program;
  std::string section;
  put<uint32_t>(section, static_cast<uint32_t>(unit.size()));
  return section + unit;
}

uint64_t address_at(const std::string& section) {
  return section.find(std::string("\0\x9\x2", 3)) + 3;
}

}  // namespace

TEST_CASE("A line program gives each address its line") {
  const std::string section = line_section();
  const auto rows = read_line_table(section, {{address_at(section), 42}});
  REQUIRE(rows.contains(42));
  const auto& list = rows.at(42);
  REQUIRE(list.size() == 3);
  CHECK(list[0].address == 0);
  CHECK(list[0].line == 10);
  CHECK(list[1].address == 16);
  CHECK(list[1].line == 12);
  CHECK(list[2].address == 48);
  CHECK(list[2].line == 7);
}

TEST_CASE("A line table cut off or overwritten anywhere is read without harm") {
  const std::string whole = line_section();
  for (size_t length = 0; length <= whole.size(); ++length)
    read_line_table(std::string_view(whole).substr(0, length), {{address_at(whole), 1}});
  size_t rows_seen = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = byte;
      for (const auto& [function, rows] : read_line_table(damaged, {{address_at(whole), 1}}))
        rows_seen += rows.size();
    }
  }
  CHECK(rows_seen > 0);
}
