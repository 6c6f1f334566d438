/** One card for each state that a conversation can show. */
import type { Artifact, CommandResult, Computer, Problem, Run } from "../contracts.ts";
import type { Card, TerminalCard } from "../stream/cards.ts";
import { EMPTY_TAIL, extend, type Tail } from "../stream/tail.ts";
import { APPROVALS } from "./approvals.ts";

const ESC = String.fromCharCode(27);
const NOW = Date.now();
const RUN = "run";

const call = {
  at: NOW,
  runId: RUN,
  startedMs: NOW - 12_000,
  finishedMs: null,
  ok: false,
  problem: null,
  text: "",
  abandoned: false,
};
const ended = { ...call, finishedMs: NOW };

function result(part: Partial<CommandResult>): CommandResult {
  return {
    id: "c",
    state: "exited",
    exit_code: 0,
    duration_ms: 3_240,
    output: "",
    log_path: "/workspace/.berth/logs/call_01M8P0DPWG1P4VY07KYMVVV6B9.log",
    ...part,
  };
}

function tail(text: string): Tail {
  return extend(EMPTY_TAIL, 0, text);
}

function terminal(key: string, part: Partial<TerminalCard>): TerminalCard {
  return { ...ended, kind: "terminal", key, command: "pytest -q", tail: EMPTY_TAIL, result: null, ...part };
}

function problem(code: Problem["code"], message: string): Problem {
  return { code, message };
}

const TABLE = [
  `${ESC}[90mloading data/funding.csv${ESC}[0m`,
  "168 rows, 7 markets",
  `${ESC}[32mok${ESC}[0m resample 24h`,
  `${ESC}[33mwarn${ESC}[0m 3 gaps filled in PURR`,
  "market   mean      max       sigma",
  "BTC      0.00011   0.00031   0.00006",
  "ETH      0.00013   0.00042   0.00009",
  "SOL      0.00019   0.00077   0.00018",
  `fitting model  ${"█".repeat(12)}${"░".repeat(4)}  74%`,
].join("\n");

const FAILED = `tests/test_z.py F.\n${ESC}[31mE   assert 2.31 < 2.0${ESC}[0m\n${ESC}[1m1 failed${ESC}[0m, 1 passed in 2.9s\n`;
const DIFF = [
  "--- a/src/zscore.py",
  "+++ b/src/zscore.py",
  "@@ -3,3 +3,4 @@",
  " def zscore(series, window):",
  "-    return series / series.std()",
  "+    mean = series.rolling(window).mean()",
  "+    return (series - mean) / series.rolling(window).std()",
  " ",
  "",
].join("\n");
const LONG = Array.from({ length: 60 }, (_, i) => `row ${i}\t${(i * 37) % 101}`).join("\n");

const command = "python analyze.py --window 24h --out funding-7d.png";

const terminals: TerminalCard[] = [
  terminal("running", { ...call, command, tail: tail(TABLE) }),
  terminal("silent", { ...call, command: "sleep 60" }),
  terminal("late", { ...call, command: "make -j4", tail: extend(EMPTY_TAIL, 90_000, TABLE) }),
  terminal("finished", {
    command,
    ok: true,
    result: result({
      output: TABLE,
      egress: [
        { host: "files.example.net", method: "GET", allowed: true, reason: "package files", count: 12 },
        { host: "index.example.net", method: "GET", allowed: true, reason: "package index", count: 3 },
      ],
    }),
  }),
  terminal("failed", { result: result({ exit_code: 1, output: FAILED, leftovers: 2 }) }),
  terminal("denied", {
    command: "curl -sS https://example.com/upload -d @data.csv",
    result: result({
      exit_code: 22,
      output: "curl: (22) The requested URL returned error: 403",
      egress: [
        {
          host: "example.com",
          method: "POST",
          allowed: false,
          reason: "default: no rule allows POST example.com:443",
          count: 3,
        },
      ],
    }),
  }),
  terminal("cut", {
    command: "cat big.log",
    ok: true,
    result: result({ output: LONG, cut_characters: 48_211, cut_lines: 902, output_bytes: 64_211 }),
  }),
  terminal("script", {
    command: "set -e\ncd data\nfor f in *.csv; do\n  wc -l $f\ndone",
    ok: true,
    result: result({ output: "" }),
  }),
  terminal("timeout", {
    command: "sleep 600",
    result: result({ state: "timed_out", exit_code: null, signal: 15 }),
  }),
  terminal("stopped", {
    command: "yes | head -c 1G",
    result: result({
      state: "stopped",
      exit_code: null,
      signal: 15,
      output: LONG,
      output_bytes: 1_000_000_000,
      cut_characters: 999_984_086,
      cut_lines: null,
      log_note: "The log has the first 67,108,864 bytes only: that is its limit.",
    }),
  }),
  terminal("signal", {
    command: "./crash",
    result: result({ state: "signalled", exit_code: null, signal: 11 }),
  }),
  terminal("oom", {
    command: "python -c 'x=[0]*10**10'",
    result: result({ state: "signalled", signal: 9, oom: true }),
  }),
  terminal("full", {
    command: "./download.sh",
    result: result({ state: "signalled", signal: 9, workspace_full: true }),
  }),
  terminal("lost", {
    command: "./train.sh",
    result: result({ state: "lost", exit_code: null, output: "epoch 3" }),
  }),
  terminal("busy", {
    problem: problem(
      "computer_busy",
      "Four commands are running: make -j4, ./train.sh, sleep 60, pytest -q.",
    ),
  }),
  terminal("exhausted", {
    ...ended,
    command: "python train.py",
    problem: {
      ...problem("computer_allowance_exhausted", "The platform allowance is used up."),
      details: {
        balance_micro: -41_113,
        spent_micro: 20_041_113,
        monthly_micro: 20_000_000,
        resets_ms: Date.UTC(2026, 10, 30, 23),
        time_zone: "Europe/Berlin",
      },
    },
  }),
  terminal("paused", {
    ...ended,
    command: "python train.py",
    problem: problem(
      "computer_circuit_open",
      "No computer can be used at present: the platform's budget for the day is used up.",
    ),
  }),
  terminal("abandoned", { ...call, command: "sleep 5", abandoned: true, tail: tail("half a line") }),
];

