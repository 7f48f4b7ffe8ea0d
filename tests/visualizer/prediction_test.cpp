// P: what is hidden while a guess is asked for.
#include "tests/catch.h"
#include "tests/visualizer/look.h"

namespace ridge::view {

TEST_CASE("during a guess no view shows a cost, in text, colour or tooltip") {
  for (const char* view : {"warp", "pyramid", "grid", "accesses", "compare", "compare/accesses"}) {
    INFO(view);
    Look look(std::vector<HandMade>{{.stride = 128}}, "warp");
    look.app.session().show(hand_made({{.stride = 128}}), true);
    look.app.session().look_at(view);
    const auto told = [&] {
      std::string text = look.seen.all_text();
      for (const Region& region : look.seen.regions())
        if (region.tooltip) text += region.tooltip() + "\n";
      size_t costs = 0;
      for (const char* words : {"4 would do", "32 sectors", "8x", "32 / 4"})
        costs += text.find(words) != std::string::npos;
      for (const Shape& shape : look.seen.shapes())
        costs += (shape.kind == ShapeKind::text || shape.kind == ShapeKind::box) &&
                 shape.color == look.app.theme().waste;
      return costs;
    };
    look.key('p');
    INFO(look.seen.all_text());
    CHECK(told() == 0);
    look.key('3');
    look.key('2');
    look.key(KeyCode::enter);
    look.app.session().look_at(view);
    look.again();
    CHECK(told() > 0);
  }
}

}  // namespace ridge::view
