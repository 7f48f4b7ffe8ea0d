// The rules of a class: times, late policies, rosters, uploads, similarity, the class's file.
#include <fmt/format.h>

#include "leaderboard/access/tokens.h"
#include "leaderboard/classes/class_file.h"
#include "leaderboard/classes/gradebook.h"
#include "leaderboard/classes/local_time.h"
#include "leaderboard/classes/roster.h"
#include "leaderboard/classes/similarity.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"
#include "text/whole_file.h"

namespace ridge::leaderboard {

TEST_CASE("local times become UTC by the zone's rules, in summer and winter") {
  struct Expected {
    const char *local, *zone;
    int64_t utc_s;  // 0: there is no such time
  };
  const Expected rows[] = {
      {"2027-01-15 08:00", "UTC", 1800000000},
      {"2027-01-15 09:00", "Europe/Berlin", 1800000000},
      {"2027-07-01 12:00", "Europe/Berlin", 1814436000},
      {"2027-07-01 12:00", "America/New_York", 1814457600},
      {"2027-01-15 13:30", "Asia/Kolkata", 1800000000},
      {"2027-03-28 02:30", "Europe/Berlin", 0},           // the clocks leave it out
      {"2027-10-31 02:30", "Europe/Berlin", 1824946200},  // comes twice: the later
      {"2027-02-29 12:00", "UTC", 0},
      {"2028-02-29 12:00", "UTC", 1835438400},
      {"2027-13-01 12:00", "UTC", 0},
      {"soon", "UTC", 0},
      {"2027-01-15 08:00 ", "UTC", 0},
      {"2027-01-15 08:00", "Europe/Atlantis", 0},
      {"2027-01-15 08:00", "../../etc/passwd", 0}};
  for (const Expected& row : rows) {
    INFO(row.local << " " << row.zone);
    if (row.utc_s == 0) {
      CHECK_THROWS_AS(utc_ms_of(row.local, row.zone), std::runtime_error);
      continue;
    }
    CHECK(utc_ms_of(row.local, row.zone) == row.utc_s * 1000);
    CHECK(local_field(row.utc_s * 1000, row.zone) == row.local);
  }
  CHECK(local_text(1800000000000, "Europe/Berlin") == "Fri 2027-01-15 09:00 CET");
}

TEST_CASE("what is late loses its percentage per day begun, and after the last day everything") {
  AssignmentSpec assignment;
  assignment.late_percent_per_day = 10;
  assignment.late_days = 3;
  AssignmentSpec strict;
  const int64_t due = kTestNowMs;
  struct Expected {
    int64_t after_ms;
    double factor, strict_factor;
  };
  for (const Expected& row : {Expected{-kDayMs, 1, 1}, Expected{0, 1, 1}, Expected{1, 0.9, 0},
                              Expected{kDayMs, 0.9, 0}, Expected{kDayMs + 1, 0.8, 0},
                              Expected{3 * kDayMs, 0.7, 0}, Expected{3 * kDayMs + 1, 0, 0}}) {
    INFO(row.after_ms);
    CHECK(late_factor(assignment, due, due + row.after_ms) == Approx(row.factor));
    CHECK(late_factor(strict, due, due + row.after_ms) == Approx(row.strict_factor));
  }
}

TEST_CASE("CSV is read as spreadsheets write it, and written so that no cell is a formula") {
  const Csv csv = read_csv(
      "\xef\xbb\xbf"
      "a,\"b,\"\"c\"\"\",d\r\n\r\n\"two\nlines\",,x\nlast");
  REQUIRE(csv.records.size() == 3);
  CHECK(csv.records[0].cells == std::vector<std::string>{"a", "b,\"c\"", "d"});
  CHECK(csv.records[1].cells == std::vector<std::string>{"two\nlines", "", "x"});
  CHECK(csv.records[1].line == 3);
  CHECK(csv.records[2].line == 5);
  CHECK(read_csv("a\n\"open").errors.at(0).line == 2);
  const std::vector<std::string> cells = {"plain", "a,b", "say \"x\"", "two\nlines", ""};
  CHECK(read_csv(csv_line(cells)).records.at(0).cells == cells);
  CHECK(csv_line({"=1+1", "+x", "-x", "@x", "-3.5"}) == "'=1+1,'+x,'-x,'@x,-3.5\r\n");
}

TEST_CASE("a roster's mistakes are reported by line, and with any of them nothing is imported") {
  struct Expected {
    const char* csv;
    int line;
    const char* what;
  };
  const Expected rows[] = {
      {"", 1, "empty"},
      {"name\nAda\n", 1, "\"email\" is missing"},
      {"name,email,grade\n", 1, "\"grade\" is not a column"},
      {"name,email\nAda,ada@example.org\nBob\n", 3, "1 cells, and the first line has 2"},
      {"name,email\nAda,ada.example.org\n", 2, "not an e-mail address"},
      {"name,email\n,ada@example.org\n", 2, "the name is empty"},
      {"name,email\nA,a@b.c\nB,A@B.C\n", 3, "is on line 2 already"},
      {"name,email\nA,\"a@b.c\n", 2, "not closed"},
      {"name,email\n\"A\x01\",a@b.c\n", 2, "control character"}};
  for (const Expected& row : rows) {
    const Roster roster = read_roster(row.csv);
    INFO(row.csv);
    REQUIRE(roster.errors.size() >= 1);
    CHECK(roster.errors[0].line == row.line);
    CHECK(roster.errors[0].what.find(row.what) != std::string::npos);
  }
  ClassFixture fixture;
  const int64_t before = fixture.count("SELECT count(*) FROM people");
  const Asked refused = fixture.ask("POST", "/api/v1/classes/gpu/roster", fixture.instructor,
                                    {{"csv", "name,email\nC,c@d.e\nD,d\n"}, {"apply", true}});
  CHECK(refused.status == 422);
  CHECK(refused.body.at("errors")[0].at("line") == 3);
  CHECK(fixture.count("SELECT count(*) FROM people") == before);
}

TEST_CASE("a roster is imported with personal codes, and again without doubling anybody") {
  ClassFixture fixture;
  const char* csv =
      "Email,Name,ID,Section\r\nCleo@Example.org,\"Cleo, the first\",S7,B\r\nada@example.org,Ada Lovelace,S1,A\r\n";
  const Asked first = fixture.ask("POST", "/api/v1/classes/gpu/roster", fixture.instructor,
                                  {{"csv", csv}, {"apply", true}});
  REQUIRE(first.status == 200);
  CHECK(first.body["students"][0]["added"] == true);
  CHECK(first.body["students"][1]["added"] == false);
  CHECK(first.body["students"][1]["code"] == "");  // has joined
  const Asked joined =
      fixture.ask("POST", "/api/v1/join", "",
                  {{"code", first.body["students"][0]["code"]}, {"name", "somebody else"}});
  REQUIRE(joined.status == 201);
  CHECK(joined.body["student"]["name"] == "Cleo, the first");
  const int64_t people = fixture.count("SELECT count(*) FROM people");
  CHECK(fixture
            .ask("POST", "/api/v1/classes/gpu/roster", fixture.instructor,
                 {{"csv", csv}, {"apply", true}})
            .status == 200);
  CHECK(fixture.count("SELECT count(*) FROM people") == people);
  CHECK(fixture.count(
            "SELECT count(*) FROM people WHERE name = 'Ada Lovelace' AND student_number = 'S1'") ==
        1);
}

TEST_CASE("similarity sees through names, numbers and comments, and not what the skeleton gave") {
  const std::string given = text::read_file(the_course().labs.at(1).rungs.at(3).skeleton);
  const std::string own =
      "for (int y = 0; y < 8; y += 2) { float a = in[y * n + x]; if (a > 0) sum += a * w[y]; else sum -= a; }\n"
      "while (left > 0) { left = left / 2; total[left] = total[left] + total[left * 2 + 1]; __syncthreads(); }\n"
      "out[x * m + y] = sum > limit ? sum : limit; count = count + (sum < 0 ? 1 : 2) * scale[x & 7];\n";
  std::string renamed = own;
  for (size_t at; (at = renamed.find("sum")) != renamed.npos;)
    renamed.replace(at, 3, "acc");
  renamed = "/* mine */ " + renamed.replace(renamed.find(" = 0"), 4, " = 17");
  const std::string other =
      "#pragma unroll\nfor (;;) { if (!next(p)) break; switch (p->kind) { case 1: go(p, q); continue; } --k; }\n"
      "return static_cast<float>(h) * __ldg(&q[k]) - rsqrtf(v.x * v.x + v.y * v.y) + fminf(v.z, 1.0f);\n";
  const std::vector<SimilaritySource> sources = {{1, 1, given + own},
                                                 {2, 2, given + renamed},
                                                 {3, 3, given + other},
                                                 {4, 4, given},
                                                 {1, 5, given + own}};
  const auto pairs = similar_pairs(sources, {given}, 50);
  REQUIRE(pairs.size() ==
          2);  // 1 with 2, and 2 with the first student's other one; never a student with oneself
  CHECK(pairs[0].percent > 80);
  for (const SimilarPair& pair : pairs)
    CHECK((sources[pair.first].person_id == 2 || sources[pair.second].person_id == 2));
  CHECK(normalized_tokens("int sum = 3.5f; // x\n/* y */ foo(\"a\\\"b\");") ==
        "int n = 0 ; n ( s ) ;");
}

TEST_CASE("a class's file is read, and a mistake is reported with its line") {
  const std::string head =
      "[class]\nname = \"a\"\n[[instructor]]\nname = \"I\"\nemail = \"i@e.x\"\n";
  const ClassSpec spec = read_class_text(
      head +
          "[server]\nlisten = \"0.0.0.0:9000\"\n[[assignment]]\nname = \"x\"\nrungs = [\"02/4\", { rung = \"01/1\", "
          "weight = 2 }]\ndue = \"2027-03-01 18:00\"\nlate = { percent_per_day = 10, days = 2 }\n",
      "c.toml", the_course());
  CHECK(spec.port == 9000);
  REQUIRE(spec.assignments.size() == 1);
  CHECK(spec.assignments[0].rungs[0].rung == kRung);
  CHECK(spec.assignments[0].rungs[1].weight == 2);
  CHECK(spec.assignments[0].late_days == 2);
  struct Expected {
    std::string text;
    const char* what;
  };
  const std::string assignment = head + "[[assignment]]\nname = \"x\"\n";
  const Expected rows[] = {
      {"", "[class] is missing"},
      {"[class]\nname = \"a\"\n", "no [[instructor]]"},
      {"[class\n", "c.toml:1"},
      {head + "[[assignmnt]]\n", "\"assignmnt\""},
      {assignment + "rungs = [\"02/4\"]\n", "lacks \"due\""},
      {assignment + "rungs = [\"02/99\"]\ndue = \"2027-03-01 18:00\"\n", "c.toml:8"},
      {assignment + "rungs = []\ndue = \"2027-03-01 18:00\"\n", "\"rungs\" must be"},
      {assignment + "rungs = [\"02/4\"]\ndue = \"1 March\"\n", "\"1 March\" is not a time"},
      {assignment + "rungs = [\"02/4\"]\ndue = \"2027-03-01 18:00\"\nengine = \"tpu\"\n",
       "\"tpu\""},
      {head + "[server]\ndatabase = \"mysql://x\"\n", "postgresql://user@host/name"},
      {head + "[server]\nlisten = \"8180\"\n", "address:port"}};
  for (const Expected& row : rows) {
    INFO(row.text);
    std::string told;
    try {
      read_class_text(row.text, "c.toml", the_course());
    } catch (const std::runtime_error& error) {
      told = error.what();
    }
    INFO(told);
    CHECK(told.find(row.what) != told.npos);
  }
}

}  // namespace ridge::leaderboard
