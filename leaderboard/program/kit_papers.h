// The papers of an instructor's kit: exam, syllabi, rubrics, slides.
#pragma once

#include <filesystem>
#include <string>

namespace ridge::leaderboard {

// Writes them into `folder`. The numbers of the exam follow from `secret`, which is kept there as exam-secret.
// Throws std::runtime_error or course::CourseError.
void write_papers(const std::filesystem::path& clone, const std::filesystem::path& folder,
                  const std::string& secret);

// Slides, and every paper as HTML that prints, by the programs of course/site; they need Node.js. What they
// print goes to the terminal. False: they could not be made.
bool write_slides(const std::filesystem::path& clone, const std::filesystem::path& folder);

}  // namespace ridge::leaderboard
