// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { en } from "../../src/i18n/en.ts";
import { sectionsFor } from "../../src/settings/sections.ts";

const ids = (manages: boolean) => sectionsFor(manages).map(({ id }) => id);

it("each section that has a name is in the list, once", () => {
  expect(ids(true).sort()).toEqual(Object.keys(en.settingsSections).sort());
});

it("who does not manage the owner sees what is theirs to look at or to choose", () => {
  expect(ids(false)).toEqual(["general", "signIn", "members", "usage"]);
});
