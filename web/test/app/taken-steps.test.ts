// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from "vitest";
import type { FirstStep, Owner } from "../../src/contracts.ts";

const owner = (first_steps: FirstStep[]) => ({ id: "o", first_steps }) as unknown as Owner;

let told: FirstStep[][];

/** The page as it starts, at a server that knows `record`. */
async function started(record: FirstStep[]) {
  vi.resetModules();
  told = [];
  vi.stubGlobal("fetch", async (_path: string, { body }: RequestInit) => {
    const { first_steps } = JSON.parse(String(body)) as { first_steps: FirstStep[] };
    told.push(first_steps);
    record.push(...first_steps);
    return new Response(JSON.stringify(owner(record)));
  });
  const steps = await import("../../src/app/taken-steps.ts");
  const { directory } = await import("../../src/app/directory.ts");
  steps.followSteps();
  directory.setState({ owner: owner([...record]), trouble: null });
  return steps;
}

const taken = (steps: Awaited<ReturnType<typeof started>>) => steps.takenSteps.getState().taken;

beforeEach(() => localStorage.clear());

it("what another browser has taken is taken here, and is not told back", async () => {
  const steps = await started(["file"]);
  expect(taken(steps)).toEqual(["file"]);
  expect(told).toEqual([]);
});

it("what is taken is told once", async () => {
  const steps = await started([]);
  steps.noteStep("order");
  steps.noteStep("order");
  await vi.waitFor(() => expect(told).toEqual([["order"]]));
  expect(taken(steps)).toEqual(["order"]);
});

it("what this browser alone knew is told with the next page", async () => {
  localStorage.setItem("berth.steps", "command order");
  const steps = await started(["order", "file"]);
  expect(taken(steps)).toEqual(["command", "file", "order"]);
  await vi.waitFor(() => expect(told).toEqual([["command"]]));
});

it("what was waved away is waved away everywhere", async () => {
  const record: FirstStep[] = ["file"];
  (await started(record)).waveAway();
  await vi.waitFor(() => expect(record).toContain("settings"));
  localStorage.clear();
  const steps = await started(record);
  expect(steps.leftOf(taken(steps))).toEqual([]);
});
