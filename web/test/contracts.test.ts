import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generated } from "../scripts/generate.ts";

it("has the types that contracts/ has now; `npm run generate -w web` makes them anew", async () => {
  const written = readFileSync(new URL("../src/contracts.ts", import.meta.url), "utf8");
  expect(written).toBe(await generated());
});
