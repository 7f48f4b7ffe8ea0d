// One step of decoding with a cache in pages: a table says where each page of a sequence is, and the
// pages of a sequence lie in several shards by turns.
#include <algorithm>
#include <numeric>

#include "harness/problems/attention/attention.h"
#include "harness/problems/attention/draws.h"

namespace ridge::problems {

namespace {

constexpr int64_t kColumnsOfHead = 128;
constexpr double kBytesOfKeyAndValue = 4 * kColumnsOfHead, kBytesPerElement = 2;
constexpr size_t kPageTable = 3, kLengths = 4, kPagedResult = 5;

// The sizes by name. Page i of a sequence is in shard i % shards.
struct PagedShape {
  explicit PagedShape(const Sizes& s)
      : batch(s[0]), kv_heads(s[1]), group(s[2]), keys(s[3]), page(s[4]), shards(s[5]) {}
  int64_t batch, kv_heads, group, keys, page, shards;
  int64_t pages() const { return (keys + page - 1) / page; }  // of a sequence
  // One more than the sequences need.
  int64_t pages_of_shard() const { return batch * ((pages() + shards - 1) / shards) + 1; }
  int64_t pool_rows() const { return shards * pages_of_shard() * kv_heads * page; }
  Sizes as_attention() const { return {batch * kv_heads, group, keys, kColumnsOfHead, kFullMask}; }
};

int64_t length_of(const Case& given, int64_t sequence) {
  return given.input<int64_t>(kLengths)[static_cast<size_t>(sequence)];
}

// The row of the pools that has a key of a sequence and head.
int64_t row_of_key(const PagedShape& s, std::span<const int64_t> table, int64_t pair, int64_t key) {
  const int64_t sequence = pair / s.kv_heads, number = key / s.page;
  const int64_t page = table[static_cast<size_t>(sequence * s.pages() + number)];
  const int64_t block =
      (number % s.shards * s.pages_of_shard() + page) * s.kv_heads + pair % s.kv_heads;
  return block * s.page + key % s.page;
}

LargeArray<double> gathered(const Case& given, const PagedShape& s, size_t buffer) {
  const auto table = given.input<int64_t>(kPageTable);
  const auto columns = static_cast<size_t>(kColumnsOfHead);
  LargeArray<double> rows(static_cast<size_t>(s.batch * s.kv_heads * s.keys) * columns);
  for (int64_t pair = 0; pair < s.batch * s.kv_heads; ++pair)
    for (int64_t key = 0; key < s.keys; ++key) {
      const bool used = key < length_of(given, pair / s.kv_heads);
      const int64_t from = used ? row_of_key(s, table, pair, key) : 0;
      double* to = &rows[static_cast<size_t>(pair * s.keys + key) * columns];
      for (int64_t c = 0; c < kColumnsOfHead; ++c)
        to[c] = used ? load_element(Type::bfloat16, given.initial[buffer].data(),
                                    from * kColumnsOfHead + c)
                     : 0;
    }
  return rows;
}

Expected paged_rows(const Case& given, std::span<const int64_t> rows) {
  const PagedShape s(given.sizes);
  AttentionShape shape(s.as_attention());
  for (int64_t pair = 0; pair < s.batch * s.kv_heads; ++pair)
    shape.lengths.push_back(length_of(given, pair / s.kv_heads));
  return attend(shape, given, gathered(given, s, kKeys), gathered(given, s, kValues), kPagedResult,
                rows);
}

std::vector<Expected> paged(const Case& given) {
  std::vector<Expected> out;
  out.push_back(
      paged_rows(given, all_rows(AttentionShape(PagedShape(given.sizes).as_attention()))));
  return out;
}

// Every page of a shard has its number once, in random order.
void draw_table(std::span<int64_t> table, const PagedShape& s, uint64_t seed) {
  Random random(seed);
  for (int64_t shard = 0; shard < s.shards; ++shard) {
    std::vector<int64_t> numbers(static_cast<size_t>(s.pages_of_shard()));
    std::iota(numbers.begin(), numbers.end(), 0);
    for (size_t i = numbers.size() - 1; i > 0; --i)
      std::swap(numbers[i], numbers[random.next() % (i + 1)]);
    size_t next = 0;
    for (int64_t sequence = 0; sequence < s.batch; ++sequence)
      for (int64_t i = shard; i < s.pages(); i += s.shards)
        table[static_cast<size_t>(sequence * s.pages() + i)] = numbers[next++];
  }
}

// The uniform draw is the one that is timed: all sequences are full, less a part of the last page.
void draw_lengths(std::span<int64_t> lengths, const PagedShape& s, Draw draw, uint64_t seed) {
  Random random(seed);
  for (int64_t& length : lengths) {
    const int64_t drawn = random.from_one_to(s.keys + 1) - 1;
    length = draw == Draw::uniform ? std::max<int64_t>(s.keys - drawn % s.page, 1) : drawn;
  }
}

bool fill_paged(const Fill& fill) {
  const PagedShape s(fill.sizes);
  const std::span numbers(reinterpret_cast<int64_t*>(fill.data.data()),
                          fill.data.size() / sizeof(int64_t));
  if (fill.buffer == kPageTable) draw_table(numbers, s, fill.seed);
  if (fill.buffer == kLengths) draw_lengths(numbers, s, fill.draw, fill.seed);
  if (fill.buffer == kPageTable || fill.buffer == kLengths) return true;
  const Sizes one_head = {1, s.batch * s.kv_heads * s.group, s.pool_rows(), kColumnsOfHead,
                          kFullMask};
  fill_attention({one_head, fill.buffer, fill.draw, fill.seed, fill.data});
  return true;
}

// What the lengths ask for.
Touched touched_pages(const Case& given) {
  const PagedShape s(given.sizes);
  double keys = 0;
  for (int64_t sequence = 0; sequence < s.batch; ++sequence)
    keys += static_cast<double>(length_of(given, sequence));
  const double queries = static_cast<double>(s.batch * s.kv_heads * s.group * kColumnsOfHead);
  const double cache = keys * static_cast<double>(s.kv_heads);
  return {cache * kBytesOfKeyAndValue + queries * kBytesPerElement, queries * kBytesPerElement,
          cache * kColumnsOfHead};
}

}  // namespace

Problem paged_decode() {
  return {
      .id = "paged_decode",
      .signature =
          "(const __nv_bfloat16* q, const __nv_bfloat16* k_pages, const __nv_bfloat16* v_pages, "
          "const int64_t* table, const int64_t* lengths, __nv_bfloat16* out, int batch, int kv_heads, int group, "
          "int keys, int page, int shards, cudaStream_t stream)",
      .size_names = {"batch", "kv_heads", "group", "keys", "page", "shards"},
      .buffers = [](const Sizes& sizes) -> std::vector<Buffer> {
        const PagedShape s(sizes);
        const int64_t queries = s.batch * s.kv_heads * s.group;
        return {{"q", Role::input, {queries, kColumnsOfHead}, Type::bfloat16},
                {"k_pages", Role::input, {s.pool_rows(), kColumnsOfHead}, Type::bfloat16},
                {"v_pages", Role::input, {s.pool_rows(), kColumnsOfHead}, Type::bfloat16},
                {"table", Role::input, {s.batch, s.pages()}, Type::int64},
                {"lengths", Role::input, {s.batch}, Type::int64},
                {"out", Role::output, {queries, kColumnsOfHead}, Type::bfloat16}};
      },
      .operations =
          [](const Sizes& sizes) {
            return 4 * static_cast<double>(sizes[0] * sizes[1] * sizes[2]) *
                   static_cast<double>(sizes[3]) * static_cast<double>(kColumnsOfHead);
          },
      .touched = touched_pages,
      .fill = fill_paged,
      .reference = paged,
      .reference_of_rows = paged_rows,
      .call =
          [](void* entry, const Arguments& with) {
            auto function = reinterpret_cast<void (*)(
                const uint16_t*, const uint16_t*, const uint16_t*, const int64_t*, const int64_t*,
                uint16_t*, int, int, int, int, int, int, Stream)>(entry);
            function(with.buffer<uint16_t>(0), with.buffer<uint16_t>(1), with.buffer<uint16_t>(2),
                     with.buffer<int64_t>(kPageTable), with.buffer<int64_t>(kLengths),
                     with.buffer<uint16_t>(kPagedResult), with.size(0), with.size(1), with.size(2),
                     with.size(3), with.size(4), with.size(5), with.stream);
          },
      // Both page sizes, less than a page, whole pages and one key more, one to four shards.
      .edge_sizes = {{1, 1, 1, 1, 16, 1},
                     {1, 1, 8, 15, 16, 1},
                     {1, 1, 2, 17, 16, 2},
                     {1, 2, 3, 15, 16, 1},
                     {1, 1, 5, 65, 64, 1},
                     {2, 1, 2, 9, 16, 1},
                     {1, 1, 6, 31, 16, 1},
                     {1, 1, 7, 33, 16, 3},
                     {1, 1, 4, 50, 16, 4},
                     {2, 1, 1, 5, 16, 1},
                     {1, 1, 3, 3, 16, 1},
                     {1, 1, 1, 16, 16, 1},
                     {1, 1, 8, 16, 16, 1},
                     {1, 1, 1, 2, 16, 1},
                     {1, 1, 2, 12, 16, 1}},
      .hidden_limit = {4, 3, 8, 500, 64, 4},
      .nearest_possible =
          [](const Sizes& sizes) {
            constexpr int64_t kMostQueries = 8, kSmallPage = 16, kLargePage = 64, kMostShards = 4;
            Sizes nearest = sizes;
            nearest[2] = std::min(nearest[2], kMostQueries);
            nearest[4] = nearest[4] <= (kSmallPage + kLargePage) / 2 ? kSmallPage : kLargePage;
            nearest[5] = std::min(nearest[5], kMostShards);
            return nearest;
          },
  };
}

}  // namespace ridge::problems
