// A page uses no term before the page that introduces it, in the order in which "start here" tells to read.
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

// The pages that are read one after the other; the other concept pages are read when a chapter names them.
const std::vector<std::string> kOrder = {"concepts/01-why-kernels.md",
                                         "concepts/02-what-a-kernel-is.md",
                                         "concepts/03-memory-pyramid.md",
                                         "concepts/04-three-regimes.md",
                                         "concepts/05-matrix-product-as-grammar.md",
                                         "chapters/00-how-a-gpu-waits.md",
                                         "chapters/00-host-side.md",
                                         "chapters/01-kernel-basics.md",
                                         "chapters/02-coalescing.md",
                                         "chapters/03-reductions.md",
                                         "chapters/04-tiled-gemm.md",
                                         "chapters/05-gemm-float32.md",
                                         "chapters/06-gemm-tensor-cores.md"};

struct Introduction {
  const char* term;  // in lower case
  const char* page;
};

const std::vector<Introduction> kTerms = {
    {"warp", "concepts/02-what-a-kernel-is.md"},
    {"lane", "concepts/02-what-a-kernel-is.md"},
    {"scheduler", "concepts/02-what-a-kernel-is.md"},
    {"diverge", "concepts/02-what-a-kernel-is.md"},
    {"atomic", "concepts/02-what-a-kernel-is.md"},
    {"latency", "concepts/03-memory-pyramid.md"},
    {"shared memory", "concepts/03-memory-pyramid.md"},
    {"sector", "concepts/03-memory-pyramid.md"},
    {"wavefront", "concepts/03-memory-pyramid.md"},
    {"bank conflict", "concepts/03-memory-pyramid.md"},
    {"spill", "concepts/03-memory-pyramid.md"},
    {"ridge point", "concepts/04-three-regimes.md"},
    {"arithmetic intensity", "concepts/04-three-regimes.md"},
    {"accumulator", "concepts/05-matrix-product-as-grammar.md"},
    {"k-step", "concepts/05-matrix-product-as-grammar.md"},
    {"epilogue", "concepts/05-matrix-product-as-grammar.md"},
    {"page-locked", "chapters/00-host-side.md"},
    {"default stream", "chapters/00-host-side.md"},
    {"grid-stride", "chapters/01-kernel-basics.md"},
    {"swizzle", "chapters/02-coalescing.md"},
    {"padding", "chapters/02-coalescing.md"},
    {"occupancy", "chapters/02-coalescing.md"},
    {"shuffle", "chapters/03-reductions.md"},
    {"distributed shared memory", "chapters/03-reductions.md"},
    {"eligible warp", "chapters/05-gemm-float32.md"},
    {"double buffer", "chapters/05-gemm-float32.md"},
    {"stream-k", "chapters/05-gemm-float32.md"},
    {"inline ptx", "chapters/06-gemm-tensor-cores.md"},
    {"dynamic shared memory", "chapters/06-gemm-tensor-cores.md"},
    {"ldmatrix", "chapters/06-gemm-tensor-cores.md"},
    {"mbarrier", "chapters/06-gemm-tensor-cores.md"},
    {"parity", "chapters/06-gemm-tensor-cores.md"},
    {"tensor map", "chapters/06-gemm-tensor-cores.md"},
    {"warpgroup", "chapters/06-gemm-tensor-cores.md"},
    {"wgmma", "chapters/06-gemm-tensor-cores.md"},
    {"setmaxnreg", "chapters/06-gemm-tensor-cores.md"},
    {"multicast", "chapters/06-gemm-tensor-cores.md"},
    {"stmatrix", "chapters/06-gemm-tensor-cores.md"}};

// In lower case, each white space as one blank, without code blocks and the targets of links.
std::string words_of(const std::string& text) {
  static const std::regex code(R"(```[\s\S]*?```)"), target(R"(\]\([^)]*\))"), space(R"(\s+)");
  std::string words = std::regex_replace(text, code, " ");
  words = std::regex_replace(words, target, "]");
  words = std::regex_replace(words, space, " ");
  for (char& c : words)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return words;
}

bool uses(const std::string& words, const std::string& term) {
  return words.find(term) != std::string::npos;
}

}  // namespace

TEST_CASE("no page uses a term before the page that introduces it") {
  std::vector<std::string> pages;
  for (const std::string& name : kOrder) {
    std::ifstream file(std::filesystem::path(RIDGE_SOURCE_DIR) / "course" / name);
    REQUIRE(file);
    pages.push_back(words_of({std::istreambuf_iterator<char>(file), {}}));
  }
  for (const Introduction& introduction : kTerms)
    for (size_t page = 0; page < kOrder.size(); ++page) {
      INFO(kOrder[page] << ": \"" << introduction.term << "\", introduced by "
                        << introduction.page);
      const bool is_introduced_here = kOrder[page] == introduction.page;
      CHECK(uses(pages[page], introduction.term) == is_introduced_here);
      if (is_introduced_here) break;
    }
}

TEST_CASE("a term is found in the text of a page, and not in its code or links") {
  CHECK(uses(words_of("A **Bank\nconflict** costs."), "bank conflict"));
  CHECK_FALSE(uses(words_of("See [page](bank-conflict.md).\n```\nwarp\n```\n"), "warp"));
  CHECK_FALSE(uses(words_of("See [page](warp.md)."), "warp"));
}
