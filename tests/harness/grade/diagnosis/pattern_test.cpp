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
using tests::described, tests::kUntouched, tests::right, tests::Spoiled;

TEST_CASE("each mistake is recognised by the places and values of its errors") {
  struct Row {
    const char* problem;
    Sizes sizes;
    std::function<float(const Expected&, size_t)> spoil;
    const char* found;
  };
  const Row rows[] = {
      {"vector_add",
       {1000},
       [](auto&, size_t) { return kUntouched; },
       "wrong.nothing_written array=c held=the NaN pattern it was filled with"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i < 768 ? right(e, i) : kUntouched; },
       "wrong.last_partial_tile which=Only the last 232 of 1000 elements were never written first=c[768] right=768 of=1000 tile=256 done=left out"},
      {"vector_add",
       {1009},
       [](auto& e, size_t i) { return i < 268 ? right(e, i) : kUntouched; },
       "wrong.blocks_gridDim_apart right=268 of=1009 first=c[268] are=were never written threads=256 more=3 step=4 blocks=4"},
      {"vector_add",
       {1009},
       [](auto& e, size_t i) { return i < 135 ? right(e, i) : kUntouched; },
       "wrong.blocks_one_element_apart right=135 of=1009 first=c[135] are=were never written threads=128 more=7 step=1 blocks=8"},
      {"vector_add",
       {100},
       [](auto& e, size_t i) { return i < 99 ? right(e, i) : 5.0f; },
       "wrong.last_elements which=Only the last of 100 elements is wrong first=c[99] right=99 of=100 tile=1 done=done wrong"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i % 4 == 0 ? right(e, i) : kUntouched; },
       "wrong.one_element_per_stride claim=Only one element in 4, from c[0] on, is right block=4 thread=0"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i % 32 == 31 ? 9.0f : right(e, i); },
       "wrong.one_thread_per_block claim=One element in 32, from c[31] on, is wrong block=32 thread=31; wrong.one_value every=Every wrong element value=9"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i >= 256 && i < 512 ? 9.0f : right(e, i); },
       "wrong.one_range first=c[256] last=c[511] are=are wrong; wrong.one_value every=Every wrong element value=9"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return right(e, std::min<size_t>(i + 1, 999)); },
       "wrong.shifted every=Every wrong element place=1 after it what=index by=1"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return 2 * right(e, i); },
       "wrong.factor_above_one every=Every element factor=2"},
      {"vector_add", {1000}, [](auto&, size_t) { return 0.0f; }, "wrong.zero every=Every element value=0"},
      {"vector_add",
       {1000},
       [](auto&, size_t) { return std::numeric_limits<float>::quiet_NaN(); },
       "wrong.nan every=Every element"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return right(e, i) * (1 + 0.0003f * std::sin(static_cast<float>(i))); },
       "wrong.imprecise count=997 of=1000 error=0.00056 allowed=4.5e-07 like= That is as coarse as half or TF32, which keep 11 bits."},
      {"transpose",
       {40, 60},
       [](auto& e, size_t k) { return k % 40 < 8 && k / 40 < 8 ? right(e, k) : kUntouched; },
       "wrong.only_first_corner_right part=the first 8 of 60 rows and the first 8 of 40 columns are=are"},
      {"transpose",
       {40, 60},
       [](auto& e, size_t k) { return k < 40 ? right(e, k) : 3.0f; },
       "wrong.only_first_corner_right part=the first of 60 rows are=is; wrong.one_value every=Every wrong element value=3"},
      {"transpose",
       {40, 60},
       [](auto& e, size_t k) { return k % 40 < 32 && k / 40 < 32 ? right(e, k) : kUntouched; },
       "wrong.last_rows_or_columns which=the last 28 of 60 rows and the last 8 of 40 columns are=were never written edge=: the tiles at the edge, which are not full"},
      {"transpose",
       {64, 64},
       [](auto& e, size_t k) { return right(e, k % 64 * 64 + k / 64); },
       "wrong.transposed"},
      {"vector_add",
       {1000},
       [](auto& e, size_t i) { return i * 7919 % 13 == 5 || i == 77 ? 4.0f : right(e, i); },
       "wrong.scattered count=78 of=1000 unwritten=; wrong.one_value every=Every wrong element value=4"},
  };
  for (const Row& row : rows) {
    Spoiled spoiled(row.problem, row.sizes, row.spoil);
    grade::Pattern pattern = grade::explain(spoiled.output(), &spoiled.given);
    INFO(described(pattern) << " / wanted: " << row.found);
    CHECK(described(pattern) == row.found);
    CHECK_FALSE(pattern.next().empty());
  }
}

