// @vitest-environment happy-dom
import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, it, vi } from "vitest";
import type { Routine, RoutineFiring } from "../../src/contracts.ts";
import { LanguageProvider } from "../../src/i18n/text.ts";
import { zhHant } from "../../src/i18n/zh-Hant.ts";
import { RoutineHistory } from "../../src/routines/RoutineHistory.tsx";

const firing = (part: Partial<RoutineFiring>): RoutineFiring => ({
  ...{ id: 1, due_ms: 0, at_ms: 0, by: "schedule", outcome: "check_failed" },
  ...part,
});

function shown(...items: RoutineFiring[]) {
  vi.stubGlobal("fetch", async () => Response.json({ items, more: false }));
  return render(
    <LanguageProvider value={{ locale: "zh-Hant", text: zhHant }}>
      <RoutineHistory routine={{ id: "r", bot_id: "b", last: items[0] ?? null } as Routine} />
    </LanguageProvider>,
  );
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe("what came of a routine", () => {
  it("says in the person's language why a check could not be made", async () => {
    const details = { reason: "check_status", status: 503 };
    const page = shown(firing({ note: "The address answered with 503.", details }));
    await page.findByText("這個位址回答了 503。");
  });

  it("names the check that did not hold", async () => {
    const page = shown(firing({ outcome: "check", note: "price" }));
    await page.findByText(zhHant.routine.checkKinds.price);
  });

  it("keeps the sentence of what was written down without a reason", async () => {
    const page = shown(firing({ note: "It was so before." }));
    await page.findByText("It was so before.");
  });
});
