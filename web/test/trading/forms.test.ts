import { describe, expect, it } from "vitest";
import type { TradingAccount } from "../../src/contracts.ts";
import { en } from "../../src/i18n/en.ts";
import { agentWord, isAddress, isKey, mayTrade, short } from "../../src/trading/account-form.ts";
import { expirySeconds, priceMove } from "../../src/trading/approval-form.ts";

const ADDRESS = `0x${"Ab".repeat(20)}`;

describe("priceMove", () => {
  it.each([
    ["1", "1"],
    [" 0.01 ", "0.01"],
    ["10", "10"],
    ["10.01", null],
    ["0", null],
    ["0.00", null],
    ["0.001", null],
    ["-1", null],
    ["1e1", null],
    ["", null],
  ])("of %j is %j", (typed, percent) => {
    expect(priceMove(typed)).toBe(percent);
  });
});

describe("expirySeconds", () => {
  it.each([
    ["1", 60],
    ["15", 900],
    ["1440", 86_400],
    ["1441", null],
    ["0", null],
    ["1.5", null],
    ["", null],
  ])("of %j is %j", (typed, seconds) => {
    expect(expirySeconds(typed)).toBe(seconds);
  });
});

describe("an account", () => {
  it.each([
    [ADDRESS, true],
    [` ${ADDRESS} `, true],
    [ADDRESS.slice(2), false],
    [`${ADDRESS}0`, false],
    ["", false],
  ])("has an address: %j is %j", (typed, right) => {
    expect(isAddress(typed)).toBe(right);
  });

  it.each([
    ["", true],
    [`0x${"1".repeat(64)}`, true],
    ["f".repeat(64), true],
    ["f".repeat(63), false],
    ["g".repeat(64), false],
  ])("may have a key: %j is %j", (typed, right) => {
    expect(isKey(typed)).toBe(right);
  });

  it("is said in few signs", () => {
    expect(short(ADDRESS)).toBe("0xAbAb…AbAb");
  });

  it.each<[Partial<TradingAccount>, string, boolean]>([
    [{ watch_only: true, agent_expires_ms: null }, "Watch only", false],
    [{ agent_expires_ms: null }, "Key without an end", true],
    [{ agent_expires_ms: 1_000 }, "Key has expired", false],
  ])("with %j is told as %j", (part, word, trades) => {
    const account: TradingAccount = {
      ...{ id: "a", network: "testnet", address: ADDRESS, agent_address: ADDRESS, agent_expires_ms: 1_000 },
      ...{ watch_only: false, connected_ms: 0, ...part },
    };
    expect(agentWord(account, 1_000, en, "en")).toBe(word);
    expect(mayTrade(account, 1_000)).toBe(trades);
  });
});
