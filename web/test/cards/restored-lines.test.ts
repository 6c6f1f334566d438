import { describe, expect, it } from "vitest";
import { restoredLines } from "../../src/cards/restored-lines.ts";
import type { Restored } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { zhHans } from "../../src/i18n/zh-Hans.ts";

const time = (ms: number) => `at ${ms}`;
const lines = (part: Partial<Restored> & Pick<Restored, "source">) =>
  restoredLines({ woke_ms: 9, ...part }, en, time);

describe("restoredLines", () => {
  it("says what a stop cost", () => {
    expect(lines({ source: "snapshot", lost_ms: 5, as_of_ms: 3 })).toEqual([
      "It stopped unexpectedly (at 5), before its files were saved.",
      "Its files are as they were at at 3. Later changes are gone.",
    ]);
  });

  it("calls nothing lost where a backup has all that was saved", () => {
    expect(
      lines({ source: "backup", as_of_ms: 3, unusable: ["snapshot_failed", "snapshot_failed"] }),
    ).toEqual([
      "It did not start from its snapshot.",
      "Its files come from a backup and are as they were at at 3.",
      "What was elsewhere than in /workspace and the home folder did not come back.",
    ]);
  });

  it("says that an older backup is older, and counts what is missing", () => {
    const said = lines({
      source: "backup",
      as_of_ms: 3,
      older: true,
      unusable: ["backup_damaged"],
      missing: 1,
    });
    expect(said).toContain("A newer backup was damaged.");
    expect(said).toContain(
      "Its files come from a backup and are as they were at at 3. Later changes are gone.",
    );
    expect(said.at(-1)).toBe("1 file did not come back.");
  });

  it("never passes an empty workspace off as the owner's", () => {
    expect(lines({ source: "fresh", lost_ms: 5 }).at(-1)).toBe(
      "Nothing had been saved before, so its workspace is a fresh one.",
    );
  });

  it("has a sentence for every reason in Chinese too", () => {
    const said = restoredLines({ source: "backup", woke_ms: 9, as_of_ms: 3, older: true }, zhHans, time);
    expect(said[0]).toBe("文件来自备份，恢复到 at 3 的状态。之后的改动已丢失。");
    expect(Object.keys(zhHans.restoredUnusable)).toEqual(Object.keys(en.restoredUnusable));
  });
});
