/** A socket with a ticket behaves as one without, and one that gets none closes. */
import { describe, expect, it } from "vitest";
import type { Socket } from "../../src/stream/connection.ts";
import { ticketedSocket } from "../../src/stream/ticketed.ts";

class Dialled implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly sent: string[] = [];
  closed = false;
  readonly url: string;
  constructor(url: string) {
    this.url = url;
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.closed = true;
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

function rig(ticket: Promise<string>, url = "/api/threads/t/stream?after=3") {
  const dialled: Dialled[] = [];
  const asked: string[] = [];
  const socket = ticketedSocket(
    url,
    (path) => {
      asked.push(path);
      return ticket;
    },
    (where) => {
      const made = new Dialled(where);
      dialled.push(made);
      return made;
    },
    (reason) => (reason === "signed out" ? 4401 : 1006),
  );
  const heard: string[] = [];
  socket.onopen = () => heard.push("open");
  socket.onmessage = ({ data }) => heard.push(data);
  socket.onclose = ({ code }) => heard.push(`closed ${code}`);
  return { socket, dialled, asked, heard };
}

describe("a socket with a ticket", () => {
  it("asks for the path alone and dials with what it is given", async () => {
    const { asked, dialled } = rig(Promise.resolve("a&b"));
    await turn();
    expect(asked).toEqual(["/api/threads/t/stream"]);
    expect(dialled.map((one) => one.url)).toEqual(["/api/threads/t/stream?after=3&ticket=a%26b"]);
  });

  it("dials where there is no query as well", async () => {
    const { dialled } = rig(Promise.resolve("x"), "/api/s");
    await turn();
    expect(dialled[0]?.url).toBe("/api/s?ticket=x");
  });

  it("passes on both ways what is said", async () => {
    const { socket, dialled, heard } = rig(Promise.resolve("x"));
    await turn();
    dialled[0]?.onopen?.();
    dialled[0]?.onmessage?.({ data: "hello" });
    socket.send("ack");
    dialled[0]?.onclose?.({ code: 4404 });
    expect(heard).toEqual(["open", "hello", "closed 4404"]);
    expect(dialled[0]?.sent).toEqual(["ack"]);
  });

  it("closes where there is no ticket", async () => {
    const { heard, dialled } = rig(Promise.reject(new Error("no")));
    await turn();
    expect(heard).toEqual(["closed 1006"]);
    expect(dialled).toEqual([]);
  });

  it("closes with the code of what its ticket was refused for", async () => {
    const { heard } = rig(Promise.reject("signed out"));
    await turn();
    expect(heard).toEqual(["closed 4401"]);
  });

  it("dials no more once it was given up", async () => {
    const { socket, heard, dialled } = rig(Promise.resolve("x"));
    socket.close();
    await turn();
    expect(dialled).toEqual([]);
    expect(heard).toEqual([]);
  });

  it("closes what it has dialled", async () => {
    const { socket, dialled } = rig(Promise.resolve("x"));
    await turn();
    socket.close();
    expect(dialled[0]?.closed).toBe(true);
  });
});