const artifact = (part: Partial<Artifact>): Artifact => ({
  id: "chart",
  thread_id: "t",
  run_id: RUN,
  tool_call_id: "a",
  name: "funding-7d.svg",
  media_type: "image/svg+xml",
  size: 49_356,
  sha256: "0".repeat(64),
  created_ms: NOW,
  ...part,
});

const files: Card[] = [
  {
    ...call,
    kind: "file",
    key: "reading",
    action: "read",
    path: "data/funding.csv",
    content: "",
    change: null,
    picture: null,
  },
  {
    ...ended,
    kind: "file",
    key: "wrote",
    action: "write",
    path: "analyze.py",
    content: "import csv\nprint(1)\n",
    ok: true,
    change: null,
    picture: null,
  },
  {
    ...ended,
    kind: "file",
    key: "outside",
    action: "read",
    path: "../etc/shadow",
    content: "",
    problem: problem("path_outside_workspace", "../etc/shadow leads out of /workspace."),
    change: null,
    picture: null,
  },
  {
    ...ended,
    ok: true,
    kind: "file",
    key: "edited",
    action: "edit",
    path: "src/zscore.py",
    content: "",
    picture: null,
    text: DIFF,
    change: {
      path: "src/zscore.py",
      size: 812,
      added: 2,
      removed: 1,
      compared: true,
      created: false,
      cut: true,
    },
  },
  { ...call, kind: "artifact", key: "exporting", path: "funding-7d.svg", artifact: null },
  { ...ended, kind: "artifact", key: "chart", path: "funding-7d.svg", artifact: artifact({}) },
  {
    ...ended,
    kind: "artifact",
    key: "table",
    path: "table.csv",
    artifact: artifact({
      id: "table",
      name: "a table with a rather long name that does not fit.csv",
      media_type: "text/csv",
    }),
  },
  {
    ...ended,
    kind: "artifact",
    key: "archive",
    path: "data.tar.gz",
    artifact: artifact({
      id: "zip",
      name: "data.tar.gz",
      media_type: "application/octet-stream",
      size: 12_000_000,
    }),
  },
  {
    ...ended,
    kind: "artifact",
    key: "large",
    path: "video.mp4",
    artifact: null,
    problem: problem("artifact_too_large", "video.mp4 has 31.2 MB; 25 MB is the most."),
  },
  {
    ...ended,
    kind: "tool",
    key: "tool",
    tool: "memory__remember",
    arguments: { what: "units are percent" },
    waits: false,
    ok: true,
  },
  {
    ...ended,
    kind: "tool",
    key: "tool-waits",
    tool: "hl__place_orders",
    arguments: { orders: [] },
    finishedMs: null,
    waits: true,
  },
];

const MARKDOWN = `SOL is **2.31σ** off, above your 2σ line.

| market | mean | sigma |
| --- | ---: | ---: |
| BTC | 0.00011 | 0.00006 |
| SOL | 0.00019 | 0.00018 |

1. Trim the position, see [the method](https://example.com/method).
2. Run \`pytest -q\` again.

\`\`\`python
z = (df - roll) / df.std()
\`\`\`

![chart](https://tracker.example/pixel.png)`;

const upload = { id: "u", name: "funding.csv", media_type: "text/csv", size: 18_344, path: null };
const user = {
  kind: "user" as const,
  at: NOW,
  uploads: [],
  send: null,
  problem: null,
  runId: null,
  seq: null,
  queued: false,
  routine: null,
  model: null,
  effort: null,
};
const routine = { routine_id: "rtn_1", name: "Funding watch", by: "schedule" as const, due_ms: NOW };
const written = { at: NOW, runId: RUN, from: 0, attempt: 1 };
const bot = { ...written, kind: "assistant" as const, ended: null };
const thought = { ...written, kind: "reasoning" as const, cut: false };

