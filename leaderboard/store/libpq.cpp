// Loads libpq.so.5.
#include "leaderboard/store/libpq.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "harness/report/store/database.h"

namespace ridge::leaderboard {

namespace {

Libpq load() {
  void* library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw report::StoreError(
        "a class on PostgreSQL needs its client library, libpq.so.5: sudo apt-get install libpq5");
  Libpq functions{};
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function)
      throw report::StoreError(fmt::format(
          "libpq.so.5 has no {}: it is older than PostgreSQL 9; install a newer libpq5", name));
  };
  find(functions.connectdbParams, "PQconnectdbParams");
  find(functions.finish, "PQfinish");
  find(functions.status, "PQstatus");
  find(functions.errorMessage, "PQerrorMessage");
  find(functions.host, "PQhost");
  find(functions.db, "PQdb");
  find(functions.exec, "PQexec");
  find(functions.prepare, "PQprepare");
  find(functions.execPrepared, "PQexecPrepared");
  find(functions.resultStatus, "PQresultStatus");
  find(functions.resultErrorField, "PQresultErrorField");
  find(functions.ntuples, "PQntuples");
  find(functions.nfields, "PQnfields");
  find(functions.ftype, "PQftype");
  find(functions.getvalue, "PQgetvalue");
  find(functions.getlength, "PQgetlength");
  find(functions.getisnull, "PQgetisnull");
  find(functions.clear, "PQclear");
  find(functions.consumeInput, "PQconsumeInput");
  find(functions.notifies, "PQnotifies");
  find(functions.freemem, "PQfreemem");
  return functions;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq functions = load();
  return functions;
}

}  // namespace ridge::leaderboard
