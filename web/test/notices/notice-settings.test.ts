import { describe, expect, it } from "vitest";
import { clockOf, fullSettings, KINDS, minuteOf } from "../../src/notices/notice-settings.ts";
import { placeOf } from "../../src/notices/push.ts";

describe("the settings of notices", () => {
  it("have what the server leaves out", () => {
    const all = { on: true, kinds: [...KINDS], quiet: true };
    expect(fullSettings({})).toEqual({
      ...{ push: all, webhook: all, email: all },
      ...{ titles: true, while_open: false, quiet: null },
    });
  });

  it("keep what it says", () => {
    const said = {
      push: { on: false, kinds: [], quiet: false },
      ...{ titles: false, while_open: true, quiet: { begin: 1, until: 2 } },
    };
    expect(fullSettings(said)).toMatchObject(said);
  });
});

describe("a minute of the day", () => {
  it.each([
    [0, "00:00"],
    [425, "07:05"],
    [1439, "23:59"],
  ])("%i is %s on a clock and back", (minute, clock) => {
    expect(clockOf(minute)).toBe(clock);
    expect(minuteOf(clock)).toBe(minute);
  });

  it("is none while it is being typed", () => {
    expect(minuteOf("")).toBeNull();
  });
});

it("a browser works out the id that the server gives its place", async () => {
  // tests/unit/durable_objects/bot_owner/notices/test_setup.py has the same pair.
  expect(await placeOf("https://push.example/send/1")).toBe("sub_672d06b3eb19b708cd71c864b7765b94");
});
