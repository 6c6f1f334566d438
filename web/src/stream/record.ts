/**
 * What each event makes of the conversation. The same function serves the replay and the live stream.
 *
 * Rows stand in the order of the events that began them; a later event about the same thing changes its row.
 */
import type { Computer, Intent, Reasoning, Run, RunState, ToolFinish, ToolStart } from "../contracts.ts";
import { type CallCard, type Card, finishOf, isCall, isWritten, type WrittenCard } from "./cards.ts";
import { characterCount, withoutFirst } from "./characters.ts";
import type { LiveFrame, OpaqueEvent, ThreadEvent } from "./frames.ts";
import { EMPTY_TAIL, type Tail } from "./tail.ts";
import { BEING_WRITTEN, RECORDED, type ThreadStore } from "./thread-store.ts";

/** A start that takes longer than this is worth a line. */
export const SLOW_START_MS = 2_000;

const ENDED: ReadonlySet<RunState> = new Set<RunState>(["done", "failed", "stopped"]);
const WORTH_A_ROW: ReadonlySet<RunState> = new Set<RunState>([
  "failed",
  "stopped",
  "waiting_input",
  "waiting_approval",
  "waiting_takeover",
]);

export function runIsOver(run: Run | null | undefined): boolean {
  return run === null || run === undefined || ENDED.has(run.state);
}

export function runIsActive(run: Run | null | undefined): boolean {
  return run?.state === "queued" || run?.state === "running";
}

export function applyEvent(store: ThreadStore, event: ThreadEvent): void {
  switch (event.type) {
    case "message.created":
      return applyMessage(store, event);
    case "reasoning.created":
      return applyReasoning(store, event.data);
    case "tool.started":
      return store.put(startedCall(event.data));
    case "tool.finished":
      return applyFinish(store, event.data);
    case "artifact.created": {
      const artifact = event.data;
      if (store.card(artifact.tool_call_id)?.kind !== "artifact") store.put(soleArtifact(event));
      return store.patch(artifact.tool_call_id, (card) =>
        card.kind === "artifact" ? { ...card, artifact } : card,
      );
    }
    case "approval.requested":
    case "approval.decided":
    case "intent.updated":
      return applyIntent(store, event.at_ms, event.data);
    case "run.status":
      return applyRun(store, event.at_ms, event.data);
    case "computer.status":
      return applyComputer(store, event.seq, event.at_ms, event.data);
    case "notice":
      return store.put({ kind: "notice", key: `event:${event.seq}`, at: event.at_ms, notice: event.data });
  }
}

export function applyOpaque(store: ThreadStore, event: OpaqueEvent): void {
  store.put({ kind: "opaque", key: `event:${event.seq}`, at: event.at_ms, type: event.type });
}

function applyMessage(store: ThreadStore, event: Extract<ThreadEvent, { type: "message.created" }>): void {
  const message = event.data;
  if (message.role === "user") {
    const key = message.client_id ?? message.id;
    const uploads = message.uploads ?? [];
    return store.put({
      kind: "user",
      key,
      at: message.created_ms,
      text: message.text,
      uploads,
      send: null,
      problem: null,
      runId: message.run_id ?? null,
      seq: event.seq,
      queued: message.queued ?? false,
      routine: message.routine ?? null,
      model: message.model ?? null,
      effort: message.effort ?? null,
    });
  }
  store.put({
    kind: "assistant",
    key: message.id,
    at: message.created_ms,
    runId: message.run_id ?? null,
    text: message.text,
    from: 0,
    attempt: Number.POSITIVE_INFINITY,
    done: true,
    ended: message.ended ?? null,
  });
}

function applyReasoning(store: ThreadStore, reasoning: Reasoning): void {
  store.put({
    kind: "reasoning",
    key: reasoning.id,
    at: reasoning.created_ms,
    runId: reasoning.run_id,
    text: reasoning.text,
    from: 0,
    attempt: Number.POSITIVE_INFINITY,
    done: true,
    cut: reasoning.cut ?? false,
  });
}

