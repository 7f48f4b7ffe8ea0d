// Everything that knows the views follows trace/view_table.h: keys, tabs, the program's options, Compare.
#include "trace/view_table.h"

#include "tests/catch.h"
#include "tests/visualizer/look.h"

namespace ridge::view {

TEST_CASE("every view of the table has a key, a tab, a drawing and a name that opens it") {
  const auto views = make_views();
  REQUIRE(views.size() == trace::kViews.size());
  Look look(std::vector<HandMade>{{}});
  for (size_t k = 0; k < trace::kViews.size(); ++k) {
    const trace::ViewDescription& view = trace::kViews[k];
    INFO(view.id);
    CHECK(views[k]->id() == view.id);
    CHECK(views[k]->needs_trace() == !view.works_without_trace);
    CHECK_FALSE(views[k]->sentence().empty());
    CHECK_FALSE(views[k]->legend().empty());
    look.key(trace::view_key(k));
    CHECK(look.app.session().view == view.id);
    CHECK(look.seen.find("view/" + std::string(view.id)));
    look.app.show_view(view.id);
    CHECK(look.app.session().message.empty());
    CHECK(trace::find_view_description(view.id) == &view);
  }
  CHECK(trace::find_view_description("nothing") == nullptr);
}

TEST_CASE("Compare goes through the views that compare, and back to that of the access") {
  Look look(std::vector<HandMade>{{}});
  look.app.session().show(hand_made({{}}));
  look.app.show_view("compare");
  std::vector<std::string> seen = {look.app.session().compared};
  for (const trace::ViewDescription& view : trace::kViews) {
    if (!view.compares) continue;
    look.key('v');
    CHECK(look.app.session().compared == view.id);
    CHECK(look.app.session().command().find("compare/" + std::string(view.id)) != std::string::npos);
  }
  look.key('v');
  CHECK(look.app.session().compared.empty());
}

TEST_CASE("the program's options are the ids, and Compare with each view that can stand in it twice") {
  const std::vector<std::string> options = trace::view_options();
  size_t compares = 0;
  for (const trace::ViewDescription& view : trace::kViews)
    compares += view.compares;
  CHECK(options.size() == trace::kViews.size() + compares);
  CHECK(options.front() == "warp");
  CHECK(std::find(options.begin(), options.end(), "compare/arrays") != options.end());
}

}  // namespace ridge::view
