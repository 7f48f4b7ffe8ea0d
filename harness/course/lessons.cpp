#include "harness/course/lessons.h"

#include <algorithm>
#include <vector>

namespace ridge::course {

namespace {

std::vector<const Rung*> in_order(const Course& course) {
  std::vector<const Rung*> rungs;
  for (const Lab& lab : course.labs)
    for (const Rung& rung : lab.rungs)
      rungs.push_back(&rung);
  return rungs;
}

const Rung* neighbour(const Course& course, const Rung& rung, int by) {
  const std::vector<const Rung*> rungs = in_order(course);
  for (size_t i = 0; i < rungs.size(); ++i) {
    // Before the first it wraps around to a large number.
    const size_t other = i + static_cast<size_t>(by);
    if (rungs[i]->path() == rung.path()) return other < rungs.size() ? rungs[other] : nullptr;
  }
  return nullptr;
}

}  // namespace

const Rung* lesson_on(const Course& course, std::string_view count) {
  const Rung* any = nullptr;
  for (const Rung* rung : in_order(course)) {
    if (rung->gates.empty()) continue;
    if (rung->gates.front().count == count) return rung;
    const bool has = std::any_of(rung->gates.begin(), rung->gates.end(),
                                 [&](const Gate& gate) { return gate.count == count; });
    if (has && !any) any = rung;
  }
  return any;
}

const Rung* rung_before(const Course& course, const Rung& rung) {
  return neighbour(course, rung, -1);
}
const Rung* rung_after(const Course& course, const Rung& rung) {
  return neighbour(course, rung, 1);
}

}  // namespace ridge::course
