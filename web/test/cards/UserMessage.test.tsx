// @vitest-environment happy-dom
import { cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { Unreachable } from "../../src/api/http.ts";
import { directory } from "../../src/app/directory.ts";
import { type MessageActions, UserMessage } from "../../src/cards/UserMessage.tsx";
import type { BranchCreate, Owner } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { zhHantReasons } from "../../src/i18n/reasons/zh-Hant.ts";
import { type Language, LanguageProvider } from "../../src/i18n/text.ts";
import { zhHant } from "../../src/i18n/zh-Hant.ts";
import type { UserCard } from "../../src/stream/cards.ts";

const nothing = () => {};

afterEach(cleanup);

function shown(
  key: string,
  branch: MessageActions["branch"],
  part: Partial<UserCard> = {},
  language: Language = { locale: "en", text: en },
) {
  const record: UserCard = {
    ...{ kind: "user", key, at: 0, seq: 7, runId: "r", text: "one", uploads: [] },
    ...{ send: null, problem: null, queued: false, model: null, effort: null },
    ...part,
  };
  const actions = { retry: nothing, discard: nothing, quote: nothing, branch };
  return render(
    <LanguageProvider value={language}>
      <UserMessage record={record} actions={actions} />
    </LanguageProvider>,
  );
}

describe("a message that is written anew", () => {
  it("keeps what was written until it has arrived, and is sent once more as the same one", async () => {
    const sent: BranchCreate[] = [];
    const page = shown("kept", async (branch) => {
      sent.push(branch);
      if (sent.length === 1) throw new Unreachable();
    });
    fireEvent.click(page.getByLabelText(en.editMessage));
    expect(document.activeElement).toBe(page.getByRole("textbox"));
    fireEvent.change(page.getByRole("textbox"), { target: { value: "two" } });
    fireEvent.click(page.getByText(en.send));
    await page.findByText(en.unreachable.title);
    expect(page.getByRole<HTMLTextAreaElement>("textbox").value).toBe("two");
    fireEvent.click(page.getByText(en.send));
    await page.findByLabelText(en.editMessage);
    expect(sent.map(({ text }) => text)).toEqual(["two", "two"]);
    expect(sent[1]?.client_id).toBe(sent[0]?.client_id);
  });

  it("makes one branch of two clicks, and Escape goes back to where it was opened", () => {
    let sent = 0;
    const page = shown("once", () => {
      sent += 1;
      return new Promise(nothing);
    });
    fireEvent.click(page.getByLabelText(en.editMessage));
    fireEvent.keyDown(page.getByRole("textbox"), { key: "Escape" });
    expect(document.activeElement).toBe(page.getByLabelText(en.editMessage));
    fireEvent.click(page.getByLabelText(en.sendAgain));
    fireEvent.click(page.getByLabelText(en.sendAgain));
    expect(sent).toBe(1);
  });
});

describe("a message to somebody who may only read", () => {
  afterEach(() => directory.setState({ owner: null }));

  it("can be copied, and neither quoted nor written anew", () => {
    directory.setState({ owner: { role: "viewer" } as Owner });
    const page = shown("read", () => Promise.reject(new Unreachable()));
    page.getByLabelText(en.copyMessage);
    expect(page.getAllByRole("button")).toHaveLength(1);
  });
});

describe("a message that was refused", () => {
  it("says why in the person's language", async () => {
    const problem = {
      ...{ code: "not_found", message: "This thread is not there." },
      details: { reason: "thread_gone" },
    } as const;
    const language = { locale: "zh-Hant", text: zhHant } as const;
    const page = shown("refused", async () => {}, { send: "failed", problem }, language);
    await page.findByText(zhHantReasons.thread_gone, { exact: false });
  });
});
