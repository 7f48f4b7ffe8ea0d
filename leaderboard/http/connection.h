// One connection: reads requests, passes them to the App, and sends answers, files and events.
#pragma once

#include <deque>
#include <optional>

#include "leaderboard/http/server_parts.h"

namespace ridge::leaderboard {

inline constexpr uint64_t kMostBodyBytes = 1024 * 1024;  // 256 KB of source, escaped as JSON
inline constexpr uint32_t kMostHeaderBytes = 16 * 1024;
// A stream with more waiting events is closed; its client connects again.
inline constexpr size_t kMostWaitingEvents = 64;
inline constexpr std::chrono::seconds kStreamLife{300}, kHeartbeat{15}, kWriteLimit{10},
    kFileLimit{300};

class Server::Parts::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Parts& parts, tcp::socket socket) : parts_(parts), stream_(std::move(socket)) {
    ++parts_.connections;
    error_code error;
    const auto remote = stream_.socket().remote_endpoint(error);
    if (!error) peer_ = remote.address().to_string();
  }
  ~Connection() { --parts_.connections; }

  void read() {
    parser_.emplace();
    parser_->body_limit(kMostBodyBytes);
    parser_->header_limit(kMostHeaderBytes);
    stream_.expires_after(std::chrono::seconds(parts_.options.request_seconds));
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code error, size_t) { self->on_read(error); });
  }

  const Subscription* subscription() const { return subscription_ ? &*subscription_ : nullptr; }

  void send_event(const std::string& event, const std::string& data) {
    send_raw(fmt::format("event: {}\ndata: {}\n\n", event, data));
  }

  // Returns false when the stream has reached the end of its life.
  bool keep_alive(std::chrono::steady_clock::time_point now) {
    if (now - began_ > kStreamLife) {
      close();
      return false;
    }
    if (now - sent_ > kHeartbeat) send_raw(": still here\n\n");
    return true;
  }

 private:
  void on_read(error_code error) {
    if (error == http::error::body_limit)
      return refuse(413, "the request is too large: at most 1 MB, and 256 KB of source");
    if (error == http::error::header_limit)
      return refuse(431, "the request's headers are too large");
    if (error == http::error::end_of_stream || error == beast::error::timeout) return close();
    if (error.category() == http::make_error_code(http::error::bad_method).category())
      return refuse(400, "this is not an HTTP request");
    if (error) return close();
    keep_ = parser_->keep_alive();
    answer();
  }

  void refuse(int status, const std::string& what) {
    keep_ = false;
    write({status, fmt::format("{{\"error\":{{\"what\":\"{}\",\"next\":\"\"}}}}", what)});
  }

  void answer() {
    auto& message = parser_->get();
    Request request;
    request.method = std::string(message.method_string());
    const std::string target(message.target());
    const size_t mark = std::min(target.find('?'), target.size());
    const auto path = decoded(target.substr(0, mark));
    if (!path || !path->starts_with('/')) return refuse(400, "the address is damaged");
    request.path = *path;
    request.query = query_of(std::string_view(target).substr(std::min(mark + 1, target.size())));
    for (const auto& field : message) {
      std::string name(field.name_string());
      for (char& letter : name)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      request.headers[name] = std::string(field.value());
    }
    request.body = std::move(message.body());
    request.peer = peer_;
    if (const std::string via = request.header("x-forwarded-for");
        parts_.options.behind_proxy && !via.empty())
      request.peer =
          via.substr(via.find_last_of(", ") == via.npos ? 0 : via.find_last_of(", ") + 1);
    const bool for_app = request.path.starts_with("/api/") || request.path == "/healthz" ||
                         request.path == "/metrics";
    deliver(for_app ? parts_.app.handle(request) : parts_.pages.answer(request),
            request.method == "HEAD");
    parts_.send_notices();
  }

  void deliver(Response response, bool head = false) {
    if (response.background) return finish_in_background(std::move(*response.background));
    if (response.stream) return start_stream(*response.stream);
    if (!response.file.empty()) return write_file(response);
    if (response.after_disk) return write_after_disk(std::move(response));
    write(std::move(response), head);
  }

  void write_after_disk(Response response) {
    response.after_disk = false;
    auto held = std::make_shared<Response>(std::move(response));
    // The connection returns to the server's thread with its answer, and is never destroyed on
    // another thread.
    parts_.disk.when_on_disk([self = shared_from_this(), held](const std::string& trouble) mutable {
      asio::io_context& context = self->parts_.context;
      asio::post(context, [self = std::move(self), held, trouble] {
        if (trouble.empty()) return self->write(std::move(*held));
        self->parts_.app.report_trouble(trouble);
        self->refuse(503,
                     "it is not certain that this was stored, because the database did not confirm "
                     "it; look whether it is there before you try again");
      });
    });
  }

  void finish_in_background(Background background) {
    auto job = std::make_shared<Background>(std::move(background));
    BackgroundLane& lane = parts_.lane(job->kind);
    lane.thread.add([self = shared_from_this(), job, &lane]() mutable {
      asio::io_context& context = self->parts_.context;
      std::string trouble;
      try {
        if (!lane.reading) lane.reading = self->parts_.database.reader();
        job->work(*lane.reading);
      } catch (const std::exception& error) {
        lane.reading.reset();
        trouble = error.what();
      }
      asio::post(context, [self = std::move(self), job, trouble] {
        if (trouble.empty()) return self->deliver(job->finish());
        self->parts_.app.report_trouble(trouble);
        self->refuse(503, "the server could not read its database");
      });
    });
  }

  // Sends the file in pieces, so that large files are not held in memory.
  void write_file(const Response& response) {
    auto message = std::make_shared<http::response<http::file_body>>();
    beast::error_code error;
    message->body().open(response.file.c_str(), beast::file_mode::scan, error);
    if (error) return refuse(503, "a file of the server cannot be read");
    message->version(11);
    message->result(http::status::ok);
    message->set(http::field::content_type, response.type);
    add_headers(*message, response.headers);
    message->keep_alive(false);
    message->prepare_payload();
    stream_.expires_after(kFileLimit);
    http::async_write(stream_, *message,
                      [self = shared_from_this(), message](error_code, size_t) { self->close(); });
  }

  template <class Message>
  static void add_headers(Message& message,
                          const std::vector<std::pair<std::string, std::string>>& own) {
    for (const auto& [name, value] : security_headers())
      message.set(name, value);
    for (const auto& [name, value] : own)
      message.insert(name, value);
  }

  void write(Response response, bool head = false) {
    auto message = std::make_shared<http::response<http::string_body>>();
    message->version(11);
    message->result(static_cast<unsigned>(response.status));
    if (response.status != 204) message->set(http::field::content_type, response.type);
    add_headers(*message, response.headers);
    if (message->find(http::field::cache_control) == message->end())
      message->set(http::field::cache_control, "no-store");
    message->keep_alive(keep_);
    message->body() = head ? "" : std::move(response.body);
    message->prepare_payload();
    stream_.expires_after(kWriteLimit);
    http::async_write(stream_, *message,
                      [self = shared_from_this(), message](error_code error, size_t) {
                        if (error || !message->keep_alive()) return self->close();
                        self->read();
                      });
  }

  void start_stream(const Subscription& subscription) {
    subscription_ = subscription;
    began_ = sent_ = std::chrono::steady_clock::now();
    parts_.streams.push_back(weak_from_this());
    std::string head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n";
    for (const auto& [name, value] : security_headers())
      head += fmt::format("{}: {}\r\n", name, value);
    send_raw(head + "\r\nretry: 1000\n\n");
    watch_for_end();
  }

  // The client of a stream has nothing more to send: its bytes are dropped, and the end of the
  // connection is noticed.
  void watch_for_end() {
    stream_.socket().async_read_some(asio::buffer(ignored_),
                                     [self = shared_from_this()](error_code error, size_t) {
                                       if (error) return self->close();
                                       self->watch_for_end();
                                     });
  }

  void send_raw(std::string text) {
    if (waiting_.size() >= kMostWaitingEvents) return close();
    waiting_.push_back(std::move(text));
    if (waiting_.size() == 1) send_next();
  }

  void send_next() {
    sent_ = std::chrono::steady_clock::now();
    asio::async_write(stream_.socket(), asio::buffer(waiting_.front()),
                      [self = shared_from_this()](error_code error, size_t) {
                        if (error) return self->close();
                        self->waiting_.pop_front();
                        if (!self->waiting_.empty()) self->send_next();
                      });
  }

  void close() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
  }

  Parts& parts_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::string peer_;
  bool keep_ = true;
  std::optional<Subscription> subscription_;
  std::deque<std::string> waiting_;
  std::chrono::steady_clock::time_point began_, sent_;
  char ignored_[64];
};

}  // namespace ridge::leaderboard
