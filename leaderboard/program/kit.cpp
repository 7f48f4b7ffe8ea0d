// `ridge class kit`: a folder of templates with everything that an instructor needs to begin.
#include <fmt/format.h>

#include <fstream>

#include "harness/course/lab.h"
#include "leaderboard/access/secrets.h"
#include "leaderboard/access/tokens.h"
#include "leaderboard/classes/local_time.h"
#include "leaderboard/program/commands.h"
#include "leaderboard/program/kit_papers.h"

namespace ridge::leaderboard {

namespace fs = std::filesystem;

namespace {

std::string class_text(const course::Course& course, int64_t now_ms) {
  std::string text =
      R"toml(# A class. `ridge class serve class.toml` starts it, `ridge class doctor class.toml` checks it.
[class]
name = "gpu-class"                    # in addresses and file names
title = "GPU programming"
time_zone = "UTC"                     # of all deadlines here; a name such as "Europe/Berlin"
counts = "best"                       # which submission of a rung counts: best, last, or chosen (by the student)
public_board = false                  # true: whoever reaches the server sees the boards, with nicknames only

[server]
listen = "127.0.0.1:8180"
workers = 1                           # gradings at a time: one per GPU, or one per two cores; or "slurm"
# database = "postgresql://ridge@db.example.org/ridge"   # for several servers; `ridge class migrate` moves a class there
# traces = true                       # also record every graded file's memory accesses, for `ridge view`
# public_url = "https://class.example.org"   # behind nginx or Caddy (see nginx.conf)
# behind_proxy = true

# With workers = "slurm": one batch job per submission. A target for each "engine" that assignments name.
# [slurm]
# folder = "/shared/ridge-packed"     # of `ridge class pack`, on all nodes; without it a node fetches the programs
# [[slurm.target]]
# engine = "gpu:H200"
# partition = "h200"
# gres = "gpu:h200:1"

# Students and instructors sign in to the pages with their account, found by e-mail address on the roster.
# [openid]
# issuer = "https://login.example.org"
# client_id = "ridge-class"
# client_secret = "..."               # then this file must be readable for the server's user only
# name = "University login"           # redirect address at the provider: PUBLIC_URL/api/v1/openid/callback

[[instructor]]
name = "Your Name"
email = "you@example.org"

)toml";
  int weeks = 1;
  for (const course::Lab& lab : course.labs) {
    text += fmt::format(
        "[[assignment]]\nname = \"lab-{:02}\"\ntitle = \"{}\"\nrungs = [\"{:02}\"]                      # all of the lab; or [\"{:02}/1\", {{ rung = "
        "\"{:02}/2\", weight = 2 }}]\nengine = \"virtual\"                  # or \"gpu\"; a list, whose first counts: [\"gpu:H200\", \"virtual\"]\npoints = 100\ndue = \"{} 18:00\"\nlate = "
        "{{ percent_per_day = 10, days = 3 }}\n\n",
        lab.number, lab.title, lab.number, lab.number, lab.number,
        local_field(now_ms + 14 * weeks * kDayMs, "UTC").substr(0, 10));
    ++weeks;
  }
  return text;
}

constexpr const char* kRoster =
    "name,email,id,section\r\nAda Example,ada@example.org,S10001,A\r\nBlaise Example,blaise@example.org,S10002,B\r\n";

constexpr const char* kHandout = R"md(# How you hand in

1. Clone Ridgepoint and build it once: `./ridge doctor`.
2. Join the class, once, with the code that you were sent: `./ridge class join URL CODE`.
3. Edit `labs/...`, grade on your own machine as often as you like: `./ridge grade 02/4`.
4. Hand in: `./ridge submit 02/4`, or `u` in watch mode. The server grades your file again; that grade counts.
5. Look at the board and your history: `./ridge class sign-in` prints a link for your browser.

Your grade is made from your source alone. Numbers from your machine are not sent.
)md";

constexpr const char* kNginx =
    R"(# TLS in front of the class server. In class.toml: public_url = "https://class.example.org", behind_proxy = true.
