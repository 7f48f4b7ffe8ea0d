// The sentence and the map that a wrong output gets.
#include <cmath>
#include <functional>
#include <limits>

#include "harness/grade/correctness.h"
#include "harness/grade/diagnosis/error_map.h"
#include "tests/catch.h"
#include "tests/harness/grade/spoiled.h"
#include "text/half_float.h"

using namespace ridge;
using namespace ridge::problems;
using tests::kUntouched, tests::right, tests::Spoiled;

TEST_CASE("each mistake is recognised by where and how it is wrong") {
  struct Row {
    const char* problem;
    Sizes sizes;
    std::function<float(const Expected&, size_t)> spoil;
    const char* sentence;
  };
  const Row rows[] = {
      {"vector_add", {1000}, [](auto&, size_t) { return kUntouched; }, "nothing was written there"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i < 768 ? right(e, i) : kUntouched; },
       "Only the last 232 of 1000 elements were never written, from c[768] on. 768 is a multiple of 256"},
      {"vector_add",
       {1009},
       [](auto& e, size_t i) { return i < 268 ? right(e, i) : kUntouched; },
       "268 = 256 + 3 x 4: so far reach 4 blocks of 256 threads of which each begins 4 elements after"},
      {"vector_add",
       {1009},
       [](auto& e, size_t i) { return i < 135 ? right(e, i) : kUntouched; },
       "135 = 128 + 7 x 1: so far reach 8 blocks of 128 threads of which each begins one element after"},
      {"vector_add",
       {100},
       [](auto& e, size_t i) { return i < 99 ? right(e, i) : 5.0f; },
       "Only the last of 100 elements is wrong"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i % 4 == 0 ? right(e, i) : kUntouched; },
       "Only one element in 4, from c[0] on, is right"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i % 32 == 31 ? 9.0f : right(e, i); },
       "One element in 32, from c[31] on, is wrong. Every wrong element is 9."},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i >= 256 && i < 512 ? 9.0f : right(e, i); },
       "Only the elements from c[256] to c[511] are wrong"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return right(e, std::min<size_t>(i + 1, 999)); },
       "off by 1"},
      {"vector_add", {1000}, [](auto& e, size_t i) { return 2 * right(e, i); }, "2 times the right answer"},
      {"vector_add", {1000}, [](auto&, size_t) { return 0.0f; }, "Every element is 0."},
      {"vector_add",
       {1000},
       [](auto&, size_t) { return std::numeric_limits<float>::quiet_NaN(); },
       "Every element is NaN"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return right(e, i) * (1 + 0.0003f * std::sin(static_cast<float>(i))); },
       "not as near as their type can be"},
      {"transpose",
       {40, 60},
       [](auto& e, size_t k) { return k % 40 < 8 && k / 40 < 8 ? right(e, k) : kUntouched; },
       "Only the first 8 of 60 rows and the first 8 of 40 columns are right."},
      {"transpose",
       {40, 60},
       [](auto& e, size_t k) { return k < 40 ? right(e, k) : 3.0f; },
       "Only the first of 60 rows is right."},
      {"transpose",
       {40, 60},
       [](auto& e, size_t k) { return k % 40 < 32 && k / 40 < 32 ? right(e, k) : kUntouched; },
       "the last 28 of 60 rows and the last 8 of 40 columns were never written"},
      {"transpose",
       {64, 64},
       [](auto& e, size_t k) { return right(e, k % 64 * 64 + k / 64); },
       "Rows and columns are exchanged"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i * 7919 % 13 == 5 || i == 77 ? 4.0f : right(e, i); },
       "78 of 1000 elements are wrong; the map below"},
  };
  for (const Row& row : rows) {
    Spoiled spoiled(row.problem, row.sizes, row.spoil);
    grade::Pattern pattern = grade::explain(spoiled.output(), &spoiled.given);
    INFO(pattern.sentence << " / wanted: " << row.sentence);
    CHECK(pattern.sentence.find(row.sentence) != std::string::npos);
    CHECK_FALSE(pattern.next.empty());
  }
}

