import { expect, it } from "vitest";
import { at, atPerson, inOwner, workspaceIn } from "../../src/api/whose.ts";

it("the first part of a workspace's address says whose it is, and no other address does", () => {
  expect(workspaceIn("/o/owner_1/t/2")).toBe("owner_1");
  expect(workspaceIn("/o/owner_1")).toBe("owner_1");
  for (const path of ["/", "/o", "/o/", "/t/o/owner_1", "/o/a.b/", "/o/%2e/", `/o/${"x".repeat(65)}/`])
    expect(workspaceIn(path)).toBeNull();
});

it("one's own is asked without a name", () => {
  expect(at("threads", "a/b")).toBe("/api/threads/a%2Fb");
  expect(atPerson("owners")).toBe("/api/owners");
  expect(inOwner("/api/threads/x/stream?after=1")).toBe("/api/threads/x/stream?after=1");
});
