/** The HTTP API of the pretended Berth, a row a route. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type {
  Bot,
  BotChange,
  BotCreate,
  Message,
  MessageCreate,
  OwnerChange,
  TradingAccount,
  TradingAccountConnect,
  TradingSwitch,
  TradingVenue,
  UnfinishedUpload,
  Upload,
  UploadBegin,
} from "../../src/contracts.ts";
import { type Answer, type Call, ok, problem } from "./answers.ts";
import { COMPUTER_ROUTES } from "./computer.ts";
import { NOTICE_ROUTES } from "./notices.ts";
import { Player } from "./playing.ts";
import { SIGN_IN_ROUTES } from "./sign-in.ts";
import { allowanceOf, usageOf } from "./usage.ts";
import type { Room, World } from "./world.ts";

function withRoom(call: Call, action: (room: Room) => Answer): Answer {
  const room = call.world.rooms.get(call.id);
  return room === undefined ? problem(404, "not_found", "There is no such thread.") : action(room);
}

function sendMessage(call: Call): Answer {
  return withRoom(call, (room) => {
    const {
      client_id,
      text,
      upload_ids = [],
      during,
      model,
      effort,
    } = JSON.parse(call.text) as MessageCreate;
    const known = room.accepted.get(client_id);
    if (known !== undefined) return ok(known, 202);
    if (text.startsWith("!refuse")) return problem(422, "invalid_request", "This message is refused.");
    const player = new Player(call.world, room);
    const run = room.waiting ?? player.newRun();
    room.waiting = null;
    const uploads = upload_ids.flatMap((id) => call.world.uploads.get(id) ?? []);
    const message: Message = {
      id: randomUUID(),
      role: "user",
      text,
      client_id,
      run_id: run.id,
      uploads,
      queued: during === "queue" && room.busy > 0,
      model: model ?? null,
      effort: effort ?? null,
      created_ms: Date.now(),
    };
    if (room.thread.title === "") room.thread = { ...room.thread, title: text.slice(0, 60) };
    const seq = call.world.record(room, "message.created", message);
    const accepted = { message, seq, run };
    room.accepted.set(client_id, accepted);
    const play = () => player.play(run, message).finally(() => room.busy--);
    room.busy++;
    if (message.queued) room.playing = room.playing.then(play);
    else room.playing = Promise.all([room.playing, play()]).then(() => {});
    return ok(accepted, 202);
  });
}

function upload(call: Call): Answer {
  const media_type = call.request.headers["content-type"] ?? "application/octet-stream";
  const name = call.url.searchParams.get("name") ?? "file";
  const made: Upload = { id: randomUUID(), name, media_type, size: call.text.length, path: null };
  call.world.uploads.set(made.id, made);
  return ok(made, 201);
}

function beginUpload(call: Call): Answer {
  const { name, media_type = "", size } = JSON.parse(call.text) as UploadBegin;
  const part_bytes = 5 * 1024 * 1024;
  const begun: UnfinishedUpload = {
    ...{ id: randomUUID(), name, media_type, size, part_bytes },
    parts: [],
    until_ms: Date.now() + 86_400_000,
  };
  call.world.unfinished.set(begun.id, begun);
  return ok(begun, 201);
}

function withUnfinished(call: Call, action: (upload: UnfinishedUpload) => Answer): Answer {
  const known = call.world.unfinished.get(call.id);
  return known === undefined ? problem(404, "not_found", "There is no such upload.") : action(known);
}

function uploadPart(call: Call): Answer {
  return withUnfinished(call, (known) => {
    const number = Number(call.url.pathname.split("/").at(-1));
    const parts = [...new Set([...known.parts, number])].sort((a, b) => a - b);
    call.world.unfinished.set(known.id, { ...known, parts });
    return ok({ ...known, parts });
  });
}

function finishUpload(call: Call): Answer {
  return withUnfinished(call, ({ id, name, media_type, size }) => {
    call.world.unfinished.delete(id);
    const made: Upload = { id, name, media_type, size, path: null };
    call.world.uploads.set(id, made);
    return ok(made, 201);
  });
}

function giveUpUpload(call: Call): Answer {
  return withUnfinished(call, ({ id }) => {
    call.world.unfinished.delete(id);
    return { status: 204, body: "" };
  });
}

function content(call: Call): Answer {
  const known = call.world.artifacts.get(call.id);
  if (known === undefined) return problem(404, "not_found", "There is no such file.");
  return { status: 200, body: known.content, headers: { "Content-Type": known.media_type } };
}

/** A key that is left out stays with its provider and address; an empty one removes it. */
function hasKey(bot: Bot, model: Partial<Bot["model"]>, key: string | null | undefined): boolean {
  if (key !== undefined && key !== null) return key !== "";
  const same = model.provider === bot.model.provider && (model.base_url ?? "") === bot.model.base_url;
  return same && bot.model.has_key === true;
}

