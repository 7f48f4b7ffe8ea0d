// The theme: VitePress's default one with the fonts of the reader's system, and what the course adds.
import DefaultTheme from "vitepress/theme-without-fonts";
import type { Theme } from "vitepress";

import Layout from "./Layout.vue";
import FirstPage from "./FirstPage.vue";
import RungSpoiler from "./RungSpoiler.vue";
import { registerFigures } from "./figures";
import QuizBlock from "./quiz/QuizBlock.vue";
import QuizScore from "./quiz/QuizScore.vue";
import "./style.css";
import "./print.css";

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    for (const [name, component] of Object.entries({ FirstPage, RungSpoiler, QuizBlock, QuizScore })) app.component(name, component);
    registerFigures(app);
  },
} satisfies Theme;
