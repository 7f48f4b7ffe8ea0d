// Statements to PostgreSQL. All values are sent as text without a type: PostgreSQL infers each type
// from the position of the value, as SQLite converts by the column.
#include "leaderboard/store/postgresql_connection.h"

#include <fmt/format.h>

namespace ridge::leaderboard {

namespace {

// Constants of libpq-fe.h, postgres_ext.h and pg_type.h.
constexpr int kConnected = 0, kCommandOk = 1, kTuplesOk = 2, kSqlState = 'C', kMessage = 'M';
constexpr unsigned kBooleanType = 16;

using Kind = report::StoreError::Kind;

struct Advice {
  Kind kind;
  const char* text;
};

// Advice by SQLSTATE (PostgreSQL 15, appendix A).
Advice advice_on(std::string_view state) {
  if (state == "53100") return {Kind::full, "the disk of PostgreSQL is full: make room on it"};
  if (state == "55P03")
    return {Kind::busy, "another server has been writing to it for seconds: try again"};
  if (state == "25006") return {Kind::not_writable, "this database can only be read"};
  if (state.starts_with("28") || state == "42501")
    return {Kind::not_writable, "the user in the address may not do this: see its rights"};
  return {Kind::other, "try again"};
}

std::string trimmed_lines(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  for (char& letter : text)
    if (letter == '\n') letter = ' ';
  return text;
}

}  // namespace

std::string with_numbered_values(std::string_view sql) {
  std::string result;
  int number = 0;
  bool quoted = false;
  for (const char letter : sql) {
    quoted ^= letter == '\'';
    if (letter == '?' && !quoted)
      result += fmt::format("${}", ++number);
    else
      result += letter;
  }
  return result;
}

std::string without_password(const std::string& url) {
  std::string shown = url.substr(0, url.find('?'));
  const size_t begin = shown.find("://") + 3, at = shown.find('@', begin);
  if (at == shown.npos) return shown;
  const size_t colon = shown.find(':', begin);
  return colon < at ? shown.erase(colon, at - colon) : shown;
}

PostgresqlConnection::PostgresqlConnection(const std::string& url, const std::string& settings)
    : name_(without_password(url)), connection_(nullptr, libpq().finish) {
  const char* names[] = {"dbname",          "connect_timeout",  "application_name",
                         "client_encoding", "tcp_user_timeout", nullptr};
  const char* values[] = {url.c_str(), "5", "ridge-class", "UTF8", "10000", nullptr};
  connection_.reset(libpq().connectdbParams(names, values, 1));
  if (!connection_ || libpq().status(connection_.get()) != kConnected)
    throw report::StoreError(fmt::format(
        "{} cannot be reached: {}. Is PostgreSQL running, and is the address right?", name_,
        connection_ ? trimmed_lines(libpq().errorMessage(connection_.get())) : "no memory"));
  run_script("SET client_min_messages = warning; SET standard_conforming_strings = on; " +
             settings);
}

PostgresqlConnection::Result PostgresqlConnection::checked(pg_result* raw) {
  Result result(raw, libpq().clear);
  const int status = raw ? libpq().resultStatus(raw) : -1;
  if (status == kCommandOk || status == kTuplesOk) return result;
  if (!raw || libpq().status(connection_.get()) != kConnected)
    throw ConnectionLost(fmt::format("the connection to {} ended: {}; try again", name_,
                                     trimmed_lines(libpq().errorMessage(connection_.get()))));
  const char* state = libpq().resultErrorField(raw, kSqlState);
  const char* message = libpq().resultErrorField(raw, kMessage);
  const Advice advice = advice_on(state ? state : "");
  throw report::StoreError(
      fmt::format("{}: {}; {}", name_, message ? message : "no answer", advice.text), advice.kind);
}

const std::string& PostgresqlConnection::prepared(std::string_view sql) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return found->second;
  const std::string name = fmt::format("s{}", statements_.size());
  checked(libpq().prepare(connection_.get(), name.c_str(), with_numbered_values(sql).c_str(), 0,
                          nullptr));
  return statements_.emplace(sql, name).first->second;
}

Rows PostgresqlConnection::run(std::string_view sql, const Values& values) {
  const std::string& statement = prepared(sql);
  std::vector<std::string> texts(values.size());
  std::vector<const char*> pointers(values.size(), nullptr);
  for (size_t i = 0; i < values.size(); ++i) {
    if (const auto* number = std::get_if<int64_t>(&values[i])) texts[i] = std::to_string(*number);
    if (const auto* real = std::get_if<double>(&values[i])) texts[i] = fmt::format("{}", *real);
    if (const auto* text = std::get_if<std::string>(&values[i])) texts[i] = *text;
    if (texts[i].find('\0') != std::string::npos)
      throw report::StoreError("a text with a zero byte cannot be stored in PostgreSQL");
    if (!std::holds_alternative<std::nullptr_t>(values[i])) pointers[i] = texts[i].c_str();
  }
  const Result result = checked(libpq().execPrepared(connection_.get(), statement.c_str(),
                                                     static_cast<int>(values.size()),
                                                     pointers.data(), nullptr, nullptr, 0));
  Rows rows;
  const int columns = libpq().nfields(result.get()), count = libpq().ntuples(result.get());
  for (int row = 0; row < count; ++row) {
    std::vector<std::optional<std::string>> cells(static_cast<size_t>(columns));
    for (int column = 0; column < columns; ++column) {
      if (libpq().getisnull(result.get(), row, column)) continue;
      std::string text(libpq().getvalue(result.get(), row, column),
                       static_cast<size_t>(libpq().getlength(result.get(), row, column)));
      if (libpq().ftype(result.get(), column) == kBooleanType) text = text == "t" ? "1" : "0";
      cells[static_cast<size_t>(column)] = std::move(text);
    }
    rows.emplace_back(std::move(cells));
  }
  return rows;
}

void PostgresqlConnection::run_script(const std::string& sql) {
  checked(libpq().exec(connection_.get(), sql.c_str()));
}

const std::string& PostgresqlConnection::session() {
  if (session_.empty())
    session_ = run(fmt::format("SELECT {} FROM pg_stat_activity WHERE pid = pg_backend_pid()",
                               kSessionName),
                   {})
                   .at(0)
                   .text(0);
  return session_;
}

std::vector<std::string> PostgresqlConnection::take_notifications() {
  if (libpq().consumeInput(connection_.get()) == 0 ||
      libpq().status(connection_.get()) != kConnected)
    throw ConnectionLost(fmt::format("the connection to {} ended", name_));
  std::vector<std::string> texts;
  while (PostgresqlNotification* one = libpq().notifies(connection_.get())) {
    texts.emplace_back(one->text);
    libpq().freemem(one);
  }
  return texts;
}

}  // namespace ridge::leaderboard