// What else goes wrong in kernels: each row is a mistake, how it shows, and what is to be said of it.
TEST_CASE("places: rows, columns, tiles, blocks and warps are named") {
  struct Row {
    const char* mistake;
    const char* problem;
    Sizes sizes;
    std::function<bool(size_t row, size_t col)> wrong;
    const char* found;
  };
  // scale_rows is [rows][cols]; a vector is one row.
  const Row rows[] = {
      {"one row forgotten",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t) { return r == 7; },
       "wrong.these_rows which=row 7 are=was never written"},
      {"one column forgotten",
       "scale_rows",
       {40, 60},
       [](size_t, size_t c) { return c == 31; },
       "wrong.these_columns which=column 31 are=was never written"},
      {"every 8th row",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t) { return r % 8 == 3; },
       "wrong.these_rows which=one row in 8, from row 3 on, are=was never written"},
      {"a quarter of the rows",
       "scale_rows",
       {64, 60},
       [](size_t r, size_t) { return r % 32 >= 8; },
       "wrong.these_rows which=those from 8 to 31 of every 32 rows are=were never written"},
      {"last lane's column",
       "scale_rows",
       {40, 96},
       [](size_t, size_t c) { return c % 32 == 31; },
       "wrong.these_columns which=one column in 32, from column 31 on, are=was never written"},
      {"one tile",
       "scale_rows",
       {96, 96},
       [](size_t r, size_t c) { return r / 32 == 1 && c / 32 == 2; },
       "wrong.this_part which=the last 32 of 96 columns in the rows from 32 to 63 are=were never written"},
      {"one element",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t c) { return r == 5 && c == 6; },
       "wrong.one_element element=out[5][6] is=was never written"},
      {"above the diagonal",
       "scale_rows",
       {40, 40},
       [](size_t r, size_t c) { return c > r; },
       "wrong.diagonal which=above the diagonal are=were never written"},
      {"below the diagonal",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t c) { return c < r; },
       "wrong.diagonal which=below the diagonal are=were never written"},
      {"the diagonal",
       "scale_rows",
       {40, 40},
       [](size_t r, size_t c) { return c == r; },
       "wrong.diagonal which=on the diagonal are=were never written"},
      {"all but the diagonal",
       "scale_rows",
       {40, 40},
       [](size_t r, size_t c) { return c != r; },
       "wrong.diagonal which=off the diagonal are=were never written"},
      {"chess board",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t c) { return (r + c) % 2 == 1; },
       "wrong.chess_board fields="},
      {"chess board of tiles",
       "scale_rows",
       {64, 96},
       [](size_t r, size_t c) { return (r / 16 + c / 16) % 2 == 0; },
       "wrong.chess_board fields=, with fields of 16 x 16"},
      {"halo",
       "scale_rows",
       {64, 96},
       [](size_t r, size_t c) { return r % 16 == 0 || c % 16 == 0; },
       "wrong.tile_borders which=the first row and the first column tile=16 are=were never written"},
      {"only rows that are multiples of 4",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t) { return r % 4 != 0; },
       "wrong.these_rows which=those from 1 to 3 of every 4 rows are=were never written"},
      {"one warp of each block",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i % 256 / 32 == 1; },
       "wrong.warps_of_every_block claim=In every 256 elements those from 32 to 63 were never written block=256 warps=warp 1"},
      {"half of each block",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i % 128 >= 64; },
       "wrong.warps_of_every_block claim=In every 128 elements those from 64 to 127 were never written block=128 warps=warps 2 to 3"},
      {"one thread of each block",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i % 256 == 0; },
       "wrong.one_thread_per_block claim=One element in 256, from c[0] on, was never written block=256 thread=0"},
      {"last component of each float4",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i % 4 == 3; },
       "wrong.one_element_per_stride claim=One element in 4, from c[3] on, was never written block=4 thread=3"},
      {"only the first block",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i >= 256; },
       "wrong.only_first_part_right right=256 of=1000 first=c[256] are=were never written"},
      {"the last row",
       "scale_rows",
       {40, 60},
       [](size_t r, size_t) { return r == 39; },
       "wrong.last_rows_or_columns which=the last of 40 rows are=was never written edge="},
      {"the grid ends early",
       "vector_add",
       {5000},
       [](size_t, size_t i) { return i >= 3072; },
       "wrong.last_blocks which=Only the last 1928 of 5000 elements were never written first=c[3072] right=3072 of=5000 tile=1024 done=left out"},
      {"a single one",
       "vector_add",
       {1000},
       [](size_t, size_t i) { return i == 500; },
       "wrong.one_element element=c[500] is=was never written"},
  };
  for (const Row& row : rows) {
    const size_t cols = row.sizes.size() == 2 ? static_cast<size_t>(row.sizes[1]) : 1u << 30;
    Spoiled spoiled(row.problem, row.sizes, [&](auto& e, size_t i) {
      return row.wrong(i / cols, i % cols) ? kUntouched : right(e, i);
    });
    grade::Pattern pattern = grade::explain(spoiled.output(), &spoiled.given);
    INFO(row.mistake << ": " << described(pattern) << " / wanted: " << row.found);
    CHECK(described(pattern) == row.found);
    CHECK_FALSE(pattern.next().empty());
  }
}

