// `ridge class workers`: grades on this machine for a remote class server, with a token that the
// class's instructor has made.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "leaderboard/client/http_client.h"
#include "leaderboard/jobs/gpu_shares.h"
#include "leaderboard/program/commands.h"
#include "leaderboard/program/local_workers.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

std::atomic<bool> workers_end{false};
constexpr int64_t kIdleMs = 1000;  // HTTPS by curl costs a process per request

std::string token_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string token;
  if (!std::getline(stream, token) || token.empty())
    throw std::runtime_error(fmt::format(
        "{} holds no worker token; the page Workers of the class makes one", file.string()));
  struct stat about {};
  if (stat(file.c_str(), &about) == 0 && (about.st_mode & 077) != 0)
    throw std::runtime_error(
        fmt::format("{0} can be read by others: chmod 600 {0}", file.string()));
  return token;
}

std::string host_name() {
  char host[65] = "";
  gethostname(host, sizeof host - 1);
  return host;
}

}  // namespace

int run_workers(const WorkersOptions& options) {
  struct sigaction action {};
  action.sa_handler = [](int) { workers_end = true; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaction(signal, &action, nullptr);
  std::string url = options.url;
  while (url.ends_with('/'))
    url.pop_back();
  if (const int status = ask({"GET", url + "/healthz", "", "", 20}).status; status != 200)
    throw std::runtime_error(
        fmt::format("{} answers {} instead of a class server's health", url, status));
  const size_t gpus = gpus_of(std::getenv("CUDA_VISIBLE_DEVICES")).size();
  const int count = options.count > 0 ? options.count : static_cast<int>(std::max<size_t>(1, gpus));
  const fs::path folder = options.clone / ".ridge";
  fs::create_directories(folder);
  LocalWorkers workers({count, host_name() + "/", url, token_in(options.token_file), kIdleMs,
                        options.clone, options.unsafe, folder / ".workers"});
  workers.start();
  fmt::print(
      "{} workers grade for {}. Ctrl-C ends them; what they were grading is graded elsewhere.\n",
      count, url);
  std::fflush(stdout);
  while (!workers_end) {
    workers.watch([](const std::string& name) { fmt::print(stderr, "{} has ended\n", name); });
    if (!workers.refusal().empty()) {
      fmt::print(stderr, "{}\n", workers.refusal());
      return 3;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  return 0;
}

}  // namespace ridge::leaderboard