// What else goes wrong in kernels: each row is a mistake, how it shows, and what is to be said of it.
TEST_CASE("places: rows, columns, tiles, blocks and warps are named") {
  struct Row {
    const char* mistake;
    const char* problem;
    Sizes sizes;
    std::function<bool(size_t row, size_t col)> wrong;
    const char* sentence;
  };
  // scale_rows is [rows][cols]; a vector is one row.
  const Row rows[] = {
      {"one row forgotten",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t) { return r == 7; },
       "Only row 7 was never written."},
      {"one column forgotten",
       "scale_rows",
       {40, 60},
       [](size_t, size_t c) { return c == 31; },
       "Only column 31 was never written."},
      {"every 8th row",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t) { return r % 8 == 3; },
       "Only one row in 8, from row 3 on, was never written."},
      {"a quarter of the rows",
       "scale_rows",
       {64, 60},
       [](size_t r, size_t) { return r % 32 >= 8; },
       "Only those from 8 to 31 of every 32 rows were never written."},
      {"last lane's column",
       "scale_rows",
       {40, 96},
       [](size_t, size_t c) { return c % 32 == 31; },
       "one column in 32, from column 31 on"},
      {"one tile",
       "scale_rows",
       {96, 96},
       [](size_t r, size_t c) { return r / 32 == 1 && c / 32 == 2; },
       "the last 32 of 96 columns in the rows from 32 to 63"},
      {"one element",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t c) { return r == 5 && c == 6; },
       "Only out[5][6] was never written; the rest is right."},
      {"above the diagonal",
       "scale_rows",
       {40, 40},
       [](size_t r, size_t c) { return c > r; },
       "Only the elements above the diagonal"},
      {"below the diagonal",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t c) { return c < r; },
       "Only the elements below the diagonal"},
      {"the diagonal",
       "scale_rows",
       {40, 40},
       [](size_t r, size_t c) { return c == r; },
       "Only the elements on the diagonal"},
      {"all but the diagonal",
       "scale_rows",
       {40, 40},
       [](size_t r, size_t c) { return c != r; },
       "Only the elements off the diagonal"},
      {"chess board",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t c) { return (r + c) % 2 == 1; },
       "like the dark fields of a chess board."},
      {"chess board of tiles",
       "scale_rows",
       {64, 96},
       [](size_t r, size_t c) { return (r / 16 + c / 16) % 2 == 0; },
       "chess board, with fields of 16 x 16"},
      {"halo",
       "scale_rows",
       {64, 96},
       [](size_t r, size_t c) { return r % 16 == 0 || c % 16 == 0; },
       "the first row and the first column of every tile of 16 x 16"},
      {"only rows that are multiples of 4",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t) { return r % 4 != 0; },
       "those from 1 to 3 of every 4 rows"},
      {"one warp of each block",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i % 256 / 32 == 1; },
       "In every 256 elements those from 32 to 63 were never written."},
      {"half of each block",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i % 128 >= 64; },
       "In every 128 elements those from 64 to 127"},
      {"one thread of each block",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i % 256 == 0; },
       "One element in 256, from c[0] on, was never written."},
      {"last component of each float4",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i % 4 == 3; },
       "One element in 4, from c[3] on,"},
      {"only the first block",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i >= 256; },
       "Only the first 256 of 1000 elements are right; all from c[256] on were never written."},
      {"the last row",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t) { return r == 39; },
       "Only the last of 40 rows was never written."},
      {"the grid ends early",
       "vector_add",
       {5000},
       [](size_t, size_t i) { return i >= 3072; },
       "3072 is a multiple of 1024: whole blocks are missing"},
      {"a single one",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i == 500; },
       "Only c[500] was never written; the rest is right."},
  };
  for (const Row& row : rows) {
    const size_t cols = row.sizes.size() == 2 ? static_cast<size_t>(row.sizes[1]) : 1u << 30;
    Spoiled spoiled(row.problem, row.sizes, [&](auto& e, size_t i) {
      return row.wrong(i / cols, i % cols) ? kUntouched : right(e, i);
    });
    grade::Pattern pattern = grade::explain(spoiled.output(), &spoiled.given);
    INFO(row.mistake << ": " << pattern.sentence << " / wanted: " << row.sentence);
    CHECK(pattern.sentence.find(row.sentence) != std::string::npos);
    CHECK_FALSE(pattern.next.empty());
  }
}

