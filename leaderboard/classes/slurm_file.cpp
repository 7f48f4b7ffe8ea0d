// Reads the table [slurm].
#include "leaderboard/classes/class_table.h"
#include "leaderboard/jobs/targets.h"

namespace ridge::leaderboard {

namespace {

// A word of sbatch's command line; rejects anything that sbatch could take for an option.
std::string slurm_word(const ClassTable& table, const char* key) {
  const std::string word = table.text(key);
  if (word.starts_with("-") || word.size() > 200 || word.find_first_of(" \t\r\n\"'\\") != word.npos)
    table.fail(table.find(key), fmt::format("\"{}\" is not a word for sbatch: {}", key, word));
  return word;
}

int from_1_to(const ClassTable& table, const char* key, int otherwise, int most) {
  const int64_t value = table.value<int64_t>(key, otherwise, "a whole number");
  if (value < 1 || value > most)
    table.fail(table.find(key), fmt::format("\"{}\" must be 1 to {}", key, most));
  return static_cast<int>(value);
}

SlurmTarget slurm_target_of(const ClassTable& table) {
  table.allow({"engine", "partition", "gres", "account", "memory", "cpus"});
  SlurmTarget target{table.needed_text("engine"), slurm_word(table, "partition"),
                     slurm_word(table, "gres"),   slurm_word(table, "account"),
                     slurm_word(table, "memory"), from_1_to(table, "cpus", 2, 1024)};
  if (const std::string complaint = complaint_about_targets({target.engine}); !complaint.empty())
    table.fail(table.find("engine"), complaint);
  return target;
}

}  // namespace

void read_slurm(const ClassTable& table, ClassSpec& spec) {
  table.allow({"folder", "server", "output", "most_jobs", "minutes", "poll_seconds", "target"});
  if (!spec.slurm)
    table.fail(nullptr, "there is a [slurm] table, but [server] does not say workers = \"slurm\"");
  SlurmSpec& slurm = *spec.slurm;
  slurm.folder = slurm_word(table, "folder");
  slurm.server = slurm_word(table, "server");
  if (const std::string output = slurm_word(table, "output"); !output.empty())
    slurm.output = output;
  slurm.most_jobs = from_1_to(table, "most_jobs", slurm.most_jobs, 10'000);
  slurm.minutes = from_1_to(table, "minutes", slurm.minutes, 24 * 60);
  slurm.poll_seconds = from_1_to(table, "poll_seconds", slurm.poll_seconds, 60);
  const toml::node* list = table.find("target");
  if (list && list->is_array())
    for (const toml::node& node : *list->as_array())
      if (const toml::table* entry = node.as_table())
        slurm.targets.push_back(slurm_target_of(ClassTable(*entry, table.file(), "slurm.target")));
}

}  // namespace ridge::leaderboard
