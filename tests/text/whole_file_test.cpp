#include "text/whole_file.h"

#include "tests/catch.h"
#include "tests/scratch_folder.h"

using namespace ridge;

TEST_CASE("a whole file is read, of any size and with any bytes") {
  const tests::ScratchFolder folder;
  for (const size_t size : {0u, 1u, 4095u, 4096u, 4097u, 100000u}) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<char>(i * 7);
    folder.write("file", bytes);
    INFO(size);
    CHECK(text::read_file(folder.path / "file") == bytes);
    CHECK(text::read_file_if_readable(folder.path / "file") == bytes);
  }
}

TEST_CASE("a file whose size the system does not know is read to its end") {
  CHECK_THAT(text::read_file("/proc/self/status"), Catch::Contains("VmPeak") && Catch::EndsWith("\n"));
}

TEST_CASE("a file that cannot be read is named with the reason") {
  const tests::ScratchFolder folder;
  CHECK_THROWS_WITH(text::read_file(folder.path / "none"),
                    "cannot read " + (folder.path / "none").string() + ": No such file or directory");
  CHECK_THROWS_WITH(text::read_file(folder.path), Catch::EndsWith("Is a directory"));
  CHECK_FALSE(text::read_file_if_readable(folder.path / "none"));
}