TEST_CASE("values: where they come from, what they lack, and how coarse they are") {
  struct Row {
    const char* mistake;
    const char* problem;
    Sizes sizes;
    std::function<float(const Spoiled&, size_t)> got;
    const char* sentence;
  };
  const auto expected = [](const Spoiled& s, size_t i) { return right(s.expected, i); };
  const auto input = [](const Spoiled& s, size_t buffer, size_t i) {
    return s.given.input<float>(buffer)[i];
  };
  const auto matrix = [](auto place) {  // [40][96] for scale_rows
    return [place](const Spoiled& s, size_t i) { return right(s.expected, place(i / 96, i % 96)); };
  };
  const auto vector = [](auto place) {
    return [place](const Spoiled& s, size_t i) { return right(s.expected, place(i)); };
  };
  const Sizes kMatrix = {64, 96}, kVector = {1024};
  const Row rows[] = {
      {"one place early", "vector_add", kVector, vector([](size_t i) { return i ? i - 1 : 0; }),
       "for the place 1 before it"},
      {"a row late", "scale_rows", kMatrix,
       matrix([](size_t r, size_t c) { return std::min<size_t>(r + 1, 63) * 96 + c; }),
       "for the place in the row after it"},
      {"three rows early", "scale_rows", kMatrix,
       matrix([](size_t r, size_t c) { return (r < 3 ? r : r - 3) * 96 + c; }), "3 rows before it"},
      {"seven places on", "vector_add", kVector,
       vector([](size_t i) { return std::min<size_t>(i + 7, 1023); }), "7 after it: the index is off by 7"},
      {"reversed", "vector_add", kVector, vector([](size_t i) { return 1023 - i; }),
       "The order is reversed: c[0] has the place of c[1023]"},
      {"rows from right to left", "scale_rows", kMatrix,
       matrix([](size_t r, size_t c) { return r * 96 + 95 - c; }), "reversed within every row"},
      {"rows from bottom to top", "scale_rows", kMatrix,
       matrix([](size_t r, size_t c) { return (63 - r) * 96 + c; }), "rows stand in reversed order"},
      {"lane 0 for all", "vector_add", kVector, vector([](size_t i) { return i / 32 * 32; }),
       "of the first of its group of 32 (a warp)"},
      {"block index forgotten in reading", "vector_add", kVector, vector([](size_t i) { return i % 256; }),
       "The first 256 elements come again and again"},
      {"index divided", "vector_add", kVector, vector([](size_t i) { return i / 4; }),
       "right answer of element i / 4"},
      {"pairs exchanged", "vector_add", kVector, vector([](size_t i) { return i ^ 1; }), "i ^ 1"},
      {"swizzle on one side", "vector_add", kVector, vector([](size_t i) { return i ^ 16; }), "i ^ 16"},
      {"shuffled by one lane", "vector_add", kVector,
       vector([](size_t i) { return i / 32 * 32 + (i + 1) % 32; }),
       "Within every group of 32 the elements are moved round by one."},
      {"float4 back to front", "vector_add", kVector, vector([](size_t i) { return i / 4 * 4 + 3 - i % 4; }),
       "reversed within every group of 4"},
      {"tile not turned",
       "scale_rows",
       {64, 64},
       [](const Spoiled& s, size_t i) {
         const size_t r = i / 64, c = i % 64;
         return right(s.expected, (r / 32 * 32 + c % 32) * 64 + c / 32 * 32 + r % 32);
       },
       "within it rows and columns are exchanged"},
      {"tiles exchanged",
       "scale_rows",
       {64, 64},
       [](const Spoiled& s, size_t i) {
         const size_t r = i / 64, c = i % 64;
         return right(s.expected, (c / 16 * 16 + r % 16) * 64 + r / 16 * 16 + c % 16);
       },
       "Every tile of 16 x 16 is right within"},
      {"swizzle by the row",
       "scale_rows",
       {64, 64},
       [](const Spoiled& s, size_t i) {
         const size_t r = i / 64, c = i % 64;
         return right(s.expected, r * 64 + (c ^ (r * 5 % 32)));
       },
       "holds a value that is right elsewhere in its row"},
      {"a copied", "vector_add", kVector, [&](const Spoiled& s, size_t i) { return input(s, 0, i); },
       "is what a holds at the same place"},
      {"a - b", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return input(s, 0, i) - input(s, 1, i); },
       "right with the sign of b at the same place changed"},
      {"b added twice", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return input(s, 0, i) + 2 * input(s, 1, i); },
       "a term too many: b at the same place"},
      {"old y forgotten", "saxpy", kVector,
       [&](const Spoiled& s, size_t i) { return expected(s, i) - input(s, 1, i); },
       "lacks a term: with what y held before added"},
      {"done twice", "saxpy", kVector,
       [&](const Spoiled& s, size_t i) { return 2 * expected(s, i) - input(s, 1, i); },
       "done twice on what y held before"},
      {"wrong sign", "vector_add", kVector, [&](const Spoiled& s, size_t i) { return -expected(s, i); },
       "Every element has the wrong sign."},
      {"half", "vector_add", kVector, [&](const Spoiled& s, size_t i) { return expected(s, i) / 2; },
       "0.5 times the right answer"},
      {"int in between", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return std::trunc(expected(s, i)); }, "has lost its fraction"},
      {"infinite", "vector_add", kVector, [&](const Spoiled&, size_t) { return INFINITY; },
       "Every element is infinite"},
      {"computed in half", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) {
         return static_cast<float>(ridge::text::half_to_float(to_float16(s.expected.value[i])));
       },
       "as coarse as half or TF32"},
      {"computed in bfloat16", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) {
         return static_cast<float>(ridge::text::bfloat_to_float(to_bfloat16(s.expected.value[i])));
       },
       "as coarse as bfloat16"},
      {"a part of the terms", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return expected(s, i) * (0.25f + static_cast<float>(i % 7) / 16); },
       "is only a part of the right one, 25% to 63% of it"},
      {"the last block zero", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return i < 960 ? expected(s, i) : 0; },
       "Only the last 64 of 1024 elements are wrong, from c[960] on. Every wrong element is 0."},
      {"rubbish", "vector_add", kVector,
       [&](const Spoiled&, size_t i) { return std::sin(static_cast<float>(i) + 0.5f) * 3; },
       "All 1024 elements are wrong"},
  };
  for (const Row& row : rows) {
    Spoiled spoiled(row.problem, row.sizes, right);
    for (size_t i = 0; i < spoiled.got.size(); ++i)
      spoiled.got[i] = row.got(spoiled, i);
    const auto& before = spoiled.given.initial[spoiled.expected.buffer];
    const grade::Output output(
        spoiled.given.buffers[spoiled.expected.buffer], spoiled.expected,
        {reinterpret_cast<const std::byte*>(spoiled.got.data()), spoiled.got.size() * 4}, before);
    const grade::Pattern pattern = grade::explain(output, &spoiled.given);
    INFO(row.mistake << ": " << pattern.sentence << " / wanted: " << row.sentence);
    CHECK(pattern.sentence.find(row.sentence) != std::string::npos);
    CHECK_FALSE(pattern.next.empty());
  }
}

