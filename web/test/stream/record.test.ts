import { describe, expect, it } from "vitest";
import type { Intent } from "../../src/contracts.ts";
import type { Card, TerminalCard } from "../../src/stream/cards.ts";
import type { ThreadEvent } from "../../src/stream/frames.ts";
import { applyDelta, applyEvent, applyTail } from "../../src/stream/record.ts";
import { EMPTY_TAIL, extend } from "../../src/stream/tail.ts";
import { ThreadStore } from "../../src/stream/thread-store.ts";
import { answered, computer, delta, event, finished, run, said, started } from "./events.ts";
import { Rig } from "./rig.ts";

function storeOf(...events: ThreadEvent[]): ThreadStore {
  const store = new ThreadStore(new Rig().frame);
  for (const one of events) applyEvent(store, one);
  return store;
}

const kinds = (store: ThreadStore) => [...store.cards()].map((card) => card.kind);

function only<K extends Card["kind"]>(store: ThreadStore, kind: K): Extract<Card, { kind: K }> {
  const found = [...store.cards()].filter((card) => card.kind === kind);
  expect(found).toHaveLength(1);
  return found[0] as Extract<Card, { kind: K }>;
}

const artifact = (seq: number, call: string) =>
  event(seq, "artifact.created", {
    id: "a1",
    thread_id: "t",
    run_id: "r",
    tool_call_id: call,
    name: "chart.svg",
    media_type: "image/svg+xml",
    size: 10,
    sha256: "",
    created_ms: seq,
  });

describe("messages", () => {
  it("keys a person's message by the id that its page gave it", () => {
    expect(only(storeOf(said(1, "hi", "client-1")), "user")).toMatchObject({ key: "client-1", send: null });
  });

  it("keeps equal texts apart", () => {
    expect(kinds(storeOf(said(1, "hi", "c1"), said(2, "hi", "c2")))).toEqual(["user", "user"]);
  });

  it("lets the recorded answer take the place of the one being written", () => {
    const store = storeOf(said(1, "hi"));
    applyDelta(store, "assistant", delta("b", 0, "Hel").data);
    applyDelta(store, "assistant", delta("b", 3, "lo").data);
    expect(only(store, "assistant")).toMatchObject({ text: "Hello", done: false });
    applyEvent(store, answered(2, "Hello there", "b"));
    expect(only(store, "assistant")).toMatchObject({ text: "Hello there", done: true });
  });

  it.each([
    ["repeated", [delta("b", 0, "Hello"), delta("b", 0, "Hello")], "Hello"],
    ["overlapping", [delta("b", 0, "Hello"), delta("b", 3, "lo you")], "Hello you"],
    ["with emoji", [delta("b", 0, "🚢"), delta("b", 1, "!")], "🚢!"],
    ["of a newer attempt", [delta("b", 0, "Hello"), delta("b", 0, "Good", 2)], "Good"],
    ["of an abandoned attempt", [delta("b", 0, "Good", 2), delta("b", 0, "Hello", 1)], "Good"],
  ])("takes pieces of an answer that are %s", (_, deltas, text) => {
    const store = storeOf();
    for (const one of deltas) applyDelta(store, "assistant", one.data);
    expect(only(store, "assistant").text).toBe(text);
  });

  it("ignores a late piece of an answer that is recorded", () => {
    const store = storeOf(answered(1, "Done", "b"));
    applyDelta(store, "assistant", delta("b", 0, "Do").data);
    expect(only(store, "assistant").text).toBe("Done");
  });

  it("keeps what the model says to itself apart from its answer", () => {
    const store = storeOf(run(1, "running"));
    applyDelta(store, "reasoning", delta("t", 0, "Fir").data);
    applyDelta(store, "reasoning", delta("t", 3, "st").data);
    applyDelta(store, "assistant", delta("b", 0, "Hel").data);
    expect(only(store, "reasoning")).toMatchObject({ text: "First", done: false });
    const reasoning = { id: "t", run_id: "r", round: 1, text: "First this", cut: true, created_ms: 2 };
    applyEvent(store, event(2, "reasoning.created", reasoning));
    expect(only(store, "reasoning")).toMatchObject({ text: "First this", done: true, cut: true });
    applyEvent(store, run(3, "failed"));
    expect(kinds(store)).toEqual(["reasoning", "run"]);
  });

  it("says why an answer is not whole", () => {
    const message = { id: "b", role: "assistant" as const, text: "Half", ended: "length" as const };
    const store = storeOf(event(1, "message.created", { ...message, created_ms: 1 }));
    expect(only(store, "assistant").ended).toBe("length");
  });

  it("drops a half-written answer when its run is over without it", () => {
    const store = storeOf(run(1, "running"));
    applyDelta(store, "assistant", delta("b", 0, "Hel").data);
    applyEvent(store, run(2, "stopped"));
    expect(kinds(store)).toEqual(["run"]);
  });
});

