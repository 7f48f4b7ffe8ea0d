// A page uses no term before the page that introduces it, in the order in which "start here" tells
// to read.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

// The pages that are read one after the other; the other concept pages are read when a chapter names
// them.
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

// The chapters after lab 06, and the labs that they build on (the map of "start here").
struct Later {
  const char* page;
  std::vector<std::string> labs;  // "01": its chapter is read before
};
const std::vector<Later> kLater = {
    {"chapters/07-fused-elementwise.md", {"01", "02", "03", "04", "05", "06"}},
    {"chapters/08-embedding.md", {"01", "02", "03"}},
    {"chapters/09-convolution.md", {"01", "02", "04", "05", "06"}},
    {"chapters/10-flash-attention.md", {"01", "02", "03", "04", "05", "06"}},
    {"chapters/11-collectives.md", {"01", "12"}},
    {"chapters/12-launch-overhead.md", {"01"}},
    {"chapters/13-transfer-tasks.md", {"01", "02", "03"}}};

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

const std::vector<Introduction> kLaterTerms = {
    {"philox", "chapters/07-fused-elementwise.md"},
    {"zipf", "chapters/08-embedding.md"},
    {"halo", "chapters/09-convolution.md"},
    {"implicit gemm", "chapters/09-convolution.md"},
    {"constant memory", "chapters/09-convolution.md"},
    {"grouped quer", "chapters/10-flash-attention.md"},
    {"ping-pong", "chapters/10-flash-attention.md"},
    {"reduce-scatter", "chapters/11-collectives.md"},
    {"peer access", "chapters/11-collectives.md"},
    {"programmatic dependent launch", "chapters/12-launch-overhead.md"},
    {"decoupled look-back", "chapters/13-transfer-tasks.md"},
    {"privatiz", "chapters/13-transfer-tasks.md"}};

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

std::string course_page(const std::string& name) {
  std::ifstream file(std::filesystem::path(RIDGE_SOURCE_DIR) / "course" / name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Concept pages and the host side are read before every later chapter.
bool is_read_before(const Later& later, const std::string& page) {
  if (page.starts_with("concepts/") || page.starts_with("chapters/00-")) return true;
  const std::string lab = page.substr(std::string("chapters/").size(), 2);
  return std::find(later.labs.begin(), later.labs.end(), lab) != later.labs.end();
}

// "chapters/06-gemm.md" from another chapter: "](06-gemm.md)" or "](06-gemm.md#part)".
bool links_to(const std::string& text, const std::string& page) {
  return text.find("](" + page.substr(page.find('/') + 1)) != std::string::npos;
}

}  // namespace

TEST_CASE("no page uses a term before the page that introduces it") {
  std::vector<std::string> pages;
  for (const std::string& name : kOrder)
    pages.push_back(words_of(course_page(name)));
  for (const Introduction& introduction : kTerms)
    for (size_t page = 0; page < kOrder.size(); ++page) {
      INFO(kOrder[page] << ": \"" << introduction.term << "\", introduced by "
                        << introduction.page);
      const bool is_introduced_here = kOrder[page] == introduction.page;
      CHECK(uses(pages[page], introduction.term) == is_introduced_here);
      if (is_introduced_here) break;
    }
}

TEST_CASE(
    "a later chapter links to what introduces a term, unless the map says to read it before") {
  for (const Later& later : kLater) {
    const std::string text = course_page(later.page), words = words_of(text);
    for (const std::vector<Introduction>* terms : {&kTerms, &kLaterTerms})
      for (const Introduction& introduction : *terms) {
        INFO(later.page << ": \"" << introduction.term << "\", introduced by "
                        << introduction.page);
        if (later.page == std::string(introduction.page))
          CHECK(uses(words, introduction.term));
        else if (!is_read_before(later, introduction.page))
          CHECK((!uses(words, introduction.term) || links_to(text, introduction.page)));
      }
  }
  for (const Introduction& introduction : kLaterTerms)
    for (const std::string& page : kOrder) {
      INFO(page << ": \"" << introduction.term << "\", introduced by " << introduction.page);
      CHECK_FALSE(uses(words_of(course_page(page)), introduction.term));
    }
}

TEST_CASE("a chapter that the map does not name is read before only if it is linked") {
  const Later later = {"chapters/12-launch-overhead.md", {"01"}};
  CHECK(is_read_before(later, "concepts/06-numbers.md"));
  CHECK(is_read_before(later, "chapters/00-host-side.md"));
  CHECK(is_read_before(later, "chapters/01-kernel-basics.md"));
  CHECK_FALSE(is_read_before(later, "chapters/06-gemm-tensor-cores.md"));
  CHECK(links_to("An mbarrier ([lab 06](06-gemm.md#phases)).", "chapters/06-gemm.md"));
  CHECK_FALSE(links_to("An mbarrier ([lab 05](05-gemm.md)).", "chapters/06-gemm.md"));
}

TEST_CASE("a term is found in the text of a page, and not in its code or links") {
  CHECK(uses(words_of("A **Bank\nconflict** costs."), "bank conflict"));
  CHECK_FALSE(uses(words_of("See [page](bank-conflict.md).\n```\nwarp\n```\n"), "warp"));
  CHECK_FALSE(uses(words_of("See [page](warp.md)."), "warp"));
}
