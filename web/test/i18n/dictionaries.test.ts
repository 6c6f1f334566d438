import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en.ts";
import { localeOf } from "../../src/i18n/locale.ts";
import type { Reason } from "../../src/i18n/reasons/reason.ts";
import { zhHansReasons } from "../../src/i18n/reasons/zh-Hans.ts";
import { zhHantReasons } from "../../src/i18n/reasons/zh-Hant.ts";
import { zhHans } from "../../src/i18n/zh-Hans.ts";
import { zhHant } from "../../src/i18n/zh-Hant.ts";

type Value = string | ((...args: never[]) => string) | { readonly [key: string]: Value };

/** All sentences by their path, functions called with arguments that stand out. */
function sentences(dictionary: object, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(dictionary) as [string, Value][]) {
    const at = path === "" ? key : `${path}.${key}`;
    // What the server says, of which English has none; they are looked at below.
    if (at === "deniedBy") continue;
    if (typeof value === "string") found.set(at, value);
    else if (typeof value === "function") found.set(at, call(value));
    else for (const [deeper, text] of sentences(value, at)) found.set(deeper, text);
  }
  return found;
}

function call(value: (...args: never[]) => string): string {
  const args = ["⟨1⟩", "⟨2⟩"].slice(0, value.length) as never[];
  return value(...args);
}

const english = sentences(en);
const SAME_EVERYWHERE = new Set(["version", "allowedRequests", "findCount", "operator.itself"]);
const HAN = /\p{Script=Han}/u;
// Characters that only one of the two scripts uses, of those that occur on this page.
const SIMPLIFIED =
  /[这为发后们来对时过应该还说话复写进没开关机电脑运动资内传输权业单钥错读并统试创删选择闭链务装题库状态]/;
const TRADITIONAL =
  /[這為發後們來對時過應該還說話複寫進沒開關機電腦運動資內傳輸權業單鑰錯讀並統試創刪選擇閉鏈務裝題庫狀態]/;

describe.each([
  ["zh-Hans", sentences(zhHans), TRADITIONAL],
  ["zh-Hant", sentences(zhHant), SIMPLIFIED],
])("%s", (_, translated, foreign) => {
  it("has each sentence of the English one and no other", () => {
    expect([...translated.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it("leaves nothing in English", () => {
    const same = [...english].filter(([key, text]) => translated.get(key) === text).map(([key]) => key);
    expect(same.filter((key) => !SAME_EVERYWHERE.has(key))).toEqual([]);
    const bare = [...translated].filter(([, text]) => !HAN.test(text)).map(([key]) => key);
    expect(bare.filter((key) => !SAME_EVERYWHERE.has(key))).toEqual([]);
  });

  it("keeps to its own script", () => {
    expect([...translated.values()].filter((text) => foreign.test(text))).toEqual([]);
  });

  it("uses each argument that the English sentence uses", () => {
    const counted = (text: string) => ["⟨1⟩", "⟨2⟩"].filter((mark) => text.includes(mark));
    const plural = new Set(["lines", "leftovers", "uploadsDelivered"]);
    const lost = [...english].filter(([key, text]) => {
      const has = counted(translated.get(key) ?? "");
      return !plural.has(key) && counted(text).some((mark) => !has.includes(mark));
    });
    expect(lost).toEqual([]);
  });
});

/** The members of a union of words in the generated contracts, which are gone once it runs. */
function union(before: RegExp): string[] {
  const contracts = readFileSync(new URL("../../src/contracts.ts", import.meta.url), "utf8");
  const members = before.exec(contracts)?.[1] ?? "";
  return [...members.matchAll(/"(\w+)"/g)].map((found) => found[1] ?? "");
}

describe("what the server says", () => {
  const codes = union(/export type ErrorCode =([^;]+);/);
  const refusals = union(/interface TradingRefused \{\s+reason:([^;]+);/);
  const reasons = union(/interface Because \{\s+reason:([^;]+);/);

  it("has words in the contracts to look for", () => {
    expect(codes).toContain("not_found");
    expect(refusals).toContain("halted");
    expect(reasons).toContain("thread_gone");
  });

  it.each([
    ["en", en],
    ["zh-Hans", zhHans],
    ["zh-Hant", zhHant],
  ])("has a text in %s for every code and every refusal", (_, t) => {
    const errors: Record<string, { title: string; advice: string }> = t.errors;
    const refused: Record<string, string> = t.tradingRefused;
    expect(codes.filter((code) => !errors[code]?.title || !errors[code]?.advice)).toEqual([]);
    expect(refusals.filter((reason) => !refused[reason])).toEqual([]);
  });

  it.each([
    ["zh-Hans", zhHansReasons, zhHans, TRADITIONAL],
    ["zh-Hant", zhHantReasons, zhHant, SIMPLIFIED],
  ])("has a sentence in %s for every reason, in its own script", (_, said, t, foreign) => {
    expect(reasons.filter((reason) => !HAN.test(said[reason as Reason] ?? ""))).toEqual([]);
    const sentences = [...Object.values(said), ...Object.values(t.deniedBy)];
    expect(sentences.filter((text) => foreign.test(text))).toEqual([]);
  });
});

describe("the page", () => {
  const source = fileURLToPath(new URL("../../src", import.meta.url));
  const code = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith("i18n"))
    .map((name) => readFileSync(join(source, name), "utf8"))
    .join("\n");

  it("uses each of the sentences", () => {
    const unused = Object.keys(en).filter((key) => !new RegExp(`\\bt\\.${key}\\b`).test(code));
    expect(unused).toEqual([]);
  });
});

describe("localeOf", () => {
  it.each([
    [["zh-CN", "en"], "zh-Hans"],
    [["zh"], "zh-Hans"],
    [["zh-TW"], "zh-Hant"],
    [["zh-Hant-HK"], "zh-Hant"],
    [["zh-HK"], "zh-Hant"],
    [["fr-FR", "zh-TW"], "zh-Hant"],
    [["en-GB", "zh-CN"], "en"],
    [["fr"], "en"],
    [[], "en"],
  ])("of %j is %s", (wanted, locale) => {
    expect(localeOf(wanted)).toBe(locale);
  });
});

describe("what a reader in Taiwan reads", () => {
  // Written in their script and yet the words of the mainland; or two words for what has one on this page.
  const ELSEWHERE =
    /信息|文件|網絡|設置|服務器|用戶|默認|數據|軟件|硬件|程序|視頻|鏈接|登錄|賬|郵箱|屏幕|打印|令牌|會話|換行符|腳本|主目錄|運行|保存|發送|重置|歸檔|日誌|打開|命令|審批|批准|所有者|封禁|例行任務|詞元|(?<!通行)密鑰|Shanghai|您/;

  it.each<[string, Iterable<[string, string]>]>([
    ["the page", sentences(zhHant)],
    ["the server's reasons", Object.entries(zhHantReasons)],
    ["why a request was denied", Object.entries(zhHant.deniedBy)],
  ])("is said in their words by %s", (_, said) => {
    expect([...said].filter(([, text]) => ELSEWHERE.test(text))).toEqual([]);
  });
});
