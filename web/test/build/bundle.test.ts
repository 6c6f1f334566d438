/** What is delivered: how large it is, and that it asks nobody but its own server. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Manifest } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const KB = 1_024;
const root = fileURLToPath(new URL("../..", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "berth-web-"));
let manifest: Manifest;

const read = (file: string) => readFileSync(join(out, file));
const zipped = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(read(file), { level: 9 }).length, 0);

/** The chunk and everything it needs before it can run. */
function closure(key: string, seen = new Set<string>()): Set<string> {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const needed of manifest[key]?.imports ?? []) closure(needed, seen);
  return seen;
}

const scripts = (keys: Iterable<string>) => new Set([...keys].flatMap((key) => manifest[key]?.file ?? []));
const lazy = (key: string) => {
  const shell = closure("index.html");
  return scripts([...closure(key)].filter((needed) => !shell.has(needed)));
};

beforeAll(() => {
  // In a process of its own: a test's environment would get React's development build.
  const vite = fileURLToPath(import.meta.resolve("vite/package.json")).replace("package.json", "bin/vite.js");
  const options = ["build", "--outDir", out, "--emptyOutDir", "--logLevel", "error"];
  execFileSync(process.execPath, [vite, ...options], { cwd: root, env: { PATH: process.env.PATH } });
  manifest = JSON.parse(read(".vite/manifest.json").toString()) as Manifest;
});

afterAll(() => rmSync(out, { recursive: true }));

describe("the budget", () => {
  it("of the first load is kept", () => {
    expect(zipped(scripts(closure("index.html")))).toBeLessThanOrEqual(150 * KB);
    expect(zipped(manifest["index.html"]?.css ?? [])).toBeLessThanOrEqual(10 * KB);
  });

  it.each([
    ["src/cards/Markdown.tsx", 55],
    ["src/cards/TablePreview.tsx", 10],
    ["src/computer/ComputerView.tsx", 60],
    ["src/computer/TerminalScreen.tsx", 135],
    ["src/ui/MenuPopup.tsx", 45],
    ["src/rail/BotDialog.tsx", 40],
    ["src/i18n/en.ts", 20],
    ["src/i18n/zh-Hans.ts", 20],
    ["src/i18n/zh-Hant.ts", 20],
  ])("of %s is kept", (key, kilobytes) => {
    const files = lazy(key);
    expect(files.size).toBeGreaterThan(0);
    expect(zipped(files)).toBeLessThanOrEqual(kilobytes * KB);
  });
});

describe("the page", () => {
  it("has no script and no style of its own in the document", () => {
    const html = read("index.html").toString();
    expect(html).not.toMatch(/<style|style="|<script(?![^>]*\bsrc=)|\son\w+=/);
  });

  it("asks nobody but its own server", () => {
    const html = read("index.html").toString();
    expect(html.match(/(?:src|href)="(?!\/)[^"]*"/g)).toBeNull();
    const sheets = readdirSync(join(out, "assets")).filter((name) => name.endsWith(".css"));
    expect(sheets.length).toBeGreaterThan(0);
    for (const name of sheets) expect(read(`assets/${name}`).toString()).not.toMatch(/url\(|@import/);
  });

  it("is served under a policy that allows only itself", () => {
    const headers = read("_headers").toString();
    expect(headers).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(headers).not.toMatch(/unsafe|https?:|\*\.|wss?:/);
    expect(headers).toContain("Permissions-Policy: camera=(), microphone=(self), geolocation=()");
  });

  it("leaves the gallery out", () => {
    expect(Object.keys(manifest).some((key) => key.includes("gallery"))).toBe(false);
  });
});