function changeBot(call: Call): Answer {
  const bot = call.world.bots.get(call.id);
  if (bot === undefined) return problem(404, "not_found", "There is no such bot.");
  const change = JSON.parse(call.text) as BotChange;
  const { api_key, ...model } = change.model ?? {};
  const changed = {
    ...bot,
    name: change.name ?? bot.name,
    instructions: change.instructions ?? bot.instructions,
    rounds: change.rounds ?? bot.rounds ?? 40,
    model: { ...bot.model, ...model, has_key: hasKey(bot, model, api_key) },
  };
  call.world.bots.set(bot.id, changed);
  return ok(changed);
}

function createBot(call: Call): Answer {
  const { name, instructions = "", rounds = 40, model } = JSON.parse(call.text) as BotCreate;
  const { api_key, ...settings } = model ?? {};
  const kept = { base_url: "", ...settings, has_key: Boolean(api_key) };
  return ok(call.world.addBot({ name, instructions, rounds, model: kept }), 201);
}

function stop(call: Call): Answer {
  call.world.stopping.add(call.id);
  return ok({ asked: true });
}

function changeOwner(call: Call): Answer {
  const change = JSON.parse(call.text) as OwnerChange;
  const taken = [...(call.world.owner.first_steps ?? []), ...(change.first_steps ?? [])];
  Object.assign(call.world.owner, change, { first_steps: [...new Set(taken)] });
  return ok(call.world.owner);
}

function renameThread(call: Call): Answer {
  return withRoom(call, (room) => {
    room.thread = { ...room.thread, title: (JSON.parse(call.text) as { title: string }).title };
    return ok(room.thread);
  });
}

function deleteThread(call: Call): Answer {
  return withRoom(call, (room) => {
    for (const listener of room.listeners) listener.close();
    call.world.rooms.delete(room.thread.id);
    call.world.deleted.set(room.thread.id, room);
    return { status: 204, body: "" };
  });
}

function restoreThread(call: Call): Answer {
  const room = call.world.deleted.get(call.id);
  if (room === undefined) return withRoom(call, (there) => ok(there.thread));
  room.listeners.clear();
  call.world.rooms.set(call.id, room);
  call.world.deleted.delete(call.id);
  return ok(room.thread);
}

/** The messages that contain the query, as it is; the real index is tested where it is. */
function search({ world, url }: Call): Answer {
  const query = url.searchParams.get("q") ?? "";
  const items = [...world.rooms.values()].flatMap((room) =>
    room.events.flatMap((event) => {
      if (event.type !== "message.created" || !event.data.text.includes(query)) return [];
      const [before = "", ...after] = event.data.text.split(query);
      return {
        ...{ id: event.seq, thread_id: room.thread.id, title: room.thread.title, seq: event.seq },
        ...{ message_id: event.data.id, client_id: event.data.client_id, role: event.data.role },
        at_ms: event.at_ms,
        snippet: [{ text: before }, { text: query, hit: true }, { text: after.join(query) }],
      };
    }),
  );
  const words_left_out = Math.max(0, query.split(/\s+/).filter(Boolean).length - 16);
  return ok({ items, more: false, words_left_out });
}

function sleep({ world }: Call): Answer {
  world.computer = { ...world.computer, state: "standby", since_ms: Date.now() };
  return ok(world.computer);
}

function reset({ world }: Call): Answer {
  world.computer = { ...world.computer, state: "standby", since_ms: Date.now(), reason: "reset" };
  return ok(world.computer);
}

function deleteMe({ world, text }: Call): Answer {
  const { confirm } = JSON.parse(text) as { confirm: string };
  if (confirm !== world.owner.id) return problem(422, "invalid_request", "Type the id to confirm.");
  world.forget();
  return ok({ finished: true, at_ms: null });
}

function setTrading({ world, text }: Call, part: "rules" | "approvals" | "switch"): Answer {
  const body: unknown = JSON.parse(text);
  const told = part === "switch" ? { switch: (body as TradingSwitch).state } : { [part]: body };
  world.trading = { ...world.trading, ...told, used: true };
  return ok(world.trading);
}

/** A key that ends in f is refused, as one of the account itself. */
function connectAccount({ world, text }: Call): Answer {
  const { address, agent_key } = JSON.parse(text) as TradingAccountConnect;
  if (agent_key?.endsWith("f")) {
    const refused = problem(422, "invalid_request", "This is the key of an account and not of an agent.");
    return { ...refused, body: { ...(refused.body as object), details: { reason: "account_key" } } };
  }
  const account: TradingAccount = {
    ...{ id: randomUUID(), network: "mainnet", address, watch_only: !agent_key, connected_ms: Date.now() },
    ...{ agent_address: agent_key ? address : null, agent_expires_ms: null },
  };
  world.accounts.set(account.id, account);
  return ok(account, 201);
}

