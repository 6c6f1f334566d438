/** The rows of a conversation. A card keeps its key for life, so that its row never changes places by itself. */
import type {
  Artifact,
  CommandResult,
  Computer,
  Effort,
  FileChange,
  Intent,
  NoticeData,
  OwnerQuestion,
  Picture,
  Problem,
  RoutineEntry,
  Run,
  ToolFinish,
  Upload,
} from "../contracts.ts";
import type { Tail } from "./tail.ts";

/** Where a message is on its way to the server. `null`: it is part of the thread. */
export type SendState = "queued" | "sending" | "accepted" | "failed" | null;

interface CardBase {
  readonly key: string;
  readonly at: number;
}

export interface UserCard extends CardBase {
  readonly kind: "user";
  readonly text: string;
  readonly uploads: readonly Upload[];
  readonly send: SendState;
  readonly problem: Problem | null;
  readonly runId: string | null;
  /** Its place in the record, once it has one. */
  readonly seq: number | null;
  /** It is taken up when the runs before its own have ended. */
  readonly queued: boolean;
  /** The routine that began with it; nobody wrote it then. */
  readonly routine: RoutineEntry | null;
  /** What it named instead of its bot's. */
  readonly model: string | null;
  readonly effort: Effort | null;
}

/** What a model writes, piece by piece. */
interface WrittenBase extends CardBase {
  readonly runId: string | null;
  readonly text: string;
  /** Characters that were written before this page began to listen. */
  readonly from: number;
  readonly attempt: number;
  readonly done: boolean;
}

export interface AssistantCard extends WrittenBase {
  readonly kind: "assistant";
  /** Why it is not whole, if it is not. */
  readonly ended: "length" | "declined" | null;
}

/** What the model said to itself. */
export interface ReasoningCard extends WrittenBase {
  readonly kind: "reasoning";
  readonly cut: boolean;
}

export type WrittenCard = AssistantCard | ReasoningCard;

/** What every tool card shares. `abandoned`: the run is over and no end of this call was recorded. */
interface CallBase extends CardBase {
  readonly runId: string;
  readonly startedMs: number;
  readonly finishedMs: number | null;
  readonly ok: boolean;
  readonly problem: Problem | null;
  readonly text: string;
  readonly abandoned: boolean;
}

export interface TerminalCard extends CallBase {
  readonly kind: "terminal";
  readonly command: string;
  readonly tail: Tail;
  readonly result: CommandResult | null;
}

export interface FileCard extends CallBase {
  readonly kind: "file";
  readonly action: "read" | "write" | "edit";
  readonly path: string;
  readonly content: string;
  /** A picture that was read, which the model sees too. */
  readonly picture: Picture | null;
  /** What a finished write or edit did; its diff is `text`. */
  readonly change: FileChange | null;
}

export interface ArtifactCard extends CallBase {
  readonly kind: "artifact";
  readonly path: string;
  readonly artifact: Artifact | null;
}

export interface ToolCard extends CallBase {
  readonly kind: "tool";
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** It goes on when the person has decided on a card of its own. */
  readonly waits: boolean;
}

/** What the bot asked the person. `open`: its run waits for the answer. */
export interface QuestionCard extends CallBase {
  readonly kind: "question";
  readonly question: OwnerQuestion;
  readonly open: boolean;
}

/** What is to be done at the trading venue, from the question to the outcome of each line. */
export interface ApprovalCard extends CardBase {
  readonly kind: "approval";
  readonly intent: Intent;
}

export interface RunCard extends CardBase {
  readonly kind: "run";
  readonly run: Run;
}

export interface StatusCard extends CardBase {
  readonly kind: "status";
  readonly computer: Computer;
  /** How long the computer took to wake, where this line says so. */
  readonly tookMs: number | null;
  /** Whether this line says that an operator has banned the computer, or lifted the ban. */
  readonly banChanged?: boolean;
}

export interface NoticeCard extends CardBase {
  readonly kind: "notice";
  readonly notice: NoticeData;
}

export interface OpaqueCard extends CardBase {
  readonly kind: "opaque";
  readonly type: string;
}

export type CallCard = TerminalCard | FileCard | ArtifactCard | ToolCard | QuestionCard;

export type Card =
  | UserCard
  | WrittenCard
  | CallCard
  | ApprovalCard
  | RunCard
  | StatusCard
  | NoticeCard
  | OpaqueCard;

export function isWritten(card: Card): card is WrittenCard {
  return card.kind === "assistant" || card.kind === "reasoning";
}

export function isCall(card: Card): card is CallCard {
  return "startedMs" in card;
}

export function finishOf(finish: ToolFinish): Pick<CallCard, "finishedMs" | "ok" | "problem" | "text"> {
  return { finishedMs: finish.finished_ms, ok: finish.ok, problem: finish.error ?? null, text: finish.text };
}
