// The parts of a server. Only for server.cpp, like connection.h: no other file includes
// Boost.Beast.
#pragma once

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/http/file_body.hpp>
#include <list>
#include <memory>
#include <stdexcept>

#include "leaderboard/http/disk_thread.h"
#include "leaderboard/http/page_files.h"
#include "leaderboard/http/server.h"
#include "leaderboard/http/work_thread.h"

namespace ridge::leaderboard {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// A thread for one kind of background work, with a connection of its own to read.
struct BackgroundLane {
  std::unique_ptr<Database> reading;  // used on the thread only; opened when it is first needed
  WorkThread thread;
};

struct Server::Parts {
  class Connection;

  Parts(App& the_app, Database& the_database, ServerOptions the_options)
      : app(the_app),
        database(the_database),
        options(std::move(the_options)),
        pages(options.pages, options.pages_missing),
        acceptor(context),
        second(context),
        listening(context),
        pause(context),
        feed(the_database.feed()),
        disk(the_database) {}

  void listen() {
    error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    if (error)
      throw std::runtime_error(fmt::format(
          "{} is not an IP address; write one such as 127.0.0.1", options.address));
    const tcp::endpoint endpoint(address, static_cast<unsigned short>(options.port));
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      throw std::runtime_error(
          fmt::format("cannot listen on {}:{}: {}. Is another server running there? Choose another "
                      "port: --port, or \"listen\" in the class's file",
                      options.address, options.port, error.message()));
  }

  BackgroundLane& lane(Background::Kind kind) {
    return kind == Background::Kind::boards    ? boards
           : kind == Background::Kind::exports ? exports
                                               : questions;
  }

  void accept();
  void accept_later();
  void tick();
  void listen_to_others();
  void send_notices();

  App& app;
  Database& database;
  ServerOptions options;
  PageFiles pages;
  asio::io_context context{1};
  tcp::acceptor acceptor;
  asio::steady_timer second, listening, pause;
  const std::unique_ptr<ChangeFeed> feed;
  std::function<void()> every_second;
  const std::atomic<bool>* stop = nullptr;
  std::list<std::weak_ptr<Connection>> streams;
  int connections = 0;
  // Must be the last members: their jobs refer to the others.
  DiskThread disk;
  BackgroundLane boards, exports, questions;
};

}  // namespace ridge::leaderboard
