// The tables. A released step is never changed; a change is a further step. Times are Unix
// milliseconds, UTC. Secrets are stored as hashes only. Long texts are the last columns of their
// tables, so that a scan of the other columns does not read them.
#include "leaderboard/store/schema.h"

#include <fmt/format.h>

#include <iterator>

#include "leaderboard/store/database.h"

namespace ridge::leaderboard {

namespace {

// `tables` is for both databases, with SQLite's types replaced by PostgreSQL's. The other texts are
// for one of them.
struct Step {
  const char* tables;
  const char* sqlite = "";
  const char* postgresql = "";
};

constexpr Step kSteps[] = {
    {R"sql(
CREATE TABLE classes (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  counts TEXT NOT NULL,
  public_board INTEGER NOT NULL
);
CREATE TABLE people (
  id INTEGER PRIMARY KEY,
  class_id INTEGER NOT NULL REFERENCES classes (id),
  role TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  student_number TEXT NOT NULL DEFAULT '',
  section TEXT NOT NULL DEFAULT '',
  nickname TEXT NOT NULL DEFAULT '',
  anonymous INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  joined_ms INTEGER,
  deleted_ms INTEGER
);
CREATE UNIQUE INDEX people_by_email ON people (class_id, email) WHERE deleted_ms IS NULL AND email <> '';
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  class_id INTEGER REFERENCES classes (id),
  person_id INTEGER REFERENCES people (id),
  parent_id INTEGER REFERENCES tokens (id),
  csrf TEXT NOT NULL DEFAULT '',
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  revoked_ms INTEGER,
  uses_left INTEGER
);
CREATE INDEX tokens_by_person ON tokens (person_id);
CREATE TABLE assignments (
  id INTEGER PRIMARY KEY,
  class_id INTEGER NOT NULL REFERENCES classes (id),
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  engine TEXT NOT NULL,
  points REAL NOT NULL,
  due_ms INTEGER NOT NULL,
  hidden_until_ms INTEGER NOT NULL DEFAULT 0,
  late_percent_per_day REAL NOT NULL DEFAULT 0,
  late_days INTEGER NOT NULL DEFAULT 0,
  frozen_ms INTEGER,
  UNIQUE (class_id, name)
);
CREATE TABLE assignment_rungs (
  assignment_id INTEGER NOT NULL REFERENCES assignments (id),
  position INTEGER NOT NULL,
  rung TEXT NOT NULL,
  weight REAL NOT NULL,
  PRIMARY KEY (assignment_id, rung)
);
CREATE TABLE extensions (
  assignment_id INTEGER NOT NULL REFERENCES assignments (id),
  person_id INTEGER NOT NULL REFERENCES people (id),
  due_ms INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (assignment_id, person_id)
);
CREATE TABLE submissions (
  id INTEGER PRIMARY KEY,
  class_id INTEGER NOT NULL REFERENCES classes (id),
  assignment_id INTEGER NOT NULL REFERENCES assignments (id),
  person_id INTEGER NOT NULL REFERENCES people (id),
  rung TEXT NOT NULL,
  received_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  chosen INTEGER NOT NULL DEFAULT 0,
  invalid_reason TEXT,
  files TEXT NOT NULL
);
CREATE INDEX submissions_by_person ON submissions (person_id, rung, id, received_ms);
CREATE INDEX submissions_by_state ON submissions (state);
CREATE INDEX submissions_by_assignment ON submissions (assignment_id, person_id, id);
CREATE TABLE regrades (
  id INTEGER PRIMARY KEY,
  class_id INTEGER NOT NULL REFERENCES classes (id),
  what TEXT NOT NULL,
  state TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  applied_ms INTEGER
);
CREATE TABLE jobs (
  submission_id INTEGER NOT NULL REFERENCES submissions (id),
  attempt INTEGER NOT NULL,
  regrade_id INTEGER REFERENCES regrades (id),
  state TEXT NOT NULL,
  seed TEXT NOT NULL,
  queued_ms INTEGER NOT NULL,
  worker TEXT NOT NULL DEFAULT '',
  lease_hash TEXT NOT NULL DEFAULT '',
  lease_until_ms INTEGER NOT NULL DEFAULT 0,
  progress TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (submission_id, attempt)
);
CREATE INDEX jobs_open ON jobs (state, queued_ms) WHERE state IN ('waiting', 'leased');
CREATE INDEX jobs_by_regrade ON jobs (regrade_id) WHERE regrade_id IS NOT NULL;
CREATE TABLE grades (
  id INTEGER PRIMARY KEY,
  submission_id INTEGER NOT NULL REFERENCES submissions (id),
  attempt INTEGER NOT NULL,
  regrade_id INTEGER REFERENCES regrades (id),
  in_force INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  engine TEXT NOT NULL,
  device TEXT NOT NULL,
  figure REAL,
  seed TEXT NOT NULL,
  seconds REAL NOT NULL,
  accepted_ms INTEGER NOT NULL,
  summary TEXT NOT NULL,
  next TEXT NOT NULL,
  result TEXT NOT NULL,
  UNIQUE (submission_id, attempt)
);
CREATE UNIQUE INDEX grades_in_force ON grades (submission_id) WHERE in_force = 1;
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  class_id INTEGER,
  kind TEXT NOT NULL,
  actor TEXT NOT NULL,
  submission_id INTEGER,
  person_id INTEGER,
  detail TEXT NOT NULL
);
CREATE INDEX events_by_submission ON events (submission_id);
)sql",
     R"sql(
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER events_are_not_removed BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
)sql",
     R"sql(
