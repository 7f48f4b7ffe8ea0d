// The commands of `ridge-class`, one function each. They return the exit status: 0, 1 failure, 2
// usage, 3 the machine lacks something.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "leaderboard/classes/class_file.h"
#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

struct ServeOptions {
  std::filesystem::path clone;
  std::vector<std::filesystem::path> class_files;
  int port = 0;      // overrides the file's
  int workers = -1;  // overrides the file's
  bool unsafe = false, demo = false;
  std::filesystem::path secrets;  // for tests: links and codes as JSON
  std::filesystem::path log;      // empty: class.log in the class's folder; "-": standard error
};
int serve(const ServeOptions& options);

struct DemoOptions {
  std::filesystem::path clone, folder;
  std::string database = "class.db";
  int port = 8180, workers = -1, students = 40, submissions = 600;
  bool fresh = false, unsafe = false;
  std::filesystem::path secrets;
};
int demo(const DemoOptions& options);

struct WorkersOptions {
  std::filesystem::path clone, token_file;
  std::string url;
  int count = 0;  // 0: one per GPU, or one without a GPU
  bool unsafe = false;
};
// Grades for a server on another machine until it is stopped.
int run_workers(const WorkersOptions& options);

int status(const std::filesystem::path& clone, const std::filesystem::path& class_file);
int sign_in_link(const std::filesystem::path& clone, const std::filesystem::path& class_file,
                 const std::string& email);
int back_up(const std::filesystem::path& clone, const std::filesystem::path& class_file,
            const std::filesystem::path& file);
// Moves a class from SQLite to PostgreSQL while the server runs; writes the new address into the
// class's file.
int migrate(const std::filesystem::path& clone, const std::filesystem::path& class_file,
            const std::string& url);
int doctor(const std::filesystem::path& clone, const std::filesystem::path& class_file);
// Creates a folder that runs a class on a machine without Node.js and without a build.
int pack(const std::filesystem::path& clone, const std::filesystem::path& folder);
// `with_slides`: also slides and PDFs, which need Node.js and take half a minute.
int write_kit(const std::filesystem::path& clone, const std::filesystem::path& folder,
              bool with_slides);

// The following are shared by several commands.
//
// The programs that batch jobs download to nodes without a packed folder, as a tar file in
// `folder`; and a name for this version.
struct PackedPrograms {
  std::filesystem::path file;
  std::string name;
};
PackedPrograms pack_programs(const std::filesystem::path& clone,
                             const std::filesystem::path& folder);
std::string database_of(const ClassSpec& spec);  // a file, or postgresql://
std::filesystem::path pages_folder();            // next to the program; may be missing
std::string why_no_pages();
std::string public_url(const ClassSpec& spec);
// Fills an empty class with synthetic students and submissions.
void add_synthetic_class(Database& database, int64_t class_id, const course::Course& course,
                         int students, int submissions, int64_t now_ms);
int64_t unix_ms();
// Throws std::runtime_error.
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace ridge::leaderboard