function startedCall(start: ToolStart): CallCard {
  const base = {
    key: start.tool_call_id,
    at: start.started_ms,
    runId: start.run_id,
    startedMs: start.started_ms,
    finishedMs: null,
    ok: false,
    problem: null,
    text: "",
    abandoned: false,
  };
  const word = (name: string) => {
    const value = start.arguments[name];
    return typeof value === "string" ? value : "";
  };
  switch (start.tool) {
    case "computer__exec":
      return { ...base, kind: "terminal", command: word("command"), tail: EMPTY_TAIL, result: null };
    case "computer__read_file":
      return {
        ...base,
        kind: "file",
        action: "read",
        path: word("path"),
        content: "",
        change: null,
        picture: null,
      };
    case "computer__write_file":
      return {
        ...base,
        kind: "file",
        action: "write",
        path: word("path"),
        content: word("content"),
        change: null,
        picture: null,
      };
    case "computer__edit_file":
      return {
        ...base,
        kind: "file",
        action: "edit",
        path: word("path"),
        content: "",
        change: null,
        picture: null,
      };
    case "computer__export_artifact":
      return { ...base, kind: "artifact", path: word("path"), artifact: null };
    case "ask__owner":
      return { ...base, kind: "question", question: { kind: "text", text: word("question") }, open: false };
    default:
      return { ...base, kind: "tool", tool: start.tool, arguments: start.arguments, waits: false };
  }
}

function soleArtifact(event: Extract<ThreadEvent, { type: "artifact.created" }>): Card {
  const { tool_call_id, run_id, name, created_ms } = event.data;
  return {
    kind: "artifact",
    key: tool_call_id,
    at: created_ms,
    runId: run_id,
    startedMs: created_ms,
    finishedMs: created_ms,
    ok: true,
    problem: null,
    text: "",
    abandoned: false,
    path: name,
    artifact: null,
  };
}

function applyFinish(store: ThreadStore, finish: ToolFinish): void {
  store.patch(finish.tool_call_id, (card) => {
    if (!isCall(card)) return card;
    const ended = { ...card, ...finishOf(finish), abandoned: false };
    if (ended.kind === "terminal") return { ...ended, result: finish.command ?? null };
    if (ended.kind !== "file") return ended;
    if (ended.action === "read") return { ...ended, content: finish.text, picture: finish.picture ?? null };
    return { ...ended, change: finish.change ?? null };
  });
}

/** An approval keeps its place from the question to its outcome. */
function applyIntent(store: ThreadStore, at: number, intent: Intent): void {
  const known = store.card(intent.id);
  store.put({ kind: "approval", key: intent.id, at: known?.at ?? at, intent });
  const waits = intent.state === "pending";
  store.patch(intent.source.tool_call_id, (card) => (card.kind === "tool" ? { ...card, waits } : card));
  if (waits) store.remove(`run:${intent.source.run_id}`);
}

/** Whether a card of the run asks already what the run waits for. */
function isAsked(store: ThreadStore, run: Run): boolean {
  if (run.state !== "waiting_approval") return false;
  return [...store.cards()].some(
    (card) =>
      card.kind === "approval" && card.intent.source.run_id === run.id && card.intent.state === "pending",
  );
}

function applyRun(store: ThreadStore, at: number, run: Run): void {
  const current = store.facts().run;
  // One that is queued behind the run of the thread changes nothing about that one.
  if (run.id === current?.id || runIsOver(current)) store.know({ run });
  store.remove(`run:${run.id}`);
  if (run.state !== "queued") takeUp(store, run);
  if (ENDED.has(run.state)) closeRun(store, run.id);
  const asked = openQuestion(store, run) || isAsked(store, run);
  // Taken away and put again, so that a run that waits twice shows the second wait where it happened. One that is
  // under way where a branch begins ends there for the branch alone: nobody has stopped it.
  if (WORTH_A_ROW.has(run.state) && !asked && run.reason !== "branched")
    store.put({ kind: "run", key: `run:${run.id}`, at, run });
}

