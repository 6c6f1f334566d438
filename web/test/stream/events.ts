/** Events as a server records them, short enough to write many. */
import type { Computer, Run, ToolFinish } from "../../src/contracts.ts";
import type { ThreadEvent } from "../../src/stream/frames.ts";

type Body<K extends ThreadEvent["type"]> = Extract<ThreadEvent, { type: K }>["data"];

export function event<K extends ThreadEvent["type"]>(seq: number, type: K, data: Body<K>): ThreadEvent {
  return { type, seq, at_ms: seq * 1_000, data } as unknown as ThreadEvent;
}

export const said = (seq: number, text: string, clientId: string | null = null): ThreadEvent =>
  event(seq, "message.created", { id: `m${seq}`, role: "user", text, client_id: clientId, created_ms: seq });

export const answered = (seq: number, text: string, id = `m${seq}`): ThreadEvent =>
  event(seq, "message.created", { id, role: "assistant", text, run_id: "r", round: 1, created_ms: seq });

export const started = (seq: number, id: string, tool = "computer__exec", args: object = { command: "ls" }) =>
  event(seq, "tool.started", {
    tool_call_id: id,
    run_id: "r",
    round: 1,
    tool,
    arguments: args as Record<string, unknown>,
    started_ms: seq,
  });

export const finished = (seq: number, id: string, part: Partial<ToolFinish> = {}): ThreadEvent =>
  event(seq, "tool.finished", {
    tool_call_id: id,
    run_id: "r",
    round: 1,
    tool: "computer__exec",
    ok: true,
    text: "",
    nonce: "n",
    finished_ms: seq,
    ...part,
  });

export const run = (seq: number, state: Run["state"], part: Partial<Run> = {}): ThreadEvent =>
  event(seq, "run.status", {
    id: "r",
    thread_id: "t",
    state,
    tainted: false,
    rounds: 1,
    created_ms: 0,
    updated_ms: seq,
    ...part,
  });

export const computer = (
  seq: number,
  state: Computer["state"],
  since: number,
  reason: string | null = null,
) => event(seq, "computer.status", { state, since_ms: since, reason, commands: [] });

export const hello = (headSeq: number, part: Partial<Computer> = {}, protocol = 1) => ({
  type: "hello",
  data: {
    protocol,
    thread_id: "t",
    head_seq: headSeq,
    computer: { state: "standby", since_ms: 0, reason: null, commands: [], ...part },
  },
});

export const caughtUp = (seq: number) => ({ type: "caught_up", data: { seq } });

export const output = (id: string, offset: number, text: string) => ({
  type: "tool.output",
  data: { tool_call_id: id, stream: "stdout", offset, text },
});

export const delta = (id: string, offset: number, text: string, attempt = 1) => ({
  type: "part.delta",
  data: { message_id: id, run_id: "r", attempt, offset, text },
});