CREATE FUNCTION events_are_appended() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the event log is append-only'; END $$;
CREATE TRIGGER events_are_not_changed BEFORE UPDATE OR DELETE ON events
  FOR EACH ROW EXECUTE FUNCTION events_are_appended();
)sql"},
    // 2: the number of hints that a student's `ridge` reports as shown; the newest trace per
    // student and rung, in base64.
    {R"sql(
CREATE TABLE hints (
  person_id INTEGER NOT NULL REFERENCES people (id),
  rung TEXT NOT NULL,
  shown INTEGER NOT NULL,
  PRIMARY KEY (person_id, rung)
);
CREATE TABLE traces (
  submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
  bytes TEXT NOT NULL
);
)sql"},
    // 3: several servers on one database, and workers on other machines. A target is the kind of
    // worker that grades a job: "virtual", "gpu", or "gpu:" and part of a device's name. For a
    // submission, in_force is 1 for the grade that counts (of its assignment's first target), and 2
    // for the newest grade of each further target, which only the boards show.
    {R"sql(
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
CREATE TABLE duties (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until_ms INTEGER NOT NULL
);
CREATE TABLE workers (
  id INTEGER PRIMARY KEY,
  class_id INTEGER NOT NULL REFERENCES classes (id),
  token_id INTEGER NOT NULL REFERENCES tokens (id),
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  devices TEXT NOT NULL DEFAULT '{}',
  created_ms INTEGER NOT NULL,
  seen_ms INTEGER
);
CREATE UNIQUE INDEX workers_by_token ON workers (token_id);
ALTER TABLE assignments ADD COLUMN further_targets TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN target TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN further INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN token_id INTEGER REFERENCES tokens (id);
ALTER TABLE jobs ADD COLUMN placed TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN placed_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_by_token ON jobs (token_id) WHERE token_id IS NOT NULL;
UPDATE jobs SET target = (SELECT a.engine FROM submissions s JOIN assignments a ON a.id = s.assignment_id
  WHERE s.id = jobs.submission_id);
ALTER TABLE grades ADD COLUMN target TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX grades_for_boards ON grades (submission_id, target) WHERE in_force = 2;
)sql"}};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

int64_t schema_version() {
  return std::size(kSteps);
}

std::string schema_step(int64_t version, Dialect dialect) {
  const Step& step = kSteps[version];
  if (dialect == Dialect::sqlite) return std::string(step.tables) + step.sqlite;
  std::string tables = replaced(step.tables, "  id INTEGER PRIMARY KEY,",
                                "  id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,");
  tables = replaced(tables, " INTEGER", " BIGINT");
  return replaced(tables, " REAL", " DOUBLE PRECISION") + step.postgresql;
}

void need_known_version(Database& database) {
  const int64_t version = database.tables_version();
  if (version <= schema_version()) return;
  throw report::StoreError(
      fmt::format(
          "{} was written by a newer class server (its tables are version {}, this one knows {}); update "
          "this clone with `git pull` and start it again. Nothing was changed",
          database.name(), version, schema_version()),
      report::StoreError::Kind::newer);
}

void bring_up_to_date(Database& database, Dialect dialect) {
  if (database.tables_version() == schema_version()) return;
  Transaction transaction(database);
  // Another server may have upgraded it meanwhile.
  for (int64_t version = database.tables_version(); version < schema_version(); ++version)
    database.run_script(schema_step(version, dialect));
  database.set_tables_version(schema_version());
  transaction.commit();
}

const std::vector<std::string>& table_names() {
  static const std::vector<std::string> names = {
      "classes",     "people",   "tokens", "assignments", "assignment_rungs", "extensions",
      "submissions", "regrades", "jobs",   "grades",      "events",           "hints",
      "traces",      "settings", "duties", "workers"};
  return names;
}

}  // namespace ridge::leaderboard
