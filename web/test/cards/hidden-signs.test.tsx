// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, describe, expect, it } from "vitest";
import { ArtifactView } from "../../src/cards/ArtifactCard.tsx";
import { CodeLine } from "../../src/cards/CodeLine.tsx";
import { FileCard } from "../../src/cards/FileCard.tsx";
import { Output } from "../../src/cards/Output.tsx";
import { TerminalCard } from "../../src/cards/TerminalCard.tsx";
import type { Artifact } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { LanguageProvider } from "../../src/i18n/text.ts";
import type { FileCard as FileRecord, TerminalCard as TerminalRecord } from "../../src/stream/cards.ts";
import { EMPTY_TAIL } from "../../src/stream/tail.ts";

const TURNED = "a\u202egpj.exe";
const SHOWN = "a⟨202E⟩gpj.exe";
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/;

const call = {
  ...{ key: "c", at: 0, runId: "r", startedMs: 0, finishedMs: 1, ok: true, problem: null, abandoned: false },
} as const;
const file: FileRecord = {
  ...call,
  ...{ kind: "file", action: "read", path: TURNED, content: "x", change: null, picture: null, text: "" },
};
const command: TerminalRecord = {
  ...call,
  ...{ kind: "terminal", command: `rm ${TURNED}\necho`, tail: EMPTY_TAIL, result: null, text: "" },
};
const artifact: Artifact = {
  ...{ id: "art", name: TURNED, media_type: "application/octet-stream", size: 1 },
} as Artifact;

afterEach(cleanup);

describe("what turns the direction of writing", () => {
  it.each<[string, ReactNode]>([
    ["output", <Output key="o" lines={[`\u001b[31m${TURNED}\u001b[0m`, TURNED]} label="o" tall />],
    ["a line of source", <CodeLine key="l" text={TURNED} pieces={null} />],
    ["a coloured line", <CodeLine key="p" text={TURNED} pieces={[{ text: TURNED, kind: "string" }]} />],
    ["the path of a file", <FileCard key="f" record={file} />],
    ["a command", <TerminalCard key="t" record={command} />],
    ["the name of a result", <ArtifactView key="a" artifact={artifact} />],
  ])("is shown in %s", (_, node) => {
    const { container } = render(
      <LanguageProvider value={{ locale: "en", text: en }}>{node}</LanguageProvider>,
    );
    expect(container.textContent).toContain(SHOWN);
    expect(container.textContent).not.toMatch(UNSEEN);
  });
});
