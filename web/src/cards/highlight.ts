/** Colours of source text: lines of pieces, each with the kind of thing that it is. Loaded when first asked for. */
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import type { CodePiece } from "./code-lines.ts";

const lowlight = createLowlight({
  ...{ bash, cpp, css, go, ini, javascript, json, python },
  ...{ rust, sql, typescript, xml, yaml },
});

type Tree = ReturnType<typeof lowlight.highlight>;
type Node = Tree["children"][number];

/** What the style sheet knows; others look like the text around them. */
const KINDS: Readonly<Record<string, string>> = {
  "hljs-keyword": "keyword",
  "hljs-literal": "keyword",
  "hljs-built_in": "name",
  "hljs-type": "name",
  "hljs-attr": "name",
  "hljs-attribute": "name",
  "hljs-tag": "name",
  "hljs-name": "name",
  "hljs-section": "title",
  "hljs-title": "title",
  "hljs-selector-class": "title",
  "hljs-string": "string",
  "hljs-regexp": "string",
  "hljs-number": "number",
  "hljs-symbol": "number",
  "hljs-comment": "comment",
  "hljs-meta": "comment",
};

function kindOf(node: Node, around: string | null): string | null {
  const names = node.type === "element" ? node.properties.className : null;
  const found = Array.isArray(names) ? names.map((name) => KINDS[String(name)]).find(Boolean) : undefined;
  return found ?? around;
}

function* piecesOf(nodes: readonly Node[], around: string | null): Iterable<CodePiece> {
  for (const node of nodes) {
    if (node.type === "text") yield { text: node.value, kind: around };
    else if (node.type === "element") yield* piecesOf(node.children as Node[], kindOf(node, around));
  }
}

export function codeLines(text: string, language: string): CodePiece[][] {
  const lines: CodePiece[][] = [[]];
  for (const { text: whole, kind } of piecesOf(lowlight.highlight(language, text).children, null)) {
    for (const [index, part] of whole.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, kind });
    }
  }
  return lines;
}
