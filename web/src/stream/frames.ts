/**
 * What arrives on a thread's socket, sorted into the few kinds that the client treats differently.
 *
 * A persisted event has a `seq` and changes the thread; a live frame has none and is only a hint. An event
 * of a type that this page does not know keeps its number and is shown as it is, never dropped.
 */
import type { Everything } from "../contracts.ts";

export type ThreadEvent = Everything["events"]["items"][number];
export type LiveFrame = Everything["live"];

export interface OpaqueEvent {
  type: string;
  seq: number;
  at_ms: number;
  data: unknown;
}

export type Frame =
  | { kind: "event"; seq: number; event: ThreadEvent }
  | { kind: "opaque"; seq: number; event: OpaqueEvent }
  | { kind: "live"; frame: LiveFrame }
  | { kind: "other" };

const EVENTS: Record<ThreadEvent["type"], true> = {
  "message.created": true,
  "reasoning.created": true,
  "tool.started": true,
  "tool.finished": true,
  "artifact.created": true,
  "approval.requested": true,
  "approval.decided": true,
  "intent.updated": true,
  "run.status": true,
  "computer.status": true,
  notice: true,
};

const LIVE: Record<LiveFrame["type"], true> = {
  hello: true,
  caught_up: true,
  "part.delta": true,
  "reasoning.delta": true,
  "tool.output": true,
  "thread.titled": true,
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Only the outline is checked: both ends are built from the same models. */
export function readFrame(text: string): Frame {
  const frame: unknown = JSON.parse(text);
  if (!isObject(frame) || typeof frame.type !== "string") return { kind: "other" };
  if (typeof frame.seq === "number") {
    const seq = frame.seq;
    if (frame.type in EVENTS && isObject(frame.data)) {
      return { kind: "event", seq, event: frame as unknown as ThreadEvent };
    }
    return { kind: "opaque", seq, event: frame as unknown as OpaqueEvent };
  }
  if (frame.type in LIVE && isObject(frame.data)) {
    return { kind: "live", frame: frame as unknown as LiveFrame };
  }
  return { kind: "other" };
}
