/** The pretended computer's files and the commands that it ran. */
import type { CommandResult, FolderEntry, Listing, ShownCommand } from "../../src/contracts.ts";
import { type Answer, type Call, ok, problem } from "./answers.ts";
import type { World } from "./world.ts";

interface Kept {
  /** A folder has none. */
  readonly content: string | null;
  readonly modified_ms: number;
}

/** By path. */
export type Tree = Map<string, Kept>;

const HOUR = 3_600_000;
const TABLE = "market,mean,max\nBTC,0.1,0.3\nETH,0.2,0.4\nSOL,0.3,0.7\n";

export function firstTree(): Tree {
  const at = (hours: number) => Date.now() - hours * HOUR;
  return new Map<string, Kept>([
    ["data", { content: null, modified_ms: at(5) }],
    ["data/funding.csv", { content: TABLE, modified_ms: at(5) }],
    ["data/raw", { content: null, modified_ms: at(30) }],
    ["notes.md", { content: "# Notes\n\nThree gaps were **filled** in PURR.\n", modified_ms: at(2) }],
    ["report.py", { content: "import csv\n\nprint('report')\n", modified_ms: at(1) }],
  ]);
}

const asleep = () => problem(503, "computer_unavailable", "The computer is on standby.");
const missing = (path: string) => problem(404, "not_found", `There is no ${path} in the workspace.`);
const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

function entryOf(path: string, { content, modified_ms }: Kept): FolderEntry {
  const kind = content === null ? "folder" : "file";
  return { name: path.slice(path.lastIndexOf("/") + 1), kind, size: content?.length ?? 0, modified_ms };
}

function list({ world, url }: Call): Answer {
  const path = url.searchParams.get("path") ?? "";
  if (path !== "" && world.tree.get(path)?.content !== null) return missing(path);
  const entries = [...world.tree]
    .filter(([name]) => parentOf(name) === path)
    .map(([name, kept]) => entryOf(name, kept))
    .sort((a, b) => Number(b.kind === "folder") - Number(a.kind === "folder") || (a.name < b.name ? -1 : 1));
  const live = world.computer.state === "running";
  const listing: Listing = { path, entries, total: entries.length, at_ms: Date.now(), live };
  return ok(listing);
}

/** What keeps a person's hands off the files, if anything. */
function hindered({ world, url }: Call): Answer | null {
  if (world.computer.state !== "running") return asleep();
  const runs = runningCommands(world).length > 0;
  if (!runs || url.searchParams.get("while_running") === "true") return null;
  return problem(409, "computer_busy", "Commands are running, which may be using it.");
}

function move(call: Call): Answer {
  const { world, url, text } = call;
  const hindrance = hindered(call);
  if (hindrance !== null) return hindrance;
  const path = url.searchParams.get("path") ?? "";
  const { to } = JSON.parse(text) as { to: string };
  if (!world.tree.has(path)) return missing(path);
  if (world.tree.has(to)) return problem(422, "invalid_request", `There is a '${to}' already.`);
  for (const [name, kept] of [...world.tree]) {
    if (name !== path && !name.startsWith(`${path}/`)) continue;
    world.tree.delete(name);
    world.tree.set(to + name.slice(path.length), kept);
  }
  return ok({ path: to });
}

function remove(call: Call): Answer {
  const hindrance = hindered(call);
  if (hindrance !== null) return hindrance;
  const path = call.url.searchParams.get("path") ?? "";
  if (!call.world.tree.has(path)) return missing(path);
  for (const name of [...call.world.tree.keys()])
    if (name === path || name.startsWith(`${path}/`)) call.world.tree.delete(name);
  return { status: 204, body: "" };
}

function put(call: Call): Answer {
  const hindrance = hindered(call);
  if (hindrance !== null) return hindrance;
  const path = call.url.searchParams.get("path") ?? "";
  call.world.tree.set(path, { content: call.text, modified_ms: Date.now() });
  return ok({ path }, 201);
}

function content({ world, url }: Call): Answer {
  if (world.computer.state !== "running") return asleep();
  const path = (url.searchParams.get("path") ?? "").replace(/^\/?workspace\//, "");
  const log = /^\.berth\/logs\/(.+)\.log$/.exec(path);
  const text = log === null ? world.tree.get(path)?.content : world.logs.get(log[1] ?? "");
  if (text === undefined || text === null) return missing(path);
  return { status: 200, body: text, headers: { "Content-Type": "application/octet-stream" } };
}

/** Every command of every thread, the newest first. */
function commandsOf(world: World): ShownCommand[] {
  const found = new Map<string, ShownCommand>();
  for (const room of world.rooms.values()) {
    const { id: thread_id, title } = room.thread;
    for (const event of room.events) {
      if (event.type === "tool.started" && event.data.tool === "computer__exec") {
        const { tool_call_id: id, started_ms, arguments: given } = event.data;
        const about = { id, thread_id, title, command: String(given.command), started_ms };
        found.set(id, { ...about, finished_ms: null, over: false, result: null, error: null });
      }
      if (event.type !== "tool.finished") continue;
      const { tool_call_id, finished_ms, command: result = null, error = null } = event.data;
      const known = found.get(tool_call_id);
      if (known !== undefined) found.set(known.id, { ...known, finished_ms, over: true, result, error });
    }
  }
  return [...found.values()].sort((a, b) => b.started_ms - a.started_ms || (a.id < b.id ? 1 : -1));
}

const runningCommands = (world: World) => commandsOf(world).filter(({ over }) => !over);

const withoutOutput = (result: CommandResult | null | undefined) =>
  result ? { ...result, output: "" } : null;

function commands({ world, url }: Call): Answer {
  const all = commandsOf(world);
  const before = url.searchParams.get("before");
  const start = before === null ? 0 : all.findIndex(({ id }) => id === before) + 1;
  const end = start + Number(url.searchParams.get("limit") ?? 100);
  const items = all.slice(start, end).map((one) => ({ ...one, result: withoutOutput(one.result) }));
  return ok({ items, more: all.length > end });
}

function command({ world, id }: Call): Answer {
  const found = commandsOf(world).find((one) => one.id === id);
  return found === undefined ? problem(404, "not_found", "This command is not there.") : ok(found);
}

function about({ world }: Call): Answer {
  const running = runningCommands(world).map(({ id, command: text, thread_id, started_ms }) => ({
    ...{ id, command: text, thread_id, origin: "chat", since_ms: started_ms },
  }));
  return ok({ ...world.computer, commands: running });
}

export const COMPUTER_ROUTES: [RegExp, (call: Call) => Answer][] = [
  [/^GET \/api\/computer$/, about],
  [/^GET \/api\/computer\/commands$/, commands],
  [/^GET \/api\/computer\/commands\/([^/]+)$/, command],
  [/^GET \/api\/files$/, list],
  [/^PATCH \/api\/files$/, move],
  [/^DELETE \/api\/files$/, remove],
  [/^PUT \/api\/files\/content$/, put],
  [/^GET \/api\/files\/content$/, content],
];
