// A small HTTP client: one request per connection.
#include "leaderboard/client/http_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ridge::leaderboard {

namespace {

struct Address {
  bool secure = false;
  std::string host, port, path;
};

Address address_of(const std::string& url) {
  Address address;
  address.secure = url.starts_with("https://");
  if (!address.secure && !url.starts_with("http://"))
    throw HttpError(fmt::format(
        "{} is not the address of a class; it must begin with http:// or https://", url));
  if (std::any_of(url.begin(), url.end(), [](unsigned char letter) {
        return letter <= ' ' || letter == 127 || letter == '"' || letter == '\\';
      }))
    throw HttpError("the address of the class holds a space, a quote or a control character");
  const size_t begin = url.find("//") + 2;
  const size_t slash = std::min(url.find('/', begin), url.size());
  address.path = slash == url.size() ? "/" : url.substr(slash);
  const std::string authority = url.substr(begin, slash - begin);
  const size_t colon = authority.rfind(':');
  const bool has_port = colon != authority.npos && authority.find(']', colon) == authority.npos;
  address.host = has_port ? authority.substr(0, colon) : authority;
  address.port = has_port ? authority.substr(colon + 1) : address.secure ? "443" : "80";
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host.empty()) throw HttpError(fmt::format("{} names no host", url));
  return address;
}

class Socket {
 public:
  Socket(const Address& address, std::chrono::steady_clock::time_point deadline)
      : deadline_(deadline) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found))
      throw HttpError(
          fmt::format("cannot find the host {}: {}", address.host, gai_strerror(error)));
    int why = 0;
    for (const addrinfo* one = found; one && descriptor_ < 0; one = one->ai_next)
      why = try_to_connect(*one);
    freeaddrinfo(found);
    if (descriptor_ < 0)
      throw HttpError(fmt::format("cannot reach {}:{}: {}. Is the class server running?",
                                  address.host, address.port, std::strerror(why)));
  }
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      wait_for(POLLOUT);
      const ssize_t sent =
          send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN && errno != EINTR)
        return;  // the server may have refused early: its answer says why
      if (sent > 0) bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }

  std::string read_all() {
    std::string text;
    char bytes[16 * 1024];
    while (true) {
      wait_for(POLLIN);
      const ssize_t count = recv(descriptor_, bytes, sizeof bytes, MSG_DONTWAIT);
      if (count == 0) return text;
      if (count < 0 && errno != EAGAIN && errno != EINTR) {
        if (!text.empty()) return text;
        throw HttpError(
            fmt::format("the class server ended the connection: {}", std::strerror(errno)));
      }
      if (count > 0) text.append(bytes, static_cast<size_t>(count));
    }
  }

 private:
  // 0, or an errno.
  int try_to_connect(const addrinfo& where) {
    const int descriptor = socket(where.ai_family, where.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                                  where.ai_protocol);
    if (descriptor < 0) return errno;
    int error = 0;
    if (connect(descriptor, where.ai_addr, where.ai_addrlen) != 0) {
      error = errno;
      pollfd wanted{descriptor, POLLOUT, 0};
      socklen_t size = sizeof error;
      if (error == EINPROGRESS && poll(&wanted, 1, milliseconds_left()) == 1)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
      else if (error == EINPROGRESS)
        error = ETIMEDOUT;
    }
    if (error == 0)
      descriptor_ = descriptor;
    else
      close(descriptor);
    return error;
  }

  int milliseconds_left() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::max<int64_t>(0, left.count()));
  }

  void wait_for(short what) {
    pollfd wanted{descriptor_, what, 0};
    const int left = milliseconds_left();
    if (left == 0 || poll(&wanted, 1, left) == 0)
      throw HttpError("the class server did not answer in time");
  }

  std::chrono::steady_clock::time_point deadline_;
  int descriptor_ = -1;
};

HttpAnswer answer_in(const std::string& text) {
  const size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.") || end == text.npos || text.size() < 12)
    throw HttpError("the answer does not come from a class server");
  return {std::atoi(text.c_str() + 9), text.substr(end + 4)};
}

HttpAnswer ask_by_socket(const HttpQuestion& question, const Address& address) {
  const auto limit = std::chrono::milliseconds(static_cast<int64_t>(question.limit_seconds * 1000));
  Socket socket(address, std::chrono::steady_clock::now() + limit);
  // HTTP/1.0, so that the server does not send its body in chunks.
  std::string text = fmt::format(
      "{} {} HTTP/1.0\r\nHost: {}:{}\r\nConnection: close\r\nAccept: application/json\r\n",
      question.method, address.path, address.host, address.port);
  if (!question.token.empty()) text += fmt::format("Authorization: Bearer {}\r\n", question.token);
  if (!question.body.empty() || question.method != "GET")
    text += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", question.body_type,
                        question.body.size());
  socket.write(text + "\r\n" + question.body);
  return answer_in(socket.read_all());
}

std::string config_text(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    if (letter == '\n') {
      result += "\\n";
      continue;
    }
    result += letter;
  }
  return result + "\"";
}

// An anonymous file that a child can read through a path in /proc.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : descriptor_(memfd_create("ridge", 0)) {
    while (descriptor_ >= 0 && !text.empty()) {
      const ssize_t written = write(descriptor_, text.data(), text.size());
      if (written <= 0) break;
      text.remove_prefix(static_cast<size_t>(written));
    }
    if (descriptor_ < 0 || !text.empty())
      throw HttpError(fmt::format("no memory to ask the class server: {}", std::strerror(errno)));
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

// Token and body are passed in memory files: command lines are visible to all users, and curl
// limits the lines of its configuration to 100 KB.
HttpAnswer ask_by_curl(const HttpQuestion& question) {
  const MemoryFile body(question.body);
  std::string options = fmt::format(
      "url = {}\nrequest = {}\nsilent\nshow-error\ninclude\nsuppress-connect-headers\nhttp1.1\nproto = "
      "\"=https\"\nmax-time = {}\nheader = \"Expect:\"\n",
      config_text(question.url), question.method, question.limit_seconds);
  if (!question.token.empty())
    options += fmt::format("header = {}\n", config_text("Authorization: Bearer " + question.token));
  if (!question.body.empty())
    options += fmt::format("header = {}\ndata-binary = {}\n",
                           config_text("Content-Type: " + question.body_type),
                           config_text("@" + body.path()));
  const MemoryFile config(options);
  const std::string config_path = config.path();
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) throw HttpError("cannot create a pipe for curl");
  const pid_t child = fork();
  if (child == 0) {
    dup2(out[1], 1);
    execlp("curl", "curl", "--config", config_path.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(out[1]);
  std::string text;
  char bytes[16 * 1024];
  for (ssize_t count; (count = read(out[0], bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<size_t>(count));
  close(out[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw HttpError(
        "a class behind https:// needs the program curl; install it: sudo apt-get install curl");
  if (text.empty())
    throw HttpError(fmt::format("{} could not be reached; curl's message has the reason", question.url));
  return answer_in(text);
}

}  // namespace

HttpAnswer ask(const HttpQuestion& question) {
  const Address address = address_of(question.url);
  return address.secure ? ask_by_curl(question) : ask_by_socket(question, address);
}

}  // namespace ridge::leaderboard
