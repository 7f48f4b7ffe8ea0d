// A file takes the place of another one, or of none.
#include "text/replace_file.h"

#include <fstream>

#include "tests/catch.h"
#include "tests/scratch_folder.h"
#include "text/bit_cast.h"
#include "text/unfilled_bytes.h"
#include "text/whole_file.h"

namespace ridge {

TEST_CASE("a complete file takes its name, whether or not there was one before") {
  const tests::ScratchFolder folder;
  const auto file = folder.path / "a", partial = folder.path / "a.partial";
  for (const char* words : {"first", "second"}) {
    std::ofstream(partial) << words;
    text::replace_file(partial, file);
    CHECK(text::read_file(file) == words);
    CHECK_FALSE(std::filesystem::exists(partial));
  }
  CHECK_THROWS_AS(text::replace_file(partial, file), std::filesystem::filesystem_error);
  CHECK(text::read_file(file) == "second");
}

TEST_CASE("bits keep their value, and unfilled bytes hold what is written") {
  CHECK(text::bit_cast<uint32_t>(1.0f) == 0x3f800000u);
  CHECK(text::bit_cast<float>(0x3f800000u) == 1.0f);
  const auto bytes = text::unfilled_bytes(3);
  bytes[0] = 1, bytes[2] = 3;
  CHECK(bytes[0] + bytes[2] == 4);
}

}  // namespace ridge