describe("commands", () => {
  it("shows output while it runs and the result afterwards, on the same card", () => {
    const store = storeOf(started(1, "c", "computer__exec", { command: "make" }));
    applyTail(store, "c", extend(EMPTY_TAIL, 0, "building"));
    expect(only(store, "terminal")).toMatchObject({ command: "make", finishedMs: null });
    const command = { id: "c", state: "exited" as const, exit_code: 0, duration_ms: 5, output: "built" };
    applyEvent(store, finished(2, "c", { command }));
    expect(only(store, "terminal")).toMatchObject({ finishedMs: 2, result: { output: "built" } });
  });

  it("takes no more output once it has ended", () => {
    const store = storeOf(started(1, "c"), finished(2, "c"));
    applyTail(store, "c", extend(EMPTY_TAIL, 0, "late"));
    expect((store.card("c") as TerminalCard).tail).toBe(EMPTY_TAIL);
  });

  it("says of a command without an end on record that its run is over", () => {
    const store = storeOf(started(1, "c"), run(2, "failed"));
    expect(only(store, "terminal")).toMatchObject({ abandoned: true, finishedMs: null });
  });
});

describe("other tools", () => {
  it.each([
    ["computer__read_file", { path: "a.py" }, { kind: "file", action: "read", path: "a.py" }],
    ["computer__write_file", { path: "a", content: "x" }, { kind: "file", action: "write", content: "x" }],
    ["computer__edit_file", { path: "a", oldText: "x", newText: "y" }, { kind: "file", action: "edit" }],
    ["computer__export_artifact", { path: "a.svg" }, { kind: "artifact", artifact: null }],
    ["memory__remember", { what: "x" }, { kind: "tool", tool: "memory__remember" }],
    ["computer__exec", { command: 7 }, { kind: "terminal", command: "" }],
  ])("gives %s its card", (tool, args, card) => {
    expect(storeOf(started(1, "c", tool, args)).card("c")).toMatchObject(card);
  });

  it("shows what was read", () => {
    const store = storeOf(
      started(1, "c", "computer__read_file", { path: "a" }),
      finished(2, "c", { text: "1\tx" }),
    );
    expect(only(store, "file").content).toBe("1\tx");
  });

  it("turns the export's card into the artifact's", () => {
    const store = storeOf(started(1, "c", "computer__export_artifact", { path: "a" }), artifact(2, "c"));
    expect(only(store, "artifact")).toMatchObject({ key: "c", artifact: { id: "a1" } });
  });

  it("shows an artifact whose call is not known", () => {
    expect(only(storeOf(artifact(1, "c")), "artifact").artifact?.name).toBe("chart.svg");
  });

  it("keeps the failure of a call", () => {
    const error = { code: "not_found" as const, message: "No a.py." };
    const store = storeOf(
      started(1, "c", "computer__read_file", { path: "a" }),
      finished(2, "c", { ok: false, error }),
    );
    expect(only(store, "file").problem).toEqual(error);
  });
});

