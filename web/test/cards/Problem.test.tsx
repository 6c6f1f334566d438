// @vitest-environment happy-dom
import { render, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Problem } from "../../src/cards/Problem.tsx";
import type { Problem as ProblemRecord } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { type Language, LanguageProvider } from "../../src/i18n/text.ts";
import { zhHans } from "../../src/i18n/zh-Hans.ts";

const KEPT = en.errors.computer_unavailable.advice;

function said(part: Partial<ProblemRecord>, language: Language = { locale: "en", text: en }) {
  return render(
    <LanguageProvider value={language}>
      <Problem problem={{ code: "computer_unavailable", message: "No.", ...part }} />
    </LanguageProvider>,
  ).container.textContent;
}

/** What it says once the sentences of the language are there. */
async function saidAtLast(part: Partial<ProblemRecord>, language: Language): Promise<string> {
  const { container } = render(
    <LanguageProvider value={language}>
      <Problem problem={{ code: "computer_unavailable", message: "No.", ...part }} />
    </LanguageProvider>,
  );
  await waitFor(() => expect(container.querySelector("p")?.textContent).not.toBe(""));
  return container.textContent ?? "";
}

describe("Problem", () => {
  it("says that files are kept where a computer did not start", () => {
    expect(said({})).toContain(KEPT);
  });

  it("says why trading refused something in the person's language, by its code", async () => {
    const refused = { code: "forbidden", message: "Trading is halted." } as const;
    const chinese = { locale: "zh-Hans", text: zhHans } as const;
    const text = said({ ...refused, details: { reason: "halted" } }, chinese);
    expect(text).toBe(zhHans.errors.forbidden.title + zhHans.tradingRefused.halted);
    // A reason of a newer server is told in its words.
    const newer = await saidAtLast({ ...refused, details: { reason: "full_moon" } }, chinese);
    expect(newer).toContain("Trading is halted.");
  });

  it("says what the server says in the person's language, by its reason and facts", async () => {
    const chinese = { locale: "zh-Hans", text: zhHans } as const;
    const message = "There is no file 'a.txt' in the workspace.";
    const gone = { code: "not_found", message, details: { reason: "no_file", path: "'a.txt'" } } as const;
    expect(said(gone)).toContain(message);
    const text = await saidAtLast(gone, chinese);
    expect(text).toContain("工作区里没有 'a.txt' 这个文件。");
    expect(text).not.toContain("There is no file");
    // A reason of a newer server, and what is no reason, are told in its words.
    for (const reason of ["newer", "constructor", 1, null])
      expect(await saidAtLast({ ...gone, details: { reason } }, chinese)).toContain(message);
  });

  it("says reasons that are facts of a reason, and leaves out what is neither text nor number", async () => {
    const chinese = { locale: "zh-Hans", text: zhHans } as const;
    const why = { reason: "order_too_small", value: "6.3", least: 10 };
    const details = {
      reason: "orders_illegal",
      orders: [
        { reason: "order_wrong", n: 1, why },
        { reason: "order_wrong", n: 2, why: { wild: true } },
      ],
    };
    const text = await saidAtLast({ code: "invalid_request", message: "No.", details }, chinese);
    expect(text).toContain("第 1 笔：金额 6.3 USDC 低于最低的 10；第 2 笔：…");
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
