// Winnowing (Schleimer, Wilkerson, Aiken 2003): hashes of every 12 tokens, of which the smallest in
// every window of 8 is kept.
#include "leaderboard/classes/similarity.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <string_view>

namespace ridge::leaderboard {

namespace {

constexpr size_t kGram = 12, kWindow = 8;
constexpr size_t kFewest = 4;  // fingerprints; too few own ones cannot be compared

bool is_keyword(std::string_view word) {
  static const std::set<std::string_view> words = {
      "for",       "while",      "if",         "else",       "return",        "break",
      "continue",  "const",      "int",        "float",      "double",        "unsigned",
      "void",      "__global__", "__shared__", "__device__", "__syncthreads", "blockIdx",
      "threadIdx", "blockDim",   "gridDim",    "extern",     "static",        "struct",
      "template",  "auto",       "bool",       "switch"};
  return words.contains(word);
}

// One letter per kind of token; keywords and punctuation are kept.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  const auto is_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
  };
  for (size_t at = 0; at < text.size();) {
    const char letter = text[at];
    if (std::isspace(static_cast<unsigned char>(letter))) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const size_t end = text.find("*/", at + 2);
      at = end == text.npos ? text.size() : end + 2;
    } else if (letter == '"' || letter == '\'') {
      for (++at; at < text.size() && text[at] != letter && text[at] != '\n'; ++at)
        if (text[at] == '\\') ++at;
      at = std::min(at + 1, text.size());
      tokens.emplace_back("s");
    } else if (is_word(letter)) {
      const size_t begin = at;
      while (at < text.size() &&
             (is_word(text[at]) ||
              (text[at] == '.' && std::isdigit(static_cast<unsigned char>(letter)))))
        ++at;
      const std::string_view word = text.substr(begin, at - begin);
      if (std::isdigit(static_cast<unsigned char>(letter)))
        tokens.emplace_back("0");
      else
        tokens.emplace_back(is_keyword(word) ? std::string(word) : "n");
    } else {
      tokens.emplace_back(1, letter);
      ++at;
    }
  }
  return tokens;
}

std::vector<size_t> gram_hashes(std::string_view text) {
  const std::vector<std::string> tokens = tokens_of(text);
  std::vector<size_t> hashes;
  for (size_t i = 0; i + kGram <= tokens.size(); ++i) {
    std::string gram;
    for (size_t k = 0; k < kGram; ++k)
      gram += tokens[i + k] + ' ';
    hashes.push_back(std::hash<std::string>{}(gram));
  }
  return hashes;
}

std::set<size_t> fingerprints(std::string_view text, const std::set<size_t>& excluded) {
  std::vector<size_t> hashes = gram_hashes(text);
  std::erase_if(hashes, [&](size_t hash) { return excluded.contains(hash); });
  std::set<size_t> kept;
  for (size_t i = 0; i < hashes.size(); ++i) {
    const auto end =
        hashes.begin() + static_cast<std::ptrdiff_t>(std::min(i + kWindow, hashes.size()));
    kept.insert(*std::min_element(hashes.begin() + static_cast<std::ptrdiff_t>(i), end));
    if (i + kWindow >= hashes.size()) break;
  }
  return kept;
}

}  // namespace

std::string normalized_tokens(const std::string& text) {
  std::string all;
  for (const std::string& token : tokens_of(text))
    all += (all.empty() ? "" : " ") + token;
  return all;
}

std::vector<SimilarPair> similar_pairs(const std::vector<SimilaritySource>& sources,
                                       const std::vector<std::string>& given,
                                       double least_percent) {
  std::set<size_t> excluded;
  for (const std::string& text : given)
    for (const size_t hash : gram_hashes(text))
      excluded.insert(hash);
  std::vector<std::set<size_t>> prints;
  for (const SimilaritySource& source : sources)
    prints.push_back(fingerprints(source.text, excluded));
  std::vector<SimilarPair> pairs;
  for (size_t a = 0; a < sources.size(); ++a)
    for (size_t b = a + 1; b < sources.size(); ++b) {
      const size_t smaller = std::min(prints[a].size(), prints[b].size());
      if (sources[a].person_id == sources[b].person_id || smaller < kFewest) continue;
      std::vector<size_t> shared;
      std::set_intersection(prints[a].begin(), prints[a].end(), prints[b].begin(), prints[b].end(),
                            std::back_inserter(shared));
      const double percent =
          100.0 * static_cast<double>(shared.size()) / static_cast<double>(smaller);
      if (percent >= least_percent)
        pairs.push_back({a, b, percent, static_cast<int>(shared.size())});
    }
  std::stable_sort(pairs.begin(), pairs.end(), [](const SimilarPair& a, const SimilarPair& b) {
    return a.percent > b.percent;
  });
  return pairs;
}

}  // namespace ridge::leaderboard
