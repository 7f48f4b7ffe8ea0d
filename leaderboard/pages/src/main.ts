// Starts the pages.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import "./tables.css";

import { createApp } from "vue";

import App from "./App.vue";
import { applyTheme, savedTheme } from "./theme";

applyTheme(savedTheme());
createApp(App).mount("#app");
