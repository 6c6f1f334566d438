/** `node test/mock/main.ts [--port N] [--unsandboxed]` serves dist/ and prints `{"url": …}` when it is ready. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { act } from "./acting.ts";
import { serve } from "./server.ts";
import { World } from "./world.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    page: { type: "string", default: fileURLToPath(new URL("../../dist", import.meta.url)) },
    unsandboxed: { type: "boolean", default: false },
  },
});

const worlds = new Map<string, World>();

function worldOf(name: string): World {
  const known = worlds.get(name);
  if (known !== undefined) return known;
  const world = new World({ sandboxed: !values.unsandboxed });
  worlds.set(name, world);
  world.addBot({ name: "Quill" });
  // The files that the gallery's cards refer to.
  for (const id of ["chart", "table"]) {
    const { file } = act(id === "chart" ? "plot" : "table");
    if (file !== null) world.keep({ id, ...file });
  }
  return world;
}

const { url } = await serve(worldOf, { port: Number(values.port), page: values.page });
console.log(JSON.stringify({ url }));
