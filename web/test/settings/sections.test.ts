import { expect, it } from "vitest";
import { en } from "../../src/i18n/en.ts";
import { SECTIONS } from "../../src/settings/sections.ts";

it("each section that has a name is in the list, once", () => {
  expect(SECTIONS.map(({ id }) => id).sort()).toEqual(Object.keys(en.settingsSections).sort());
});
