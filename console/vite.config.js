// SPDX-License-Identifier: Apache-2.0

import { defineConfig } from "vite";

// All links are relative, so that the console works below any path. Names of files stay the same from build to build: the server tells browsers when one
// has changed, and a difference in git is one of content.
export default defineConfig({
  base: "./",
  server: { proxy: { "/api": { target: process.env.WEFT_ADMIN ?? "http://127.0.0.1:8080" } } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    reportCompressedSize: false,
    rollupOptions: {
      output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" },
    },
  },
});
