/**
 * Files on their way into a message, by thread. A file is uploaded as soon as it is attached, so that sending
 * the message does not wait, and it stays attached when the person looks at another thread meanwhile.
 *
 * A large one goes in parts. A reload takes the file from the page but not its parts from the server: it stays
 * attached as `lost`, and goes on when the person chooses the same file again.
 */
import { createStore } from "zustand/vanilla";
import { beginUpload, finishUpload, getUnfinishedUpload, giveUpUpload } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { uploadFile, uploadPart } from "../api/upload.ts";
import type { Problem, Upload } from "../contracts.ts";
import { giveUp, type PartsPorts, sendInParts, Unreadable } from "./send-in-parts.ts";
import { begunUploads } from "./storage.ts";

const MIB = 1024 * 1024;
export const UPLOAD_BYTES_MAX = 25 * MIB;
export const UPLOAD_PART_BYTES = 5 * MIB;
export const UPLOADS_A_MESSAGE = 20;

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly modified: number;
  readonly share: number;
  /** `waiting` for the network; `lost` is its file, and it has to be chosen again. */
  readonly stage: "sending" | "waiting" | "lost";
  /** The server's id of an upload in parts. */
  readonly begun: string | null;
  readonly upload: Upload | null;
  readonly problem: Problem | "unreachable" | "unreadable" | "too-large" | null;
  readonly abort: AbortController;
}

type ByThread = Readonly<Record<string, readonly Attachment[]>>;

export const attachments = createStore<ByThread>(() => ({}));

const NONE: readonly Attachment[] = [];

export const attachmentsOf = (all: ByThread, threadId: string): readonly Attachment[] =>
  all[threadId] ?? NONE;

export const inParts = (size: number): boolean => size > UPLOAD_PART_BYTES;

const attachmentOf = (threadId: string, id: string): Attachment | undefined =>
  attachmentsOf(attachments.getState(), threadId).find((one) => one.id === id);

function change(threadId: string, id: string, part: Partial<Attachment>): void {
  const list = attachmentsOf(attachments.getState(), threadId);
  attachments.setState({ [threadId]: list.map((one) => (one.id === id ? { ...one, ...part } : one)) });
}

function attachment(name: string, size: number, modified: number): Attachment {
  return {
    id: crypto.randomUUID(),
    name,
    size,
    modified,
    share: 0,
    stage: "sending",
    begun: null,
    upload: null,
    problem: size > UPLOAD_BYTES_MAX ? "too-large" : null,
    abort: new AbortController(),
  };
}

function pause(ms: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    signal?.addEventListener("abort", done);
  });
}

const ports: PartsPorts = {
  begin: beginUpload,
  state: getUnfinishedUpload,
  part: uploadPart,
  finish: finishUpload,
  giveUp: giveUpUpload,
  pause,
  random: Math.random,
};

function send(threadId: string, one: Attachment, file: File): Promise<Upload> {
  const { id, name, size, modified, abort } = one;
  const moved = (bytes: number) => change(threadId, id, { share: bytes / Math.max(size, 1) });
  if (!inParts(size)) return uploadFile(threadId, file, abort.signal, moved);
  let known = one.begun;
  return sendInParts(ports, threadId, file, known, abort.signal, {
    moved,
    waiting: (is) => change(threadId, id, { stage: is ? "waiting" : "sending" }),
    reached(begun, bytes) {
      // An upload that the server had ended was begun anew, under another id.
      if (known !== null && known !== begun) begunUploads.remove(known);
      known = begun;
      const share = bytes / size;
      change(threadId, id, { begun, share });
      if (!abort.signal.aborted) begunUploads.save({ id: begun, threadId, name, size, modified, share });
    },
  });
}

async function upload(threadId: string, one: Attachment, file: File): Promise<void> {
  try {
    const done = await send(threadId, one, file);
    change(threadId, one.id, { upload: done, share: 1 });
    begunUploads.remove(done.id);
  } catch (reason) {
    if (one.abort.signal.aborted) return;
    const begun = attachmentOf(threadId, one.id)?.begun;
    if (begun) begunUploads.remove(begun);
    change(threadId, one.id, { problem: reason instanceof Unreadable ? "unreadable" : problemOf(reason) });
  }
}

/** What a reload left of uploads in parts, by what this tab has written down. */
export function recallAttachments(): void {
  for (const { id, threadId, name, size, modified, share } of begunUploads.load()) {
    const lost = { ...attachment(name, size, modified), stage: "lost" as const, begun: id, share };
    attachments.setState((all) => ({ [threadId]: [...attachmentsOf(all, threadId), lost] }));
  }
}

/** Goes on with the upload whose file this is, if there is one. */
function goOn(threadId: string, file: File): boolean {
  const lost = attachmentsOf(attachments.getState(), threadId).find(
    ({ stage, name, size, modified }) =>
      stage === "lost" && name === file.name && size === file.size && modified === file.lastModified,
  );
  if (lost === undefined) return false;
  change(threadId, lost.id, { stage: "sending" });
  void upload(threadId, lost, file);
  return true;
}

/** Returns how many did not fit into one message. */
export function attach(threadId: string, files: readonly File[]): number {
  const fresh = files.filter((file) => !goOn(threadId, file));
  const list = attachmentsOf(attachments.getState(), threadId);
  const fitting = fresh.slice(0, Math.max(0, UPLOADS_A_MESSAGE - list.length));
  const added = fitting.map((file) => ({
    file,
    one: attachment(file.name, file.size, file.lastModified),
  }));
  attachments.setState({ [threadId]: [...list, ...added.map(({ one }) => one)] });
  for (const { one, file } of added) {
    if (one.problem === null) void upload(threadId, one, file);
  }
  return fresh.length - fitting.length;
}

export function detach(threadId: string, id: string): void {
  const one = attachmentOf(threadId, id);
  if (one === undefined) return;
  const list = attachmentsOf(attachments.getState(), threadId);
  attachments.setState({ [threadId]: list.filter((other) => other !== one) });
  // What is under way gives itself up.
  one.abort.abort();
  if (one.begun === null) return;
  begunUploads.remove(one.begun);
  if (one.upload === null && (one.stage === "lost" || one.problem !== null)) void giveUp(ports, one.begun);
}

export function detachAll(threadId: string): void {
  attachments.setState({ [threadId]: NONE });
}