server {
  listen 443 ssl;
  server_name class.example.org;
  ssl_certificate     /etc/letsencrypt/live/class.example.org/fullchain.pem;
  ssl_certificate_key /etc/letsencrypt/live/class.example.org/privkey.pem;
  client_max_body_size 1m;
  location / {
    proxy_pass http://127.0.0.1:8180;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_buffering off;        # server-sent events
    proxy_read_timeout 400s;
  }
}
)";

constexpr const char* kCaddy =
    R"(# TLS in front of the class server, with a certificate that Caddy obtains and renews itself.
# In class.toml: public_url = "https://class.example.org", behind_proxy = true.
class.example.org {
  request_body {
    max_size 1MB
  }
  reverse_proxy 127.0.0.1:8180 {
    flush_interval -1        # server-sent events
    header_up X-Forwarded-For {remote_host}
  }
}
)";

constexpr const char* kUnit = R"(# First, as the user ridge, who builds what the service runs:
#   /srv/ridgepoint/ridge class doctor /srv/class/class.toml
[Unit]
Description=Ridgepoint class server
Wants=network-online.target
After=network-online.target postgresql.service

[Service]
User=ridge
WorkingDirectory=/srv/ridgepoint
ExecStart=/srv/ridgepoint/ridge class serve /srv/class/class.toml
Restart=on-failure
RestartSec=2

[Install]
WantedBy=multi-user.target
)";

// Kernels are compiled where they are graded, so the image is that of the CUDA Toolkit's compiler.
constexpr const char* kContainer =
    R"(# The class server in a container. First:  ./ridge class pack packed
# beside this file, then
#   podman build -t ridge-class -f Containerfile .
#   podman run -p 8180:8180 -v ./data:/class:U --security-opt seccomp=unconfined --security-opt unmask=ALL ridge-class
# The two options let bubblewrap make its own namespaces inside; workers refuse to start where it cannot.
# In class.toml: listen = "0.0.0.0:8180", and TLS in front of it as in nginx.conf.
FROM docker.io/nvidia/cuda:13.0.1-devel-ubuntu24.04
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap curl tzdata && rm -rf /var/lib/apt/lists/*
COPY packed /opt/ridge
RUN useradd --create-home --home-dir /home/ridge ridge && mkdir /class && chown ridge /class
USER ridge
VOLUME /class
EXPOSE 8180
HEALTHCHECK CMD ["curl", "--fail", "--silent", "http://127.0.0.1:8180/healthz"]
CMD ["/opt/ridge/ridge", "class", "serve", "/class/class.toml", "--log", "-"]
)";

}  // namespace

int write_kit(const fs::path& clone, const fs::path& folder, bool with_slides) {
  if (fs::exists(folder / "class.toml"))
    throw std::runtime_error(
        fmt::format("{} is there already; name another folder, and nothing of yours is overwritten",
                    (folder / "class.toml").string()));
  fs::create_directories(folder);
  write_text(folder / "class.toml", class_text(course::load(clone), unix_ms()));
  write_text(folder / "roster.csv", kRoster);
  write_text(folder / "handout.md", kHandout);
  write_text(folder / "nginx.conf", kNginx);
  write_text(folder / "Caddyfile", kCaddy);
  write_text(folder / "ridge-class.service", kUnit);
  write_text(folder / "Containerfile", kContainer);
  write_papers(clone, folder, new_secret());
  const bool has_slides = with_slides && write_slides(clone, folder);
  fmt::print(
      "{} now holds\n"
      "  class.toml           the class: edit names, deadlines, rungs\n"
      "  roster.csv           the form of a roster\n"
      "  handout.md           for your students\n"
      "  papers/              exam and answers with this class's own numbers, syllabi, rubrics\n"
      "  exam-secret          what the exam's numbers follow from: keep it from students\n"
      "{}"
      "  nginx.conf           TLS in front of the server, by nginx\n"
      "  Caddyfile            the same, by Caddy\n"
      "  ridge-class.service  for systemd\n"
      "  Containerfile        an image of the server\n"
      "Next: edit class.toml, then  ./ridge class serve {}\n",
      folder.string(),
      has_slides
          ? "  slides/              one deck per chapter, in a browser or printed; course.pdf\n"
          : "  (no slides/; to make them: node course/site/program/kit.mjs FOLDER)\n",
      (folder / "class.toml").string());
  return 0;
}

}  // namespace ridge::leaderboard