const messages: Card[] = [
  { ...user, key: "u1", text: "Check the funding rates of the last week and plot them.", uploads: [upload] },
  { ...user, key: "u2", text: "$ for i in 1 2 3; do date; sleep 1; done" },
  { ...user, key: "u6", text: "Think hard about the gaps.", model: "claude-clever", effort: "high" },
  { ...user, key: "u3", text: "Not there yet", send: "sending" },
  { ...user, key: "u4", text: "Without a network", send: "queued" },
  { ...user, key: "r1", text: "Compare the funding rates with yesterday's.", routine },
  {
    ...{ ...user, key: "r2", text: "Look again.\nThen sum up.", queued: true },
    routine: { ...routine, by: "person" as const, computer: true },
  },
  {
    ...user,
    key: "u5",
    text: "Too much",
    send: "failed",
    problem: problem("invalid_request", "Write something."),
  },
  { ...bot, key: "b1", text: MARKDOWN, done: true },
  { ...bot, key: "b2", text: "Looking at the **gaps** in", done: false },
  { ...bot, key: "b3", text: "And furthermore", done: true, ended: "length" },
  { ...bot, key: "b4", text: "That I will not", done: true, ended: "declined" },
  { ...thought, key: "t1", text: "The rates are hourly, so a week has 168 rows.", done: true },
  { ...thought, key: "t2", text: "First the gaps", done: false },
];

const run = (state: Run["state"], part: Partial<Run> = {}): Run => ({
  id: RUN,
  thread_id: "t",
  state,
  tainted: true,
  rounds: 3,
  created_ms: NOW,
  updated_ms: NOW,
  ...part,
});

const computer = (part: Partial<Computer>): Computer => ({ state: "standby", since_ms: NOW, ...part });

const lines: Card[] = [
  { kind: "run", key: "r1", at: NOW, run: run("stopped") },
  {
    kind: "run",
    key: "r2",
    at: NOW,
    run: run("failed", { error: problem("model_unavailable", "The endpoint answered 401.") }),
  },
  {
    kind: "run",
    key: "r3",
    at: NOW,
    run: run("waiting_input", { reason: "rounds_exhausted", question: { kind: "continue" } }),
  },
  {
    ...{ ...ended, kind: "question", key: "q1", open: true },
    question: { id: "q1", kind: "choice", text: "Which of the two files?", choices: ["a.csv", "b.csv"] },
  },
  {
    ...{ ...ended, kind: "question", key: "q2", open: true },
    question: { id: "q2", kind: "approval", text: "May I delete the old charts?" },
  },
  {
    ...{ ...ended, kind: "question", key: "q3", open: false },
    question: { kind: "text", text: "Which week do you mean?" },
  },
  ...APPROVALS,
  { kind: "notice", key: "n4", at: NOW, notice: { code: "verify_asked", text: "" } },
  { kind: "status", key: "s1", at: NOW, computer: computer({ state: "running" }), tookMs: 4_200 },
  {
    kind: "status",
    key: "s2",
    at: NOW,
    computer: computer({ reason: "stopped_unexpectedly" }),
    tookMs: null,
  },
  { kind: "status", key: "s4", at: NOW, computer: computer({ reason: "files_unavailable" }), tookMs: null },
  { kind: "status", key: "s3", at: NOW, computer: computer({ reason: "start_failed" }), tookMs: null },
  {
    kind: "status",
    key: "s4",
    at: NOW,
    computer: computer({ ban: { reason: "mining", at_ms: NOW } }),
    tookMs: null,
    banChanged: true,
  },
  {
    kind: "notice",
    key: "n1",
    at: NOW,
    notice: { code: "uploads_delivered", text: "Delivered.", uploads: [upload] },
  },
  {
    kind: "notice",
    key: "n2",
    at: NOW,
    notice: {
      code: "computer_restored",
      text: "",
      restored: { source: "snapshot", woke_ms: NOW, lost_ms: NOW - 60_000, as_of_ms: NOW - 3_600_000 },
    },
  },
  {
    kind: "notice",
    key: "n3",
    at: NOW,
    notice: {
      code: "computer_restored",
      text: "",
      restored: { source: "fresh", woke_ms: NOW, lost_ms: NOW - 60_000 },
    },
  },
  {
    kind: "notice",
    key: "n4",
    at: NOW,
    notice: {
      code: "computer_restored",
      text: "",
      restored: {
        source: "backup",
        woke_ms: NOW,
        as_of_ms: NOW - 86_400_000,
        older: true,
        unusable: ["snapshot_expired", "backup_damaged"],
        missing: 2,
        missing_names: [
          "/workspace/locked.db",
          "/workspace/reports/a long name that does not fit into one line.csv",
        ],
      },
    },
  },
  { kind: "opaque", key: "o1", at: NOW, type: "takeover.changed" },
];

export const CARDS: readonly Card[] = [...messages, ...terminals, ...files, ...lines];
