#include "harness/problems/attention/ragged_lengths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ridge::problems {

namespace {

constexpr double kLongestOverShortest = 160;  // 16,384 to about 100
constexpr int64_t kSequencesWithAnEmptyOne = 4;

template <typename T>
void shuffle(std::vector<T>& values, Random random) {
  for (size_t i = values.size() - 1; i > 0; --i)
    std::swap(values[i], values[random.next() % (i + 1)]);
}

std::vector<int64_t> geometric(int64_t sequences, int64_t total) {
  std::vector<double> weights(static_cast<size_t>(sequences));
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = std::pow(kLongestOverShortest,
                          -static_cast<double>(i) / std::max<double>(1, double(sequences) - 1));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int64_t> lengths;
  for (const double weight : weights)
    lengths.push_back(static_cast<int64_t>(static_cast<double>(total) * weight / sum));
  lengths[0] += total - std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  return lengths;
}

std::vector<int64_t> around_tiles(int64_t sequences, int64_t total, Random random) {
  constexpr int64_t kAroundTiles[] = {0, 1, 63, 64, 65, 127, 128, 129};
  std::vector<int64_t> lengths;
  int64_t left = total;
  for (int64_t i = 0; i + 1 < sequences; ++i) {
    lengths.push_back(std::min(left, kAroundTiles[random.next() % std::size(kAroundTiles)]));
    left -= lengths.back();
  }
  lengths.push_back(left);
  shuffle(lengths, random);
  return lengths;
}

}  // namespace

std::vector<int64_t> ragged_lengths(int64_t sequences, int64_t total, Draw draw, uint64_t seed) {
  if (draw != Draw::uniform) return around_tiles(sequences, total, Random(seed));
  const bool has_empty = sequences >= kSequencesWithAnEmptyOne;
  std::vector<int64_t> lengths = geometric(has_empty ? sequences - 1 : sequences, total);
  if (has_empty) lengths.push_back(0);
  shuffle(lengths, Random(static_cast<uint64_t>(sequences)));
  return lengths;
}

std::vector<int64_t> starts_of(const std::vector<int64_t>& lengths) {
  std::vector<int64_t> starts = {0};
  for (const int64_t length : lengths)
    starts.push_back(starts.back() + length);
  return starts;
}

}  // namespace ridge::problems
