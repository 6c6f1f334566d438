/** Which language a file is in, by its name, and its lines with their colours once these have been loaded. */
import { useEffect, useMemo, useState } from "react";

export interface CodePiece {
  readonly text: string;
  /** `keyword`, `string` and so on; null for what has no colour of its own. */
  readonly kind: string | null;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  ...{
    sh: "bash",
    bash: "bash",
    c: "cpp",
    h: "cpp",
    cc: "cpp",
    cpp: "cpp",
    hpp: "cpp",
    css: "css",
    go: "go",
  },
  ...{ ini: "ini", toml: "ini", cfg: "ini", js: "javascript", mjs: "javascript", jsx: "javascript" },
  ...{ json: "json", py: "python", rs: "rust", sql: "sql", ts: "typescript", tsx: "typescript" },
  ...{ html: "xml", xml: "xml", svg: "xml", yml: "yaml", yaml: "yaml" },
};

/** Longer texts are shown without colours: they would hold up the page. */
const CHARACTERS_MAX = 200_000;

export function languageOf(name: string): string | null {
  return LANGUAGES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? null;
}

type Colour = (text: string, language: string) => CodePiece[][];

let loaded: Colour | null = null;

/** What colours lines, or null until it is there or where there is no language. */
function useColour(language: string | null): Colour | null {
  const [colour, setColour] = useState<Colour | null>(() => loaded);
  useEffect(() => {
    if (language === null || colour !== null) return;
    let stale = false;
    void import("./highlight.ts").then(({ codeLines }) => {
      loaded = codeLines;
      if (!stale) setColour(() => codeLines);
    });
    return () => {
      stale = true;
    };
  }, [language, colour]);
  return language === null ? null : colour;
}

/** Each text's lines in colour; null where they have none, or not yet. */
export function useCodeLines(texts: readonly string[], name: string): (CodePiece[][] | null)[] {
  const language = languageOf(name);
  const colour = useColour(language);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts are what they say
  return useMemo(
    () =>
      texts.map((text) =>
        colour === null || language === null || text.length > CHARACTERS_MAX ? null : colour(text, language),
      ),
    [texts.join("\0"), colour, language],
  );
}
