#include "visualizer/session/selection.h"

namespace ridge::view {

Selection Selection::over(const Selection& below) const {
  Selection both = *this;
  const auto fill = [](auto& field, const auto& other) {
    if (!field) field = other;
  };
  fill(both.lane, below.lane);
  fill(both.sector, below.sector);
  fill(both.bank, below.bank);
  fill(both.word, below.word);
  fill(both.line, below.line);
  fill(both.instruction, below.instruction);
  fill(both.access, below.access);
  fill(both.block, below.block);
  fill(both.array, below.array);
  fill(both.run, below.run);
  fill(both.link, below.link);
  fill(both.level, below.level);
  return both;
}

}  // namespace ridge::view
