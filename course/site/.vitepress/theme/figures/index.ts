// The figures that pages can use by name.
import type { App } from "vue";

import BankCalculator from "./BankCalculator.vue";
import OccupancyCalculator from "./OccupancyCalculator.vue";
import RooflineCalculator from "./RooflineCalculator.vue";
import SectorCalculator from "./SectorCalculator.vue";
import TraceDrop from "./TraceDrop.vue";
import TraceFigure from "./TraceFigure.vue";
import "./figures.css";

export function registerFigures(app: App) {
  const figures = { BankCalculator, OccupancyCalculator, RooflineCalculator, SectorCalculator, TraceDrop, TraceFigure };
  for (const [name, figure] of Object.entries(figures)) app.component(name, figure);
}