TEST_CASE("values: their origin, what they lack, and how coarse they are") {
  struct Row {
    const char* mistake;
    const char* problem;
    Sizes sizes;
    std::function<float(const Spoiled&, size_t)> got;
    const char* found;
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
       "wrong.shifted every=Every wrong element place=1 before it what=index by=1"},
      {"a row late", "scale_rows", kMatrix,
       matrix([](size_t r, size_t c) { return std::min<size_t>(r + 1, 63) * 96 + c; }),
       "wrong.shifted every=Every wrong element place=in the row after it what=row by=1"},
      {"three rows early", "scale_rows", kMatrix,
       matrix([](size_t r, size_t c) { return (r < 3 ? r : r - 3) * 96 + c; }),
       "wrong.shifted every=Every wrong element place=3 rows before it what=row by=3"},
      {"seven places on", "vector_add", kVector,
       vector([](size_t i) { return std::min<size_t>(i + 7, 1023); }),
       "wrong.shifted every=Every wrong element place=7 after it what=index by=7"},
      {"reversed", "vector_add", kVector, vector([](size_t i) { return 1023 - i; }),
       "wrong.reversed first=c[0] last=c[1023]"},
      {"rows from right to left", "scale_rows", kMatrix,
       matrix([](size_t r, size_t c) { return r * 96 + 95 - c; }), "wrong.rows_reversed_within"},
      {"rows from bottom to top", "scale_rows", kMatrix,
       matrix([](size_t r, size_t c) { return (63 - r) * 96 + c; }), "wrong.rows_reversed"},
      {"lane 0 for all", "vector_add", kVector, vector([](size_t i) { return i / 32 * 32; }),
       "wrong.first_of_group every=Every wrong element group= of 32 (a warp)"},
      {"block index forgotten in reading", "vector_add", kVector, vector([](size_t i) { return i % 256; }),
       "wrong.block_index_missing period=256"},
      {"index divided", "vector_add", kVector, vector([](size_t i) { return i / 4; }),
       "wrong.index_divided by=4"},
      {"pairs exchanged", "vector_add", kVector, vector([](size_t i) { return i ^ 1; }),
       "wrong.exchanged_pairs distance=1"},
      {"swizzle on one side", "vector_add", kVector, vector([](size_t i) { return i ^ 16; }),
       "wrong.exchanged_pairs distance=16"},
      {"shuffled by one lane", "vector_add", kVector,
       vector([](size_t i) { return i / 32 * 32 + (i + 1) % 32; }), "wrong.group_rotated group=32"},
      {"float4 back to front", "vector_add", kVector, vector([](size_t i) { return i / 4 * 4 + 3 - i % 4; }),
       "wrong.group_reversed group=4"},
      {"tile not turned",
       "scale_rows",
       {64, 64},
       [](const Spoiled& s, size_t i) {
         const size_t r = i / 64, c = i % 64;
         return right(s.expected, (r / 32 * 32 + c % 32) * 64 + c / 32 * 32 + r % 32);
       },
       "wrong.tile_transposed tile=32"},
      {"tiles exchanged",
       "scale_rows",
       {64, 64},
       [](const Spoiled& s, size_t i) {
         const size_t r = i / 64, c = i % 64;
         return right(s.expected, (c / 16 * 16 + r % 16) * 64 + r / 16 * 16 + c % 16);
       },
       "wrong.tiles_exchanged tile=16"},
      {"swizzle by the row",
       "scale_rows",
       {64, 64},
       [](const Spoiled& s, size_t i) {
         const size_t r = i / 64, c = i % 64;
         return right(s.expected, r * 64 + (c ^ (r * 5 % 32)));
       },
       "wrong.misplaced every=Every wrong element where= in its row"},
      {"a copied", "vector_add", kVector, [&](const Spoiled& s, size_t i) { return input(s, 0, i); },
       "wrong.input_copied every=Every element input=a"},
      {"a - b", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return input(s, 0, i) - input(s, 1, i); },
       "wrong.term_sign every=Every element term=b at the same place input=b"},
      {"b added twice", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return input(s, 0, i) + 2 * input(s, 1, i); },
       "wrong.term_twice every=Every element term=b at the same place input=b"},
      {"old y forgotten", "saxpy", kVector,
       [&](const Spoiled& s, size_t i) { return expected(s, i) - input(s, 1, i); },
       "wrong.term_missing every=Every element term=what y held before input=y"},
      {"done twice", "saxpy", kVector,
       [&](const Spoiled& s, size_t i) { return 2 * expected(s, i) - input(s, 1, i); },
       "wrong.applied_twice every=Every element array=y"},
      {"wrong sign", "vector_add", kVector, [&](const Spoiled& s, size_t i) { return -expected(s, i); },
       "wrong.sign every=Every element"},
      {"half", "vector_add", kVector, [&](const Spoiled& s, size_t i) { return expected(s, i) / 2; },
       "wrong.factor_below_one every=Every element factor=0.5"},
      {"int in between", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return std::trunc(expected(s, i)); },
       "wrong.fraction_lost every=Every element"},
      {"infinite", "vector_add", kVector, [&](const Spoiled&, size_t) { return INFINITY; },
       "wrong.infinite every=Every element"},
      {"computed in half", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) {
         return static_cast<float>(ridge::text::half_to_float(to_float16(s.expected.value[i])));
       },
       "wrong.imprecise count=1023 of=1024 error=0.00048 allowed=4.5e-07 like= That is as coarse as half or TF32, which keep 11 bits."},
      {"computed in bfloat16", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) {
         return static_cast<float>(ridge::text::bfloat_to_float(to_bfloat16(s.expected.value[i])));
       },
       "wrong.imprecise count=1024 of=1024 error=0.0039 allowed=2.9e-07 like= That is as coarse as bfloat16, which keeps 8 bits."},
      {"a part of the terms", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return expected(s, i) * (0.25f + static_cast<float>(i % 7) / 16); },
       "wrong.terms_missing every=Every element least=25% most=63%"},
      {"the last block zero", "vector_add", kVector,
       [&](const Spoiled& s, size_t i) { return i < 960 ? expected(s, i) : 0; },
       "wrong.last_elements which=Only the last 64 of 1024 elements are wrong first=c[960] right=960 of=1024 tile=64 done=done wrong; wrong.zero every=Every wrong element value=0"},
      {"rubbish", "vector_add", kVector,
       [&](const Spoiled&, size_t i) { return std::sin(static_cast<float>(i) + 0.5f) * 3; },
       "wrong.all_elements count=1024 unwritten="},
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
    INFO(row.mistake << ": " << described(pattern) << " / wanted: " << row.found);
    CHECK(described(pattern) == row.found);
    CHECK_FALSE(pattern.next().empty());
  }
}

TEST_CASE("an untransposed copy of a rectangular matrix is reported as rows and columns "
          "exchanged") {
  Spoiled copied("transpose", {40, 60}, right);
  auto in = copied.given.input<float>(0);
  copied.got.assign(in.begin(), in.end());
  CHECK(described(grade::explain(copied.output())) == "wrong.transposed");
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
    return grade::explain(output).sentence() + grade::first_mismatches(output);
  };
  CHECK(explained(0).find("y still holds the values it had before: nothing was written there.") == 0);
  CHECK(explained(256).find("Only the last 44 of 300 elements were never written, from y[256] on.") == 0);
  CHECK(explained(256).find("still has its first value") != std::string::npos);
}
