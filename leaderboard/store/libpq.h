// PostgreSQL's client library, loaded when a class first uses it: a class on SQLite needs no
// package of PostgreSQL. The declarations are those of libpq-fe.h of version 15, whose binary
// interface (libpq.so.5) has been stable since version 8.
#pragma once

#include <string>

struct pg_conn;
struct pg_result;

namespace ridge::leaderboard {

// Declared as in libpq-fe.h.
struct PostgresqlNotification {
  char* channel;
  int sender;
  char* text;
  PostgresqlNotification* next;
};

// Functions of libpq by their names without "PQ".
struct Libpq {
  pg_conn* (*connectdbParams)(const char* const*, const char* const*, int);
  void (*finish)(pg_conn*);
  int (*status)(const pg_conn*);  // 0: connected
  char* (*errorMessage)(const pg_conn*);
  char* (*host)(const pg_conn*);
  char* (*db)(const pg_conn*);
  pg_result* (*exec)(pg_conn*, const char*);
  pg_result* (*prepare)(pg_conn*, const char*, const char*, int, const unsigned*);
  pg_result* (*execPrepared)(pg_conn*, const char*, int, const char* const*, const int*, const int*,
                             int);
  int (*resultStatus)(const pg_result*);
  char* (*resultErrorField)(const pg_result*, int);
  int (*ntuples)(const pg_result*);
  int (*nfields)(const pg_result*);
  unsigned (*ftype)(const pg_result*, int);
  char* (*getvalue)(const pg_result*, int, int);
  int (*getlength)(const pg_result*, int, int);
  int (*getisnull)(const pg_result*, int, int);
  void (*clear)(pg_result*);
  int (*consumeInput)(pg_conn*);
  PostgresqlNotification* (*notifies)(pg_conn*);
  void (*freemem)(void*);
};

// Throws report::StoreError with the package's name when the library is not installed.
const Libpq& libpq();

}  // namespace ridge::leaderboard
