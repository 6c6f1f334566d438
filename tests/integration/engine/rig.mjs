// Runs worker.mjs in workerd: `node rig.mjs CONFIG.json`, with {"socket", "state", "image", "modules"} in it. Prints one
// JSON line when it serves and ends when its standard input does.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const require = createRequire(`${config.modules}/`);
const { Miniflare, convertV4MiniflareOptions } = createRequire(require.resolve("wrangler/package.json"))(
  "miniflare",
);

const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    compatibilityDate: "2026-07-01",
    // For snapshotDirectory, which the platform offers under this flag only.
    compatibilityFlags: ["experimental"],
    resourcePersistencePath: config.state,
    modulesRoot: "/",
    modules: [
      {
        type: "ESModule",
        path: "/worker.mjs",
        contents: readFileSync(new URL("worker.mjs", import.meta.url), "utf8"),
      },
    ],
    durableObjects: { BOX: { className: "Box", useSQLite: true, container: { imageName: config.image } } },
    containerEngine: {
      localDocker: { socketPath: `unix:${config.socket}`, containerEgressInterceptorImage: "berth-egress" },
    },
  }),
);
const url = await miniflare.ready;
process.stdout.write(`${JSON.stringify({ url: url.origin })}\n`);

async function stop() {
  await miniflare.dispose();
  process.exit(0);
}
process.on("SIGTERM", stop);
process.stdin.on("end", stop).resume();