describe("runs and the computer", () => {
  it("gives a row to what a person should know and none to the rest", () => {
    expect(kinds(storeOf(run(1, "queued"), run(2, "running"), run(3, "done")))).toEqual([]);
    expect(kinds(storeOf(run(1, "running"), run(2, "stopped")))).toEqual(["run"]);
  });

  it("goes on with a branch's own run where the one of its beginning ended, without a row for that end", () => {
    const branched = { reason: "branched" };
    const store = storeOf(
      started(1, "c"),
      run(2, "waiting_input"),
      run(3, "stopped", branched),
      said(4, "that"),
    );
    expect(kinds(store)).toEqual(["terminal", "user"]);
    expect(only(store, "terminal")).toMatchObject({ abandoned: true });
    applyEvent(store, run(5, "running", { id: "own" }));
    expect(store.facts().run).toMatchObject({ id: "own" });
  });

  it("takes the question away when the run goes on", () => {
    const store = storeOf(run(1, "waiting_input"), said(2, "the first"), run(3, "running"));
    expect(kinds(store)).toEqual(["user"]);
    expect(store.facts().run?.state).toBe("running");
  });

  it("opens the question that its run waits for, and leaves it in the thread", () => {
    const ask = started(1, "c", "ask__owner", { question: "Which?", kind: "choice", choices: ["a", "b"] });
    const question = { id: "c", kind: "choice" as const, text: "Which?", choices: ["a", "b"] };
    const waiting = [ask, finished(2, "c"), run(3, "waiting_input", { question })];
    const store = storeOf(...waiting);
    expect(kinds(store)).toEqual(["question"]);
    expect(only(store, "question")).toMatchObject({ open: true, question });
    const on = storeOf(...waiting, said(4, "b"), run(5, "running"));
    expect(kinds(on)).toEqual(["question", "user"]);
    expect(only(on, "question")).toMatchObject({ open: false, question });
  });

  it("shows a waiting run whose question it does not have", () => {
    const store = storeOf(run(1, "waiting_input", { question: { kind: "continue" } }));
    expect(kinds(store)).toEqual(["run"]);
  });

  it("keeps the run of the thread while another is queued, and then puts the message where it begins", () => {
    const late = event(2, "message.created", {
      ...{ id: "m", role: "user", text: "later", run_id: "r2", queued: true, created_ms: 2 },
    });
    const before = [run(1, "running"), late, run(3, "queued", { id: "r2" })];
    const store = storeOf(...before, answered(4, "first"));
    expect(store.facts().run?.id).toBe("r");
    expect(only(store, "user").queued).toBe(true);
    const next = storeOf(...before, answered(4, "first"), run(5, "done"), run(6, "running", { id: "r2" }));
    expect(kinds(next)).toEqual(["assistant", "user"]);
    expect(only(next, "user").queued).toBe(false);
    expect(next.facts().run?.id).toBe("r2");
    const back = storeOf(...before, run(4, "stopped", { id: "r2" }));
    expect(kinds(back)).toEqual(["user", "run"]);
    expect(back.facts().run?.id).toBe("r");
  });

  it("shows a second question where it was asked", () => {
    const store = storeOf(run(1, "waiting_input"), said(2, "a"), run(3, "running"), run(4, "waiting_input"));
    expect(kinds(store)).toEqual(["user", "run"]);
  });

  it.each([
    [1_999, 0],
    [2_001, 1],
  ])("says how long the computer took to wake only when it was slow: %i ms", (ms, rows) => {
    expect(kinds(storeOf(computer(1, "starting", 0), computer(2, "running", ms)))).toHaveLength(rows);
  });

  it("says why the computer stopped, and nothing of an ordinary standby", () => {
    expect(kinds(storeOf(computer(1, "running", 0), computer(2, "standby", 9)))).toEqual([]);
    const store = storeOf(
      computer(1, "standby", 1, "start_failed"),
      computer(2, "standby", 2, "start_failed"),
    );
    expect(only(store, "status").computer.since_ms).toBe(2);
  });

  it("says once that the computer was banned, and once that it may run again", () => {
    const ban = { reason: "mining", at_ms: 0 };
    const banned = (seq: number, state: "running" | "standby") =>
      event(seq, "computer.status", { state, since_ms: seq, reason: null, commands: [], ban });
    const store = storeOf(computer(1, "running", 1), banned(2, "running"), banned(3, "standby"));
    expect(only(store, "status")).toMatchObject({ key: "event:2", banChanged: true, computer: { ban } });
    applyEvent(store, said(4, "a"));
    applyEvent(store, computer(5, "standby", 3));
    applyEvent(store, computer(6, "starting", 6));
    expect(kinds(store)).toEqual(["status", "user", "status"]);
  });
});

describe("approvals", () => {
  const intent = (seq: number, type: "approval.requested" | "intent.updated", state: Intent["state"]) =>
    event(seq, type, { id: "int_1", state, source: { run_id: "r", tool_call_id: "c" } } as unknown as Intent);

  it("keep their row from the question to the outcome, and need no second one", () => {
    const store = storeOf(intent(1, "approval.requested", "pending"), run(2, "waiting_approval"));
    expect(kinds(store)).toEqual(["approval"]);
    applyEvent(store, intent(3, "intent.updated", "executed"));
    expect(only(store, "approval")).toMatchObject({ at: 1_000, intent: { state: "executed" } });
  });

  it("have their call wait for the person until they are decided", () => {
    const call = event(1, "tool.started", {
      ...{ tool_call_id: "c", run_id: "r", round: 1, tool: "hl__place_orders", arguments: {}, started_ms: 1 },
    });
    const store = storeOf(call);
    expect(only(store, "tool")).toMatchObject({ waits: false });
    applyEvent(store, intent(2, "approval.requested", "pending"));
    expect(only(store, "tool")).toMatchObject({ waits: true });
    applyEvent(store, intent(3, "intent.updated", "submitting"));
    expect(only(store, "tool")).toMatchObject({ waits: false, finishedMs: null });
  });

  it("leave the row of a run whose card is not there", () => {
    expect(kinds(storeOf(run(1, "waiting_approval")))).toEqual(["run"]);
  });
});
