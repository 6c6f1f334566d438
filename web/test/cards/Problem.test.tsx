// @vitest-environment happy-dom
import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Problem } from "../../src/cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { LanguageProvider } from "../../src/i18n/text.ts";

const KEPT = en.errors.computer_unavailable.advice;

function said(part: Partial<ProblemRecord>) {
  const language = { locale: "en" as const, text: en };
  return render(
    <LanguageProvider value={language}>
      <Problem problem={{ code: "computer_unavailable", message: "No.", ...part }} />
    </LanguageProvider>,
  ).container.textContent;
}

describe("Problem", () => {
  it("says that files are kept where a computer did not start", () => {
    expect(said({})).toContain(KEPT);
  });

  it("does not say so where they could not be brought back", () => {
    const text = said({ details: { reason: "files_unavailable" } });
    expect(text).toContain(en.computerFilesAdvice);
    expect(text).not.toContain(KEPT);
  });

  it("says what of an allowance is used up, when the next begins and what still works", () => {
    const text = said({
      code: "computer_allowance_exhausted",
      details: {
        balance_micro: -1,
        spent_micro: 20_000_001,
        monthly_micro: 20_000_000,
        resets_ms: Date.UTC(2026, 10, 30, 23),
        time_zone: "Europe/Berlin",
      },
    });
    expect(text).toContain(en.exhaustedSpent("$20.00", "$20.00"));
    expect(text).toContain(en.exhaustedResets("Dec 1, 2026", "$20.00"));
    expect(text).toContain(en.allowanceStillWorks);
  });
});