TEST_CASE("an untransposed copy of a rectangular matrix is told as rows and columns exchanged") {
  Spoiled copied("transpose", {40, 60}, right);
  auto in = copied.given.input<float>(0);
  copied.got.assign(in.begin(), in.end());
  CHECK(grade::explain(copied.output()).sentence.find("Rows and columns are exchanged") != std::string::npos);
}

TEST_CASE("an in-out array that was not written is recognised, with the places") {
  Spoiled spoiled("saxpy", {300}, right);
  auto before = spoiled.given.input<float>(1);
  auto explained = [&](size_t from) {
    spoiled.got.assign(spoiled.expected.value.begin(), spoiled.expected.value.end());
    std::copy(before.begin() + static_cast<long>(from), before.end(),
              spoiled.got.begin() + static_cast<long>(from));
    grade::Output output(spoiled.given.buffers[1], spoiled.expected,
                         {reinterpret_cast<const std::byte*>(spoiled.got.data()), 1200},
                         spoiled.given.initial[1]);
    return grade::explain(output).sentence + grade::first_mismatches(output);
  };
  CHECK(explained(0).find("y still holds the values it had before: nothing was written there.") == 0);
  CHECK(explained(256).find("Only the last 44 of 300 elements were never written, from y[256] on.") == 0);
  CHECK(explained(256).find("still has its first value") != std::string::npos);
}
