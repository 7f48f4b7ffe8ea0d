// What a board keeps between changes is what a new one would show.
#include <fmt/format.h>

#include <random>

#include "leaderboard/boards/changed_people.h"
#include "tests/catch.h"
#include "tests/leaderboard/class_fixture.h"

namespace ridge::leaderboard {

using nlohmann::json;

namespace {

constexpr const char* kOtherRung = "02-coalescing/1-unit-stride";
constexpr const char* kTexts[] = {"/api/v1/classes/gpu/assignments/coalescing/board",
                                  "/api/v1/classes/gpu/assignments/coalescing/board?names=1",
                                  "/api/v1/classes/gpu/stuck"};

// The answers of the fixture's server, and those of one that has just started.
void check_against_a_new_server(ClassFixture& fixture) {
  AppOptions options;
  options.now_ms = [&fixture] { return fixture.now_ms; };
  App fresh(fixture.database(), the_course(), options);
  for (const std::string path : kTexts) {
    Request request{"GET", path, {}, {{"authorization", "Bearer " + fixture.instructor}}, "", ""};
    if (const size_t mark = path.find('?'); mark != path.npos) {
      request.path = path.substr(0, mark);
      request.query["names"] = "1";
    }
    INFO(path);
    const std::string kept = fixture.send(request).response.body;
    CHECK(json::parse(kept) == json::parse(fresh.handle(request).body));
    CHECK(fixture.send(request).response.body == kept);
  }
}

}  // namespace

TEST_CASE("after every change the kept boards are those of a new server", "[store]") {
  ClassFixture fixture;
  std::mt19937 random(Catch::rngSeed());
  const auto draw = [&](int below) { return static_cast<int>(random() % below); };
  struct Student {
    int64_t id;
    std::string token;
    std::vector<int64_t> submissions;
  };
  std::vector<Student> students;
  for (int i = 0; i < 6; ++i) {
    const int64_t id =
        fixture.add_student(fmt::format("Student {}", i), fmt::format("s{}@example.org", i));
    students.push_back({id, fixture.token_of(id), {}});
  }
  const std::string assignment = "/api/v1/classes/gpu/assignments/coalescing";
  bool frozen = false;
  for (int step = 0; step < 60; ++step) {
    fixture.now_ms += 60'000;  // the limit of submissions per minute
    const int kind = step == 40 ? 9 : draw(9);
    INFO("step " << step << " of kind " << kind << ", seed " << Catch::rngSeed());
    Student& one = students[static_cast<size_t>(draw(static_cast<int>(students.size())))];
    if (kind <= 4) {
      const char* verdicts[] = {"PASS", "GOLD", "SLOW", "WRONG"};
      const bool gpu = draw(3) == 0;
      one.submissions.push_back(
          fixture.graded(one.token, verdicts[draw(4)], 10 + draw(80), draw(2) ? kRung : kOtherRung,
                         gpu ? "gpu" : "virtual", gpu ? "NVIDIA H200" : "H200 (virtual)"));
    } else if (kind == 5 && !one.submissions.empty()) {
      const int64_t id =
          one.submissions[static_cast<size_t>(draw(static_cast<int>(one.submissions.size())))];
      const bool valid = draw(2) == 0;
      CHECK(fixture
                .ask("POST", fmt::format("/api/v1/submissions/{}/validity", id), fixture.instructor,
                     {{"valid", valid}, {"reason", "shared code"}})
                .status == 200);
    } else if (kind == 6) {
      CHECK(fixture
                .ask("PUT", "/api/v1/classes/gpu/me", one.token,
                     {{"nickname", fmt::format("nick {}", step)}, {"anonymous", draw(2) == 0}})
                .status == 200);
    } else if (kind == 7) {
      frozen = !frozen;
      CHECK(fixture.ask("PUT", assignment + "/freeze", fixture.instructor, {{"frozen", frozen}})
                .status == 200);
    } else if (kind == 8) {
      const std::string csv =
          fmt::format("name,email\nRenamed {},s{}@example.org\n", step, draw(6));
      CHECK(fixture
                .ask("POST", "/api/v1/classes/gpu/roster", fixture.instructor,
                     {{"csv", csv}, {"apply", true}})
                .status == 200);
    } else if (kind == 9) {
      CHECK(fixture
                .ask("DELETE", fmt::format("/api/v1/classes/gpu/students/{}", students[0].id),
                     fixture.instructor, json::object())
                .status == 200);
      students.erase(students.begin());
    }
    check_against_a_new_server(fixture);
  }
}

TEST_CASE("those who changed since a version are named, or everybody is") {
  ChangedPeople changed;
  CHECK(changed.since(0) == std::set<int64_t>{});
  changed.note(7);
  changed.note(8);
  CHECK(changed.since(0) == std::set<int64_t>{7, 8});
  CHECK(changed.since(1) == std::set<int64_t>{8});
  CHECK(changed.since(2) == std::set<int64_t>{});
  changed.note(0);
  CHECK_FALSE(changed.since(2).has_value());
  CHECK(changed.since(3) == std::set<int64_t>{});
  for (int64_t person = 1; person <= 5000; ++person)
    changed.note(person);
  CHECK_FALSE(changed.since(3).has_value());  // too many to remember
  CHECK(changed.since(changed.version() - 2) == std::set<int64_t>{4999, 5000});
}

}  // namespace ridge::leaderboard
