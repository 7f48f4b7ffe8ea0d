// The pages are static files for the class server: no inline script or style, which its CSP would refuse.
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [vue()],
  base: "/",
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, emptyOutDir: true, chunkSizeWarningLimit: 700 },
  define: { __VUE_OPTIONS_API__: "false", __VUE_PROD_DEVTOOLS__: "false" },
});
