// A page uses no term before the page that introduces it, in the order in which "start here" tells
// to read.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
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

// Terms of the glossary that a page before the one that teaches them may use, and why.
const std::map<std::string, std::string> kMayComeEarlier = {
    {"coalescing", "chapter 01 names what the next chapter is about"},
    {"coalesced", "the same"},
    {"copy engine", "chapter 02 names what lab 06 is about"},
    {"tma", "chapter 02 calls it the copy engine of lab 06; rung 05/11 uses what lab 06 explains"},
    {"tile", "code on page 03, the heading of a column on page 04"},
    {"copy", "an everyday word: a device copy"},
    {"group", "an everyday word: a group of blocks"},
    {"cp.async", "chapter 03 says what it does and that lab 05 explains it"},
    {"fma", "chapter 00 explains it in parentheses"},
    {"fragment", "the heading \"code fragment\" of the template"},
    {"kernel", "page 01 explains it below its table of layers"},
    {"operations per byte", "the heading of a column, which the page explains"},
    {"producer", "the table of chapter 05 names what its last rungs add"},
    {"reduction", "a class of kernels in the table of page 05"},
    {"reductions", "the name of the next chapter, at the end of chapter 02"},
    {"register", "page 01 names it in its table of layers"},
    {"registers", "the same"},
    {"request", "an everyday word: on request"},
    {"ridge", "the name of the program"},
    {"stream", "an everyday word: an instruction stream"},
    {"tensor cores", "page 01 explains them in parentheses"},
    {"tensor core", "the same"}};

// A term of the glossary with its other forms, and the page that teaches it.
struct Taught {
  std::vector<std::string> forms;  // in lower case
  std::string page;
};

std::vector<Taught> taught_terms(const std::string& glossary) {
  static const std::regex entry(R"(\n## ([^\n(]*?)(?: \(([^\n]*)\))?\n)"),
      page(R"(Taught in\s+\[[^\]]*\]\(([^)#]*))"), form(R"([^,]+)");
  std::vector<Taught> terms;
  for (std::sregex_iterator at(glossary.begin(), glossary.end(), entry), end; at != end; ++at) {
    const auto next = std::next(at);
    const size_t from = static_cast<size_t>(at->position() + at->length());
    const size_t to = next == end ? glossary.size() : static_cast<size_t>(next->position());
    const std::string body = glossary.substr(from, to - from);
    std::smatch taught;
    if (!std::regex_search(body, taught, page)) continue;
    Taught term = {{}, taught[1]};
    const std::string names = (*at)[1].str() + "," + (*at)[2].str();
    for (std::sregex_iterator f(names.begin(), names.end(), form); f != end; ++f) {
      std::string name = std::regex_replace(f->str(), std::regex("^ +| +$"), "");
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (!name.empty()) term.forms.push_back(name);
    }
    terms.push_back(term);
  }
  return terms;
}

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

// As whole words: "lap" is not in "overlap".
bool has_word(const std::string& words, const std::string& term) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  };
  for (size_t at = words.find(term); at != std::string::npos; at = words.find(term, at + 1)) {
    const size_t end = at + term.size();
    if ((at == 0 || !is_part(words[at - 1])) && (end == words.size() || !is_part(words[end])))
      return true;
  }
  return false;
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

TEST_CASE("no page uses a term of the glossary before the page that teaches it") {
  std::vector<std::string> pages;
  for (const std::string& name : kOrder)
    pages.push_back(words_of(course_page(name)));
  size_t checked = 0;
  for (const Taught& term : taught_terms(course_page("glossary.md"))) {
    const auto taught = std::find(kOrder.begin(), kOrder.end(), term.page);
    if (taught == kOrder.end()) continue;
    ++checked;
    for (auto page = kOrder.begin(); page != taught; ++page)
      for (const std::string& form : term.forms) {
        INFO(*page << ": \"" << form << "\", taught in " << term.page);
        const bool used = has_word(pages[static_cast<size_t>(page - kOrder.begin())], form);
        CHECK((!used || kMayComeEarlier.contains(form)));
      }
  }
  CHECK(checked >= 70);
}

TEST_CASE("a term of the glossary is read with its forms and its page") {
  const auto terms =
      taught_terms("# G\n\n## warp FMA (warp FMAs, FFMA)\n\nOne. Taught in\n[x](a/b.md).\n");
  REQUIRE(terms.size() == 1);
  CHECK(terms[0].forms == std::vector<std::string>{"warp fma", "warp fmas", "ffma"});
  CHECK(terms[0].page == "a/b.md");
  CHECK(has_word("two laps, a lap.", "lap"));
  CHECK_FALSE(has_word("they overlap", "lap"));
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
