/**
 * How the page is built. `--mode gallery` builds a second page that shows every card in every state, for
 * looking at and for tests; it is not part of what is deployed.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { shell } from "./scripts/shell.ts";

/** What every part of the page needs: React, and what makes an icon of its paths. */
const EVERYWHERE =
  /node_modules[\\/]((react|react-dom|scheduler)[\\/]|lucide-react[\\/].*[\\/](createLucideIcon|Icon|context|defaultAttributes|shared)\b)/;

const api = process.env.BERTH_API ?? "http://127.0.0.1:8787";

/** Puts Swagger UI beside the page, as it is, for /api/docs: nothing is loaded from anybody else. */
function swagger(): Plugin {
  const require = createRequire(import.meta.url);
  return {
    name: "swagger",
    generateBundle() {
      for (const file of ["swagger-ui.css", "swagger-ui-bundle.js"]) {
        const source = readFileSync(require.resolve(`swagger-ui-dist/${file}`));
        this.emitFile({ type: "asset", fileName: `swagger/${file}`, source });
      }
    },
  };
}

export default defineConfig(({ mode }) => ({
  plugins: [react(), swagger(), shell()],
  build: {
    target: "es2022",
    manifest: true,
    modulePreload: { polyfill: false },
    outDir: mode === "gallery" ? "dist-gallery" : "dist",
    // Small icons stay files: a data address would have to be allowed in more places.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: mode === "gallery" ? ["index.html", "gallery.html"] : ["index.html"],
      output: {
        codeSplitting: {
          groups: [{ name: "react", test: EVERYWHERE }],
        },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: api, ws: true, changeOrigin: true, headers: { Origin: api } } },
  },
}));
