#include "harness/report/store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

namespace ridge::report {
namespace {

struct Advice {
  StoreError::Kind kind;
  std::string text;
};

Advice advice_on(int code, const std::filesystem::path& file) {
  using Kind = StoreError::Kind;
  switch (code) {
    case SQLITE_FULL:
      return {Kind::full, "the disk is full: make room on it"};
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return {Kind::not_writable, "the file and its folder must be writable for you"};
    case SQLITE_IOERR:
      return {Kind::full, "the disk is full or failing"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Kind::busy, "another program has been writing to it for seconds: end it, or try again"};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {
          Kind::damaged,
          fmt::format("the file is damaged: move it away (mkdir {0}/damaged && mv {1}* {0}/damaged/), and a "
                      "new one is started; `sqlite3 {0}/damaged/{2} .recover` prints what can still be read",
                      file.parent_path().string(), file.string(), file.filename().string())};
    default:
      return {Kind::other, "try again"};
  }
}

// SQLite also reports a store as read-only when the disk has no room for the files next to it.
bool has_no_room(const std::filesystem::path& file) {
  constexpr uintmax_t kBesideBytes = 128 * 1024;  // the index of the log, and a log
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(file.parent_path(), error);
  return !error && space.available < kBesideBytes && access(file.parent_path().c_str(), W_OK) == 0;
}

[[noreturn]] void fail(sqlite3* database, const std::filesystem::path& file) {
  const int code = sqlite3_errcode(database) & 0xff;
  if ((code == SQLITE_READONLY || code == SQLITE_CANTOPEN) && has_no_room(file)) {
    const Advice advice = advice_on(SQLITE_FULL, file);
    throw StoreError(fmt::format("{}: {}", file.string(), advice.text), advice.kind);
  }
  const Advice advice = advice_on(code, file);
  throw StoreError(fmt::format("{}: {}; {}", file.string(), sqlite3_errmsg(database), advice.text),
                   advice.kind);
}

// As a URI, in which ? and # would end the name and % starts an escape.
std::string uri_of(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char letter : file.string()) {
    if (letter == '?' || letter == '#' || letter == '%')
      uri += fmt::format("%{:02x}", static_cast<unsigned>(letter));
    else
      uri += letter;
  }
  return uri + "?immutable=1";
}

}  // namespace

Statement::Statement(sqlite3* database, const std::filesystem::path& file, std::string_view sql)
    : statement_(nullptr, sqlite3_finalize), database_(database), file_(file) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) !=
      SQLITE_OK) {
    fail(database, file_);
  }
  statement_.reset(statement);
}

Statement& Statement::bind(int index, std::string_view text) {
  const auto copy = reinterpret_cast<sqlite3_destructor_type>(-1);  // SQLITE_TRANSIENT without its C cast
  if (sqlite3_bind_text(statement_.get(), index, text.data(), static_cast<int>(text.size()), copy) !=
      SQLITE_OK) {
    fail(database_, file_);
  }
  return *this;
}

Statement& Statement::bind(int index, int64_t number) {
  if (sqlite3_bind_int64(statement_.get(), index, number) != SQLITE_OK) fail(database_, file_);
  return *this;
}

Statement& Statement::bind(int index, double number) {
  if (sqlite3_bind_double(statement_.get(), index, number) != SQLITE_OK) fail(database_, file_);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(database_, file_);
  return code == SQLITE_ROW;
}

void Statement::reset() noexcept {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  // A source may contain a zero byte.
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  return text ? std::string(reinterpret_cast<const char*>(text), static_cast<size_t>(bytes)) : "";
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

int Statement::columns() const {
  return sqlite3_column_count(statement_.get());
}

int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::atomic<int> Database::open_now_ = 0;

Database::Database(const std::filesystem::path& file, int busy_ms, Access access)
    : file_(file), database_(nullptr, [](sqlite3* database) {
        --open_now_;
        return sqlite3_close(database);
      }) {
  sqlite3* database = nullptr;
  const int flags = access == Access::write  ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                    : access == Access::read ? SQLITE_OPEN_READONLY
                                             : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  const std::string name = access == Access::read_still ? uri_of(file) : file.string();
  const int code = sqlite3_open_v2(name.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (!database) throw StoreError(fmt::format("{}: no memory to open it", file.string()));
  ++open_now_;
  if (code != SQLITE_OK) fail(database, file_);
  sqlite3_busy_timeout(database, busy_ms);
}

void Database::run(std::string_view sql) {
  if (sqlite3_exec(database_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    fail(database_.get(), file_);
  }
}

int64_t Database::last_row() const {
  return sqlite3_last_insert_rowid(database_.get());
}

// IMMEDIATE takes the write lock at once, so that the wait for another writer happens here and not
// later.
Transaction::Transaction(Database& database) : database_(database) {
  database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (done_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const StoreError&) {  // a full disk has rolled back already
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  done_ = true;
}

}  // namespace ridge::report
