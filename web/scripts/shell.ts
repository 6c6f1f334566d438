/**
 * Tells the service worker what the page is made of: the parts that it keeps for when there is no server.
 *
 * All of them: a part that is missing when it is wanted would take the page down, and which ones are wanted without a
 * server (a card, a dialog, the palette) changes with every change of the page.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin, Rolldown } from "vite";

const SOURCE = fileURLToPath(new URL("../worker/service-worker.js", import.meta.url));

const FILES = ["/icon.svg", "/manifest.webmanifest"];

type Bundle = Rolldown.OutputBundle;

/** The chunk, what it loads at once or on demand, and their styles. */
function closure(bundle: Bundle, name: string, seen = new Set<string>()): Set<string> {
  const chunk = bundle[name];
  if (seen.has(name) || chunk?.type !== "chunk") return seen;
  seen.add(name);
  for (const sheet of chunk.viteMetadata?.importedCss ?? []) seen.add(sheet);
  for (const needed of [...chunk.imports, ...chunk.dynamicImports]) closure(bundle, needed, seen);
  return seen;
}

/** The same rule as in the worker. */
const partsOf = (html: string): string => [...new Set(html.match(/\/assets\/[\w.-]+/g))].sort().join(" ");

export function shell(): Plugin {
  return {
    name: "shell",
    enforce: "post",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const document = bundle["index.html"];
        if (document?.type !== "asset") throw new Error("the page was not built");
        const html = document.source.toString();
        const entries = Object.values(bundle).filter((one) => one.type === "chunk" && one.isEntry);
        const entry = entries.find(({ fileName }) => html.includes(`src="/${fileName}"`));
        if (entry === undefined) throw new Error("the page names none of the scripts that were built");
        const seen = closure(bundle, entry.fileName);
        const files = [...FILES, ...[...seen].sort().map((name) => `/${name}`)];
        const source = readFileSync(SOURCE, "utf8");
        const version = createHash("sha256").update(html).update(files.join()).update(source).digest("hex");
        const told = JSON.stringify({ version: version.slice(0, 16), parts: partsOf(html), files });
        this.emitFile({
          type: "asset",
          fileName: "service-worker.js",
          source: `const SHELL = ${told};\n${source}`,
        });
      },
    },
  };
}