function removeAccount({ world, id }: Call): Answer {
  world.accounts.delete(id);
  if (world.trading.account_id === id) setVenue(world, null);
  return { status: 204, body: "" };
}

function setVenue(world: World, account_id: string | null): Answer {
  const account = world.accounts.get(account_id ?? "");
  const { network, address } = account ?? { network: "paper", address: "paper" };
  const venue = account === undefined ? "paper" : "hyperliquid";
  world.trading = { ...world.trading, venue, network, account: address, account_id, used: true };
  return ok(world.trading);
}

function createThread({ world, text }: Call): Answer {
  return ok(world.addThread((JSON.parse(text) as { bot_id: string }).bot_id).thread, 201);
}

const ROUTES: [RegExp, (call: Call) => Answer][] = [
  [/^GET \/api\/me$/, ({ world }) => ok(world.owner)],
  [/^PATCH \/api\/me$/, changeOwner],
  [/^GET \/api\/me\/archive$/, () => ok({ state: "none" })],
  [/^GET \/api\/bots$/, ({ world }) => ok({ items: [...world.bots.values()] })],
  [/^POST \/api\/tickets$/, () => ok({ ticket: "ticket", expires_in_s: 30 }, 201)],
  [/^POST \/api\/bots$/, createBot],
  [/^PATCH \/api\/bots\/([^/]+)$/, changeBot],
  [
    /^GET \/api\/threads$/,
    ({ world }) => ok({ items: [...world.rooms.values()].map((room) => room.thread) }),
  ],
  [/^POST \/api\/threads$/, createThread],
  [/^GET \/api\/threads\/([^/]+)$/, (call) => withRoom(call, (room) => ok(room.thread))],
  [/^PATCH \/api\/threads\/([^/]+)$/, renameThread],
  [/^DELETE \/api\/threads\/([^/]+)$/, deleteThread],
  [/^POST \/api\/threads\/([^/]+)\/restore$/, restoreThread],
  [/^GET \/api\/search$/, search],
  [
    /^GET \/api\/threads\/([^/]+)\/events$/,
    (call) => withRoom(call, (room) => ok({ items: room.events, head_seq: room.events.length })),
  ],
  [/^POST \/api\/threads\/([^/]+)\/messages$/, sendMessage],
  [/^POST \/api\/threads\/[^/]+\/uploads$/, upload],
  [/^POST \/api\/threads\/[^/]+\/uploads\/begin$/, beginUpload],
  [/^GET \/api\/uploads\/([^/]+)$/, (call) => withUnfinished(call, (known) => ok(known))],
  [/^PUT \/api\/uploads\/([^/]+)\/parts\/\d+$/, uploadPart],
  [/^POST \/api\/uploads\/([^/]+)\/finish$/, finishUpload],
  [/^DELETE \/api\/uploads\/([^/]+)$/, giveUpUpload],
  [/^POST \/api\/(?:runs|commands)\/([^/]+)\/stop$/, stop],
  [/^GET \/api\/artifacts\/([^/]+)\/content$/, content],
  [/^POST \/api\/me\/delete$/, deleteMe],
  ...COMPUTER_ROUTES,
  [/^POST \/api\/computer\/standby$/, sleep],
  [/^POST \/api\/computer\/reset$/, reset],
  [/^GET \/api\/trading$/, ({ world }) => ok(world.trading)],
  [/^PUT \/api\/trading\/switch$/, (call) => setTrading(call, "switch")],
  [/^PUT \/api\/trading\/rules$/, (call) => setTrading(call, "rules")],
  [/^PUT \/api\/trading\/approvals$/, (call) => setTrading(call, "approvals")],
  [
    /^PUT \/api\/trading\/venue$/,
    ({ world, text }) => setVenue(world, (JSON.parse(text) as TradingVenue).account_id ?? null),
  ],
  [/^GET \/api\/trading\/accounts$/, ({ world }) => ok({ items: [...world.accounts.values()] })],
  [/^POST \/api\/trading\/accounts$/, connectAccount],
  [/^DELETE \/api\/trading\/accounts\/([^/]+)$/, removeAccount],
  [/^GET \/api\/allowance$/, () => ok(allowanceOf(Date.now()))],
  [/^GET \/api\/usage$/, ({ url }) => ok(usageOf(url.searchParams))],
  [/^GET \/api\/egress\/rules$/, () => ok({ items: [] })],
  ...NOTICE_ROUTES,
  ...SIGN_IN_ROUTES,
];

export function answer(world: World, request: IncomingMessage, url: URL, text: string): Answer {
  for (const [pattern, action] of ROUTES) {
    const match = pattern.exec(`${request.method} ${url.pathname}`);
    if (match !== null) return action({ world, request, url, text, id: match[1] ?? "" });
  }
  return problem(404, "not_found", `There is no ${request.method} ${url.pathname}.`);
}
