import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError, Unreachable } from "../../src/api/http.ts";
import { uploadPart } from "../../src/api/upload.ts";

/** A request that does what the test says. */
class Request {
  static last: Request;
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  onload = () => {};
  onerror = () => {};
  onabort = () => {};
  onloadend = () => {};
  status = 0;
  response: unknown = null;
  said = "";

  constructor() {
    Request.last = this;
  }

  open(method: string, path: string) {
    this.said = `${method} ${path}`;
  }

  setRequestHeader() {}
  send() {}

  abort() {
    this.onabort();
    this.onloadend();
  }

  sent(loaded: number) {
    this.upload.onprogress?.({ loaded, total: 8 });
  }

  answer(status: number, response: unknown) {
    this.status = status;
    this.response = response;
    this.onload();
    this.onloadend();
  }
}

let cancel: AbortController;
let progress: number[];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("XMLHttpRequest", Request);
  cancel = new AbortController();
  progress = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const send = () =>
  uploadPart("u1", 2, new Blob(["12345678"]), cancel.signal, (bytes) => void progress.push(bytes));

it("tells how far it is, and gives the answer", async () => {
  const sending = send();
  Request.last.sent(3);
  Request.last.sent(8);
  Request.last.answer(200, { parts: [2] });
  expect(await sending).toEqual({ parts: [2] });
  expect(Request.last.said).toBe("PUT /api/uploads/u1/parts/2");
  expect(progress).toEqual([3, 8]);
});

it("tells a refusal from a lost connection", async () => {
  const refused = send();
  Request.last.answer(422, { code: "invalid_request", message: "no" });
  await expect(refused).rejects.toBeInstanceOf(ApiError);
  const lost = send();
  Request.last.onerror();
  await expect(lost).rejects.toBeInstanceOf(Unreachable);
});

it("gives up a connection on which nothing moves, and a slow one only when it stops", async () => {
  const sending = expect(send()).rejects.toBeInstanceOf(Unreachable);
  for (const loaded of [1, 2, 3]) {
    vi.advanceTimersByTime(119_000);
    Request.last.sent(loaded);
  }
  vi.advanceTimersByTime(120_000);
  await sending;
});

it("waits longer for the answer, since the last bytes may still be in this machine", async () => {
  const sending = send();
  Request.last.sent(8);
  vi.advanceTimersByTime(299_000);
  Request.last.answer(200, {});
  expect(await sending).toEqual({});
});

it("is aborted with its signal, also when that was before", async () => {
  const sending = expect(send()).rejects.toThrow("aborted");
  cancel.abort();
  await sending;
  await expect(send()).rejects.toThrow("aborted");
});
