// @vitest-environment happy-dom
import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { QuestionCard } from "../../src/cards/QuestionCard.tsx";
import { en } from "../../src/i18n/en.ts";
import { LanguageProvider } from "../../src/i18n/text.ts";
import type { QuestionCard as QuestionRecord } from "../../src/stream/cards.ts";

const record: QuestionRecord = {
  kind: "question",
  key: "c",
  at: 0,
  runId: "r",
  startedMs: 0,
  finishedMs: 1,
  ok: true,
  problem: null,
  text: "",
  abandoned: false,
  open: true,
  question: { kind: "choice", text: "Which\u202e of\nthe two?", choices: ["all\u202egnihton", "none"] },
};

describe("QuestionCard", () => {
  it("lets neither a question nor a choice pass for another one, and sends the choice as it is", () => {
    const sent: string[] = [];
    const actions = { resume: (text: string) => sent.push(text), openBotSettings: () => {} };
    const { container, getByText } = render(
      <LanguageProvider value={{ locale: "en", text: en }}>
        <QuestionCard record={record} actions={actions} />
      </LanguageProvider>,
    );
    expect(container.textContent).toContain("Which⟨202E⟩ of\nthe two?");
    getByText("all⟨202E⟩gnihton").click();
    expect(sent).toEqual(["all\u202egnihton"]);
  });
});
