import { describe, expect, it } from "vitest";
import { pieces, settledLines, withoutColours } from "../../src/ui/ansi.ts";

const ESC = "\u001b";

describe("settledLines", () => {
  it.each([
    ["lines", "a\nb\n", ["a", "b"]],
    ["an unfinished line", "a\nb", ["a", "b"]],
    ["empty lines between", "a\n\nb\n", ["a", "", "b"]],
    ["Windows line ends", "a\r\nb\r\n", ["a", "b"]],
    ["a line written over", "10%\r50%\r100%\n", ["100%"]],
    ["a line just being written over", "10%\r50%\r", ["50%"]],
    ["an erased line", `10%\r${ESC}[2K50%\n`, ["50%"]],
    ["cursor movement", `${ESC}[1A${ESC}[?25lup\n`, ["up"]],
    ["a window title", `${ESC}]0;evil\u0007text\n`, ["text"]],
    ["a link", `${ESC}]8;;https://evil.example${ESC}\\text${ESC}]8;;${ESC}\\\n`, ["text"]],
    ["a sequence that was cut off", `text${ESC}[3`, ["text"]],
    ["bells and null bytes", "a\u0007\u0000b\n", ["ab"]],
    ["colours, which stay", `${ESC}[31mred${ESC}[0m\n`, [`${ESC}[31mred${ESC}[0m`]],
  ])("settles %s", (_, text, lines) => {
    expect(settledLines(text)).toEqual(lines);
  });
});

describe("pieces", () => {
  it("names the colours of the palette that the page has", () => {
    expect(pieces(`a${ESC}[1;31mb${ESC}[0mc`)).toEqual([
      { text: "a", names: [], colour: null, background: null },
      { text: "b", names: ["bold", "red"], colour: null, background: null },
      { text: "c", names: [], colour: null, background: null },
    ]);
  });

  it.each([
    ["38;5;196", "255, 0, 0"],
    ["38;5;244", "128, 128, 128"],
    ["38;2;1;2;3", "1, 2, 3"],
  ])("computes the colour %s", (code, colour) => {
    expect(pieces(`${ESC}[${code}mx`)[0]).toMatchObject({ text: "x", colour });
  });

  it("leaves markup as text", () => {
    expect(pieces("<img src=x onerror=alert(1)>")[0]?.text).toBe("<img src=x onerror=alert(1)>");
  });

  it("is what is copied, without the colours", () => {
    expect(withoutColours(`${ESC}[1;31mred${ESC}[0m`)).toBe("red");
  });
});
