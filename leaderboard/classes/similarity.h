// The similarity of the submissions of a rung, by tokens: names and numbers are ignored, and so is
// code of the skeleton and the solution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridge::leaderboard {

struct SimilaritySource {
  int64_t person_id = 0, submission_id = 0;
  std::string text;
};

struct SimilarPair {
  size_t first = 0, second = 0;  // indices in the sources
  double percent = 0;            // shared fingerprints, relative to the smaller set
  int shared = 0;
};

// `given`: the skeleton, the solution, headers. Pairs of different people, most similar first, from
// `least_percent` on.
std::vector<SimilarPair> similar_pairs(const std::vector<SimilaritySource>& sources,
                                       const std::vector<std::string>& given, double least_percent);

// Names become n, numbers 0, strings s; comments and space are removed. For tests.
std::string normalized_tokens(const std::string& text);

}  // namespace ridge::leaderboard
