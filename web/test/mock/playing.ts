/** Turns a message into a run: lines with `$` become commands, anything else is answered. */
import { randomUUID } from "node:crypto";
import type { CommandResult, Message, OwnerQuestion, Run, ToolStart } from "../../src/contracts.ts";
import { type Act, act } from "./acting.ts";
import type { Room, World } from "./world.ts";

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export class Player {
  readonly #world: World;
  readonly #room: Room;

  constructor(world: World, room: Room) {
    this.#world = world;
    this.#room = room;
  }

  newRun(): Run {
    const now = Date.now();
    return {
      id: randomUUID(),
      thread_id: this.#room.thread.id,
      state: "queued",
      tainted: false,
      rounds: 0,
      error: null,
      reason: null,
      created_ms: now,
      updated_ms: now,
    };
  }

  async play(run: Run, message: Message): Promise<void> {
    const state = (next: Run["state"], part: Partial<Run> = {}) =>
      this.#world.record(this.#room, "run.status", { ...run, ...part, state: next, updated_ms: Date.now() });
    if (this.#world.stopping.has(run.id)) return void state("stopped");
    state("running");
    if (message.text.startsWith("!model")) {
      const problem = { code: "model_unavailable" as const, message: "The endpoint answered 401." };
      return void state("failed", { error: problem });
    }
    for (const line of message.text.split("\n")) {
      if (this.#world.stopping.has(run.id)) return void state("stopped");
      if (line.startsWith("$")) await this.#command(run, line.slice(1).trim());
      else if (line.trim() !== "") await this.#answer(run, line);
    }
    if (this.#world.stopping.has(run.id)) return void state("stopped");
    if (!message.text.startsWith("?")) return void state("done");
    const question = this.#ask(run);
    this.#room.waiting = run;
    state("waiting_input", { reason: "asked", question });
  }

  /** Puts a question with two choices, as the bot's call does. */
  #ask(run: Run): OwnerQuestion {
    const id = randomUUID();
    const choices = ["a.csv", "b.csv"];
    const text = "Which file do you mean?";
    const start = this.#start(run, id, "ask__owner", { question: text, kind: "choice", choices });
    this.#finish(start, { ok: true, text: "" });
    return { id, kind: "choice", text, choices };
  }

  async #answer(run: Run, line: string): Promise<void> {
    const id = randomUUID();
    const text = `You said **${line}**. A line with \`$\` runs as a command.`;
    for (let offset = 0; offset < text.length; offset += 12) {
      const data = {
        message_id: id,
        run_id: run.id,
        attempt: 1,
        offset,
        text: text.slice(offset, offset + 12),
      };
      this.#world.live(this.#room, { type: "part.delta", data });
      await rest(20);
    }
    const message: Message = { id, role: "assistant", text, run_id: run.id, created_ms: Date.now() };
    this.#world.record(this.#room, "message.created", message);
  }

  async #wake(): Promise<void> {
    if (this.#world.computer.state === "running") return;
    this.#world.move(this.#room, "starting");
    await rest(120);
    this.#world.move(this.#room, "running");
  }

  async #command(run: Run, command: string): Promise<void> {
    const id = randomUUID();
    const start = this.#start(run, id, "computer__exec", { command });
    await this.#wake();
    const acted = act(command);
    const output = await this.#print(id, run.id, acted);
    const stopped = this.#world.stopping.has(id) || this.#world.stopping.has(run.id);
    const result: CommandResult = {
      id,
      state: stopped ? "stopped" : "exited",
      exit_code: stopped ? null : acted.exitCode,
      signal: stopped ? 15 : null,
      oom: false,
      leftovers: acted.leftovers,
      duration_ms: Date.now() - start.started_ms,
      output: output.length > 16_000 ? `${output.slice(0, 4_000)}\n[…]\n${output.slice(-12_000)}` : output,
      output_bytes: output.length,
      cut_characters: Math.max(0, output.length - 16_000),
      cut_lines: output.length > 16_000 ? 3_700 : 0,
      log_path: `/workspace/.berth/logs/${id}.log`,
      log_note: null,
      egress: acted.egress,
    };
    this.#room.tails.delete(id);
    this.#finish(start, { ok: acted.exitCode === 0 && !stopped, text: output, command: result });
    if (acted.file !== null && !stopped) this.#export(run, acted.file);
  }

  async #print(id: string, runId: string, acted: Act): Promise<string> {
    let output = "";
    const stopped = () => this.#world.stopping.has(id) || this.#world.stopping.has(runId);
    for (const step of acted.steps) {
      for (let waited = 0; waited < step.wait; waited += 20) {
        if (stopped()) return output;
        await rest(Math.min(20, step.wait - waited));
      }
      if (stopped()) return output;
      const data = { tool_call_id: id, stream: "stdout" as const, offset: output.length, text: step.text };
      this.#world.live(this.#room, { type: "tool.output", data });
      output += step.text;
      this.#world.logs.set(id, output);
    }
    return output;
  }

  #export(run: Run, file: NonNullable<Act["file"]>): void {
    const id = randomUUID();
    const start = this.#start(run, id, "computer__export_artifact", { path: file.name });
    const artifact = {
      id: randomUUID(),
      thread_id: this.#room.thread.id,
      run_id: run.id,
      tool_call_id: id,
      name: file.name,
      media_type: file.media_type,
      size: file.content.length,
      sha256: "0".repeat(64),
      created_ms: Date.now(),
    };
    this.#world.keep({ id: artifact.id, ...file });
    this.#world.record(this.#room, "artifact.created", artifact);
    this.#finish(start, { ok: true, text: "Exported.", artifact_id: artifact.id });
  }

  #start(run: Run, id: string, tool: string, args: Record<string, unknown>): ToolStart {
    const round = 1;
    const start = { tool_call_id: id, run_id: run.id, round, tool, arguments: args, started_ms: Date.now() };
    this.#world.record(this.#room, "tool.started", start);
    return start;
  }

  #finish(
    start: ToolStart,
    part: { ok: boolean; text: string; command?: CommandResult; artifact_id?: string },
  ) {
    const { tool_call_id, run_id, round, tool } = start;
    const finish = { tool_call_id, run_id, round, tool, nonce: "n", finished_ms: Date.now(), ...part };
    this.#world.record(this.#room, "tool.finished", finish);
  }
}