/** A queued message stands where its run begins: the bot reads it there. */
function takeUp(store: ThreadStore, run: Run): void {
  for (const card of [...store.cards()]) {
    if (card.kind !== "user" || card.runId !== run.id || !card.queued) continue;
    if (run.state === "running") store.remove(card.key);
    store.put({ ...card, queued: false });
  }
}

/** Opens the question that the run waits for and closes its others; returns whether there is one to open. */
function openQuestion(store: ThreadStore, run: Run): boolean {
  const { question } = run;
  for (const card of store.cards()) {
    if (card.kind !== "question" || card.runId !== run.id) continue;
    const open = question?.id === card.key;
    store.patch(card.key, (one) =>
      one.kind === "question" ? { ...one, open, question: open ? question : one.question } : one,
    );
  }
  return store.card(question?.id ?? "")?.kind === "question";
}

/** Whatever the run left open has no end on record; a half-written answer was never given. */
function closeRun(store: ThreadStore, runId: string): void {
  for (const card of [...store.cards()]) {
    if (isCall(card) && card.runId === runId && card.finishedMs === null) {
      store.patch(card.key, (open) => (isCall(open) ? { ...open, abandoned: true } : open));
    }
    if (isWritten(card) && card.runId === runId && !card.done) store.remove(card.key);
  }
}

function applyComputer(store: ThreadStore, seq: number, at: number, computer: Computer): void {
  const before = store.facts().computer;
  store.know({ computer });
  const started = computer.state === "running" && before?.state === "starting";
  const tookMs = started ? computer.since_ms - before.since_ms : null;
  const slow = tookMs !== null && tookMs > SLOW_START_MS;
  const lost = computer.state === "standby" && computer.reason;
  const banChanged = Boolean(computer.ban) !== Boolean(before?.ban);
  if (!slow && !lost && !banChanged) return;
  // Of several such lines in a row only the newest says something.
  const last = store.lastRecorded();
  if (last?.kind === "status") store.remove(last.key);
  store.put({ kind: "status", key: `event:${seq}`, at, computer, tookMs, banChanged });
}

type Delta = Extract<LiveFrame, { type: "part.delta" }>["data"];

/** `kind` says which of the two texts that a model writes the piece belongs to. */
export function applyDelta(store: ThreadStore, kind: WrittenCard["kind"], delta: Delta): void {
  const key = delta.message_id;
  const known = store.card(key);
  if (known === undefined) {
    const { run_id: runId, attempt, offset: from, text } = delta;
    const fresh = { key, at: 0, runId, attempt, from, text, done: false };
    const card: WrittenCard =
      kind === "assistant" ? { ...fresh, kind, ended: null } : { ...fresh, kind, cut: false };
    return store.put(card, BEING_WRITTEN);
  }
  if (store.rankOf(key) === RECORDED) return;
  store.patch(key, (card) => (isWritten(card) ? continued(card, delta) : card));
}

function continued<Written extends WrittenCard>(card: Written, delta: Delta): Written {
  if (delta.attempt < card.attempt) return card;
  if (delta.attempt > card.attempt) {
    return { ...card, attempt: delta.attempt, from: delta.offset, text: delta.text };
  }
  const end = card.from + characterCount(card.text);
  if (delta.offset + characterCount(delta.text) <= end) return card;
  if (delta.offset > end) return { ...card, from: delta.offset, text: delta.text };
  return { ...card, text: card.text + withoutFirst(delta.text, end - delta.offset) };
}

export function applyTail(store: ThreadStore, callId: string, tail: Tail): void {
  store.patch(callId, (card) =>
    card.kind === "terminal" && card.finishedMs === null ? { ...card, tail } : card,
  );
}
