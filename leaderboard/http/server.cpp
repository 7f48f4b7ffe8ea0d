// Accepts sockets, passes requests to the App, and sends answers and events. With connection.h the
// only file that includes Boost.Beast.
#include "leaderboard/http/server.h"

#include "leaderboard/http/connection.h"

namespace ridge::leaderboard {

namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};
// For changes of other servers on the database.
constexpr std::chrono::milliseconds kListenEvery{50};

}  // namespace

void Server::Parts::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (!error && connections < options.most_connections) {
      error_code ignored;  // send answers without waiting for acknowledgements (no Nagle delay)
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Connection>(*this, std::move(socket))->read();
    }
    if (error && acceptor.is_open()) return accept_later();
    if (acceptor.is_open()) accept();
  });
}

// No descriptor was free. Some will be free soon, and trying again immediately would use a whole
// core.
void Server::Parts::accept_later() {
  pause.expires_after(kAcceptPause);
  pause.async_wait([this](error_code) { accept(); });
}

void Server::Parts::send_notices() {
  const std::vector<Notice> notices = app.take_notices();
  if (notices.empty()) return;
  for (const auto& weak : std::list(streams))
    if (const auto connection = weak.lock())
      for (const Notice& notice : notices) {
        const Subscription* subscription = connection->subscription();
        if (subscription->class_id != notice.class_id) continue;
        if (notice.person_id != 0 && !subscription->instructor &&
            subscription->person_id != notice.person_id)
          continue;
        connection->send_event(notice.event, notice.data);
      }
}

void Server::Parts::tick() {
  second.expires_after(std::chrono::seconds(1));
  second.async_wait([this](error_code) {
    if (stop->load()) return context.stop();
    every_second();
    send_notices();
    const auto now = std::chrono::steady_clock::now();
    streams.remove_if([&](const auto& weak) {
      const auto connection = weak.lock();
      return !connection || !connection->keep_alive(now);
    });
    tick();
  });
}

void Server::Parts::listen_to_others() {
  if (!feed) return;
  listening.expires_after(kListenEvery);
  listening.async_wait([this](error_code) {
    try {
      app.apply_changes_of_others(feed->take());
    } catch (const report::StoreError& error) {
      app.report_trouble(error.what());
    }
    send_notices();
    listen_to_others();
  });
}

Server::Server(App& app, Database& database, ServerOptions options)
    : parts_(std::make_unique<Parts>(app, database, std::move(options))) {
  parts_->listen();
}

Server::~Server() = default;

int Server::port() const {
  return parts_->acceptor.local_endpoint().port();
}

void Server::run(const std::atomic<bool>& stop, const std::function<void()>& every_second) {
  parts_->stop = &stop;
  parts_->every_second = every_second;
  parts_->accept();
  parts_->tick();
  parts_->listen_to_others();
  parts_->context.run();
}

}  // namespace ridge::leaderboard
