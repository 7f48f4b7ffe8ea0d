// Draws the exam from the class's secret, copies the papers of course/kit and starts what makes slides.
#include "leaderboard/program/kit_papers.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <fstream>

#include "harness/exam/exam.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

void write_paper(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + file.string() + ": is the disk full?");
}

}  // namespace

void write_papers(const fs::path& clone, const fs::path& folder, const std::string& secret) {
  std::vector<exam::Question> questions;
  for (const exam::Template& asked : exam::load_templates(clone))
    questions.push_back(exam::draw(asked, secret));
  const fs::path papers = folder / "papers";
  fs::create_directories(papers);
  write_paper(papers / "exam.md", exam::exam_text(questions));
  write_paper(papers / "exam-answers.md", exam::answers_text(questions));
  write_paper(folder / "exam-secret", secret + "\n");
  for (const fs::path& file : {folder / "exam-secret", papers / "exam-answers.md"})
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  for (const char* name : {"syllabus-one-week.md", "syllabus-twelve-weeks.md", "rubrics.md"})
    fs::copy_file(clone / "course/kit" / name, papers / name, fs::copy_options::overwrite_existing);
}

bool write_slides(const fs::path& clone, const fs::path& folder) {
  const std::string program = (clone / "course/site/program/kit.mjs").string(),
                    target = fs::absolute(folder).string();
  const char* words[] = {"node", program.c_str(), target.c_str(), nullptr};
  setenv("RIDGE_ROOT", clone.c_str(), 1);
  pid_t child = 0;
  if (posix_spawnp(&child, words[0], nullptr, nullptr, const_cast<char**>(words), environ) != 0)
    return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace ridge::leaderboard
