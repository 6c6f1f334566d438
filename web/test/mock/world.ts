/**
 * A small Berth in memory: threads with their numbered events, who listens to them, and a computer that is
 * only pretended. It keeps the promises of the event stream, and breaks the ones it is told to break.
 */
import { randomUUID } from "node:crypto";
import type {
  Bot,
  Computer,
  NoticeDelivery,
  Notices,
  Owner,
  Run,
  Thread,
  Trading,
  TradingAccount,
  UnfinishedUpload,
  Upload,
} from "../../src/contracts.ts";
import type { LiveFrame, ThreadEvent } from "../../src/stream/frames.ts";
import { firstTree } from "./computer.ts";

export interface Faults {
  /** Says whether this frame is lost on its way, and whether it arrives twice. */
  lose(): boolean;
  repeat(): boolean;
}

export interface Listener {
  send(text: string): void;
  close(): void;
}

export interface Room {
  thread: Thread;
  events: ThreadEvent[];
  listeners: Set<Listener>;
  /** Output so far of commands that are running, for those who join late. */
  tails: Map<string, string>;
  accepted: Map<string, unknown>;
  /** The run that waits for the person, and what is played at this moment. */
  waiting: Run | null;
  playing: Promise<void>;
  busy: number;
}

export interface KeptFile {
  id: string;
  name: string;
  media_type: string;
  content: string;
}

type EventBody<K extends ThreadEvent["type"]> = Extract<ThreadEvent, { type: K }>["data"];

/** A point of P-256 in base64url, as a browser wants it. */
const PUSH_KEY = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
const KEPT_TAIL = 64 * 1024;

export class World {
  readonly owner: Owner;
  readonly bots = new Map<string, Bot>();
  readonly rooms = new Map<string, Room>();
  readonly deleted = new Map<string, Room>();
  readonly uploads = new Map<string, Upload>();
  readonly unfinished = new Map<string, UnfinishedUpload>();
  readonly artifacts = new Map<string, KeptFile>();
  readonly stopping = new Set<string>();
  /** The files of the computer, and the whole output of each command. */
  readonly tree = firstTree();
  readonly logs = new Map<string, string>();
  readonly faults: Faults | null;
  trading: Trading = {
    ...{ venue: "paper", network: "paper", account: "paper", switch: "active" },
    ...{ rules: {}, approvals: {}, ruled_today: "0", time_zone: "UTC", used: false },
  };
  readonly accounts = new Map<string, TradingAccount>();
  notices: Notices;
  readonly deliveries: NoticeDelivery[] = [];
  computer: Computer = { state: "standby", since_ms: Date.now(), reason: null, commands: [] };

  constructor(options: { sandboxed?: boolean; faults?: Faults } = {}) {
    const sandboxed = options.sandboxed ?? true;
    this.faults = options.faults ?? null;
    this.notices = {
      settings: {},
      time_zone: "UTC",
      push_key: PUSH_KEY,
      email_available: true,
      keeps_secrets: sandboxed,
      places: [],
      email_asked: null,
    };
    this.owner = {
      id: "owner",
      locale: "en",
      network: "testnet",
      sandboxed,
      version: "0.1.0",
      providers: ["manual", "scripted", "openai", "openai_responses", "anthropic"],
      platform_keys: ["anthropic"],
      takes_keys: sandboxed,
      retention: { results: 30, pictures: 30, threads: null },
      retained: { results: 12, pictures: 3, threads: 1 },
      time_zone: "UTC",
    };
  }

  /** Everything of the owner is gone. */
  forget(): void {
    for (const room of this.rooms.values()) for (const listener of room.listeners) listener.close();
    for (const kept of [this.bots, this.rooms, this.uploads, this.unfinished, this.artifacts]) kept.clear();
    this.computer = { state: "standby", since_ms: 0, reason: null, commands: [] };
  }

  addBot(fields: Pick<Bot, "name"> & Partial<Bot>): Bot {
    const model = { provider: "manual" as const, base_url: "", model: "", has_key: false };
    const bot = { id: randomUUID(), instructions: "", model, created_ms: Date.now(), ...fields };
    this.bots.set(bot.id, bot);
    return bot;
  }

  addThread(botId: string, title = ""): Room {
    const now = Date.now();
    const thread: Thread = {
      id: randomUUID(),
      bot_id: botId,
      title,
      created_ms: now,
      updated_ms: now,
      head_seq: 0,
      run: null,
    };
    const room: Room = {
      ...{ thread, events: [], listeners: new Set(), tails: new Map(), accepted: new Map() },
      ...{ waiting: null, playing: Promise.resolve(), busy: 0 },
    };
    this.rooms.set(thread.id, room);
    return room;
  }

  record<K extends ThreadEvent["type"]>(room: Room, type: K, data: EventBody<K>): number {
    const seq = room.events.length + 1;
    const event = { type, seq, at_ms: Date.now(), data } as unknown as ThreadEvent;
    room.events.push(event);
    const run = type === "run.status" ? (data as Run) : (room.thread.run ?? null);
    room.thread = { ...room.thread, head_seq: seq, updated_ms: event.at_ms, run };
    this.#tell(room, JSON.stringify(event));
    return seq;
  }

  live(room: Room, frame: LiveFrame): void {
    if (frame.type === "tool.output") {
      const before = room.tails.get(frame.data.tool_call_id) ?? "";
      room.tails.set(frame.data.tool_call_id, before + frame.data.text);
    }
    this.#tell(room, JSON.stringify(frame));
  }

  join(room: Room, after: number, listener: Listener): void {
    const hello = {
      protocol: 1,
      thread_id: room.thread.id,
      head_seq: room.events.length,
      computer: this.computer,
    };
    listener.send(JSON.stringify({ type: "hello", data: hello }));
    for (const event of room.events.slice(after)) listener.send(JSON.stringify(event));
    listener.send(JSON.stringify({ type: "caught_up", data: { seq: room.events.length } }));
    for (const [id, output] of room.tails) {
      const text = output.slice(-KEPT_TAIL);
      const data = { tool_call_id: id, stream: "log", offset: output.length - text.length, text };
      listener.send(JSON.stringify({ type: "tool.output", data }));
    }
    room.listeners.add(listener);
  }

  keep(file: KeptFile): void {
    this.artifacts.set(file.id, file);
  }

  move(room: Room, state: Computer["state"], reason: string | null = null): void {
    this.computer = { ...this.computer, state, since_ms: Date.now(), reason };
    this.record(room, "computer.status", this.computer);
  }

  #tell(room: Room, text: string): void {
    for (const listener of room.listeners) {
      if (this.faults?.lose()) continue;
      listener.send(text);
      if (this.faults?.repeat()) listener.send(text);
    }
  }
}
