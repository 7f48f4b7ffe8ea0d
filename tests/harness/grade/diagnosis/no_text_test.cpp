// Files that are no source text get a verdict of their own instead of the compiler's messages.
#include "harness/grade/diagnosis/no_text_file.h"

#include <string>

#include "tests/catch.h"

using namespace ridge;

TEST_CASE("a file in UTF-16 or with a byte 0 is no text, and UTF-8 is") {
  const std::string utf16("\xff\xfe/\0/\0", 6), packed("PK\x03\x04\n\0\0", 7);
  CHECK(grade::no_text_file(utf16)->finding == "compile_error.utf16");
  const auto found = grade::no_text_file(packed);
  REQUIRE(found);
  CHECK(found->finding == "compile_error.no_text");
  CHECK(found->verdict == grade::Verdict::compile_error);
  CHECK(found->summary == "The file is not text: its byte 6, in line 2, is 0.");
  CHECK_FALSE(grade::no_text_file("// L\xc3\xb6sung\nint x;\n"));
  CHECK_FALSE(grade::no_text_file("\xef\xbb\xbfint x;\n"));
  CHECK_FALSE(grade::no_text_file(""));
}
