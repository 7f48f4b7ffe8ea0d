// How alike the submissions of a rung are, by their tokens: names and numbers do not matter, what
// the skeleton and the solution have does not count.
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
  size_t first = 0, second = 0;  // of the sources
  double percent = 0;            // shared fingerprints, of those of the smaller one
  int shared = 0;
};

// `given`: the skeleton, the solution, headers. Pairs of different people, the most alike first,
// from `least_percent` on.
std::vector<SimilarPair> similar_pairs(const std::vector<SimilaritySource>& sources,
                                       const std::vector<std::string>& given, double least_percent);

// Names become n, numbers 0, texts s; comments and space go. For tests.
std::string normalized_tokens(const std::string& text);

}  // namespace ridge::leaderboard
