// Collects the points of the roofline and scales the modelled ones to the graded size.
#include "visualizer/session/analysis/graded_work.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ridge::view {
namespace {

// Converts a measurement of the course to the form of a stored run.
report::StoredRun reference_run(const report::LadderRung& rung, const std::string& device) {
  report::StoredRun run;
  run.rung = rung.path;
  run.origin = report::Origin::solution;
  run.engine = grade::Engine::gpu;
  run.verdict = grade::Verdict::pass;
  run.device = device;
  run.figures = rung.reference_figures;
  return run;
}

void note_graded(GradedWorks& works, const RunPoint& point) {
  if (!point.measured) return;
  GradedWork& work = works[point.rung];
  if (work.useful_bytes < point.useful_bytes) work = {point.operations, point.useful_bytes, point.size};
}

bool is_about(double value, double other) {
  return std::abs(value / other - 1) < 0.02;
}

}  // namespace

double size_product(const std::string& size) {
  double product = 0;
  for (size_t at = size.find("= "); at != std::string::npos; at = size.find("= ", at + 2)) {
    const double value = std::strtod(size.c_str() + at + 2, nullptr);
    if (value > 0) product = product == 0 ? value : product * value;
  }
  return product;
}

void scale_to_graded(RunPoint& point, const GradedWork& graded, const Roofs& roofs) {
  if (point.measured || graded.useful_bytes <= 0 || point.useful_bytes <= 0) return;
  const double bytes_factor = graded.useful_bytes / point.useful_bytes;
  double factor = bytes_factor;
  if (graded.operations > 0 && point.operations > 0) {
    factor = graded.operations / point.operations;
  } else if (graded.operations > 0) {  // a trace, in which operations are not counted
    const double counted = size_product(point.size), whole = size_product(graded.size);
    if (counted <= 0 || whole <= 0) return;
    factor = whole / counted;
    point.peak = roofs.fp32.rate;
  }
  point.operations = graded.operations;
  if (is_about(factor, 1) && is_about(bytes_factor, 1)) return;
  point.counted_size = point.size;
  point.size = graded.size;
  const double moved = point.bytes * bytes_factor;
  point.memory_is_least = !is_about(factor, bytes_factor);
  point.useful_bytes = graded.useful_bytes;
  point.l1_bytes *= factor, point.l2_bytes *= factor;
  point.bytes = point.counted_bytes = point.memory_is_least ? graded.useful_bytes : moved;
  model_time(point, roofs);
}

RooflineRuns roofline_runs(const Session& session, const Roofs& roofs) {
  RooflineRuns runs;
  for (const report::StoredRun& run : session.runs()) {
    if (auto point = point_of(run, session.device(), roofs))
      runs.points.push_back(std::move(*point));
    else
      ++runs.without_figures;
  }
  const std::string rung = session.a() ? session.a()->trace().notes.rung : std::string();
  const bool is_known =
      !rung.empty() && std::any_of(runs.points.begin(), runs.points.end(),
                                   [&](const RunPoint& point) { return point.rung == rung; });
  if (session.a() && !is_known)
    if (auto point = point_of(*session.a(), roofs)) runs.points.push_back(std::move(*point));
  if (const report::Ladder* ladder = session.ladder())
    for (const report::LadderRung& one : ladder->rungs) {
      if (one.reference_figures.empty()) continue;
      auto point = point_of(reference_run(one, ladder->device), session.device(), roofs);
      if (!point) continue;
      point->is_course = true;
      runs.course.push_back(std::move(*point));
    }
  for (const RunPoint& point : runs.points)
    note_graded(runs.graded, point);
  for (const RunPoint& point : runs.course)
    note_graded(runs.graded, point);
  for (RunPoint& point : runs.points)
    if (const auto graded = runs.graded.find(point.rung); graded != runs.graded.end())
      scale_to_graded(point, graded->second, roofs);
  return runs;
}

}  // namespace ridge::view
