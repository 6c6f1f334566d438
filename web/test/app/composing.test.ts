import { describe, expect, it } from "vitest";
import { joined, quoted } from "../../src/app/composing.ts";

describe("what is put into a draft", () => {
  it("stands behind what is there, as a word or on lines of its own", () => {
    expect(joined("", "data.csv")).toBe("data.csv");
    expect(joined("look at", "data.csv")).toBe("look at data.csv");
    expect(joined("look at ", "data.csv")).toBe("look at data.csv");
    expect(joined("before", "> said\n\n")).toBe("before\n> said\n\n");
    expect(joined("before\n", "> said\n\n")).toBe("before\n> said\n\n");
  });

  it("marks every line of a quotation", () => {
    expect(quoted("one\n\ntwo\n")).toBe("> one\n>\n> two\n\n");
  });
});
