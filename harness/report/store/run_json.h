// Stored runs as JSON: what `ridge history --json` prints and `ridge replay --from` reads.
//
// {
//   "schema": 1,                         as in json.h
//   "runs": [{
//     "run": 12, "rung": "01-kernel-basics/1-vector-add", "origin": "student" | "solution",
//     "at": "2026-11-21T09:05:33Z", "at_ms": 1795251933123,
//     "verdict": "PASS", "passed": true, "engine": "gpu" | "virtual", "device": "NVIDIA H200",
//     "percent": 97.3 | null,            measured
//     "changed": {"added": 6, "removed": 1} | null,    lines, since the rung's run before
//     "seconds": 1.2, "seed": "fedcba9876543210",
//     "source_sha256": "…", "source": "…"              "source_hex" instead when its bytes are no UTF-8
//     "figures": { size, summary, next, detail, measured, gates, counts, … as in json.h },
//     "conditions": { "ridge", "toolkit", "flags": […], "headers_sha256", "device_asked", "hidden_sizes", … }
//   }]
// }
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "harness/report/store/store.h"
#include "text/source_difference.h"

namespace ridge::report {

// `changes` has one entry per run. The text ends with a line feed.
std::string runs_json(std::span<const StoredRun> runs,
                      std::span<const std::optional<text::LineChange>> changes);

// Throws std::runtime_error that says what is wrong with the text, beginning with `name`.
std::vector<StoredRun> runs_from_json(const std::string& text, const std::string& name);

// Parses a JSON object of the store; an empty one when it is damaged.
nlohmann::json object_in(const std::string& text);

}  // namespace ridge::report
