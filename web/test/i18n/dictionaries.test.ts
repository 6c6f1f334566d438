import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en.ts";
import { localeOf } from "../../src/i18n/locale.ts";
import { zhHans } from "../../src/i18n/zh-Hans.ts";
import { zhHant } from "../../src/i18n/zh-Hant.ts";

type Value = string | ((...args: never[]) => string) | { readonly [key: string]: Value };

/** All sentences by their path, functions called with arguments that stand out. */
function sentences(dictionary: object, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(dictionary) as [string, Value][]) {
    const at = path === "" ? key : `${path}.${key}`;
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
const SAME_EVERYWHERE = new Set(["version", "allowedRequests"]);
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
