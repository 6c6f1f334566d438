// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { mayAs, type Right } from "../../src/app/rights.ts";

const RIGHTS: readonly Right[] = ["chat", "approve", "manage"];
const given = (role: Parameters<typeof mayAs>[0]) => RIGHTS.filter((right) => mayAs(role, right));

it("a role gives what the server lets it do", () => {
  expect(given("owner")).toEqual(RIGHTS);
  expect(given("member")).toEqual(["chat"]);
  expect(given("viewer")).toEqual([]);
});

it("what is one's own is, before the server has said so", () => {
  expect(given(undefined)).toEqual(RIGHTS);
});
