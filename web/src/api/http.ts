/**
 * One way to ask the server, and the two ways it can fail.
 *
 * `ApiError` is an answer (a problem document); `Unreachable` is the lack of one, and may be tried again.
 */
import type { Problem } from "../contracts.ts";
import { showsOnly } from "../embed/mode.ts";

export class ApiError extends Error {
  readonly status: number;
  readonly problem: Problem;

  constructor(status: number, problem: Problem) {
    super(problem.message);
    this.status = status;
    this.problem = problem;
  }
}

export class Unreachable extends Error {}

/** Statuses below 500 that say nothing about the request itself. */
const PASSING = new Set([408, 425, 429]);

/** Whether the same request may well succeed later: trouble on the way, or at the server. */
export const mayPass = (reason: unknown): boolean =>
  reason instanceof Unreachable ||
  (reason instanceof ApiError && (reason.status >= 500 || PASSING.has(reason.status)));

/** An answer that is not a problem document (a proxy's page, say) still says its status. */
export function problemFrom(status: number, body: unknown): Problem {
  if (typeof body === "object" && body !== null && "code" in body && "message" in body)
    return body as Problem;
  return { code: "internal", message: `HTTP ${status}` };
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (reason) {
    if (reason instanceof SyntaxError) return null;
    throw reason;
  }
}

/** The page itself keeps to it too; this is for what it forgets. */
const SHOWS_ONLY: Problem = { code: "forbidden", message: "" };

/** A ticket changes nothing: with it a stream is looked at. */
const LOOKS = /^\/api\/(owners\/[^/]+\/)?tickets$/;

let paused = false;

/**
 * From here on nothing is asked: the page may be older than the server (`app/build.ts`), or shows what its person does
 * not belong to (`app/directory.ts`).
 */
export function pause(): void {
  paused = true;
}

export function resume(): void {
  paused = false;
}

export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  if (showsOnly && method !== "GET" && !LOOKS.test(path)) throw new ApiError(403, SHOWS_ONLY);
  if (paused) throw new Unreachable("this page asks nothing now");
  const init: RequestInit = { method, headers: { Accept: "application/json" }, signal: signal ?? null };
  if (body !== undefined) {
    init.headers = { ...init.headers, "Content-Type": "application/json" };
    init.body = JSON.stringify(body);
  } else if (method !== "GET") {
    // The server wants every write to say so; a form of another site cannot.
    init.headers = { ...init.headers, "Content-Type": "application/json" };
  }
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (reason) {
    if (reason instanceof TypeError) throw new Unreachable(reason.message);
    throw reason;
  }
  if (response.status === 204) return undefined as T;
  const answer = await jsonOf(response);
  if (!response.ok) throw new ApiError(response.status, problemFrom(response.status, answer));
  return answer as T;
}

/** The problem to show, whatever was thrown by `ask`. */
export function problemOf(reason: unknown): Problem | "unreachable" {
  if (reason instanceof ApiError) return reason.problem;
  if (reason instanceof Unreachable) return "unreachable";
  throw reason;
}
