// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { directory } from "../../src/app/directory.ts";
import { QuestionCard } from "../../src/cards/QuestionCard.tsx";
import { RunCard } from "../../src/cards/RunCard.tsx";
import { ToolCard } from "../../src/cards/ToolCard.tsx";
import type { Owner } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { LanguageProvider } from "../../src/i18n/text.ts";
import { runStanding } from "../../src/rail/run-standing.ts";
import type {
  QuestionCard as QuestionRecord,
  RunCard as RunRecord,
  ToolCard as ToolRecord,
} from "../../src/stream/cards.ts";

const nothing = () => {};
const actions = { resume: nothing, openBotSettings: nothing };

const call = {
  ...{ key: "c", at: 0, runId: "r", startedMs: 0, ok: true, problem: null, text: "", abandoned: false },
} as const;
const tool: ToolRecord = {
  ...call,
  ...{ kind: "tool", finishedMs: null, tool: "trading__propose_orders", arguments: {}, waits: true },
};
const question: QuestionRecord = {
  ...call,
  ...{ kind: "question", finishedMs: 1, open: true, question: { kind: "text", text: "Which?" } },
} as QuestionRecord;
const run = {
  kind: "run",
  key: "run:r",
  at: 0,
  run: { id: "r", state: "waiting_input", reason: "rounds_exhausted", question: { kind: "continue" } },
} as unknown as RunRecord;

function shownTo(role: Owner["role"]) {
  directory.setState({ owner: { role } as Owner });
  return render(
    <LanguageProvider value={{ locale: "en", text: en }}>
      <ToolCard record={tool} />
      <QuestionCard record={question} actions={actions} />
      <RunCard record={run} actions={actions} />
    </LanguageProvider>,
  );
}

afterEach(() => {
  cleanup();
  directory.setState({ owner: null });
});

describe("what waits for a person", () => {
  it("waits for an owner, who decides and answers", () => {
    const page = shownTo("owner");
    expect(page.getAllByText(en.waitingInput)).toHaveLength(3);
    expect(page.queryByText(en.toolWaitsForOwner)).toBeNull();
  });

  it("tells a member that orders wait for an owner, and that what it may answer waits for it", () => {
    const page = shownTo("member");
    page.getByText(en.toolWaitsForOwner);
    expect(page.getAllByText(en.waitingInput)).toHaveLength(2);
  });

  it("never tells a viewer that something waits for it", () => {
    const page = shownTo("viewer");
    page.getByText(en.toolWaitsForOwner);
    expect(page.getAllByText(en.waitingAnswer)).toHaveLength(2);
    expect(page.container.innerHTML).not.toContain(en.waitingInput);
  });

  it("says the same in the list", () => {
    expect(runStanding("waiting_input", en, true).word).toBe(en.waitingInput);
    expect(runStanding("waiting_input", en, false).word).toBe(en.waitingAnswer);
  });
});
