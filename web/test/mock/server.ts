/** Serves the pretended Berth over HTTP and WebSocket, and the built page with the headers it is deployed with. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { WebSocketServer } from "ws";
import type { Answer } from "./answers.ts";
import { answer } from "./routes.ts";
import type { World } from "./world.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".png": "image/png",
};

const THREAD_GONE = 4404;

/** The headers of the section `/*` in a `_headers` file. */
function pageHeaders(folder: string): Record<string, string> {
  const [, section = ""] =
    /^\/\*\n((?: {2}.+\n)+)/m.exec(readFileSync(join(folder, "_headers"), "utf8")) ?? [];
  const pairs = section
    .trimEnd()
    .split("\n")
    .map((line) => line.trim().split(/: (.*)/s));
  return Object.fromEntries(pairs.map(([name, value]) => [name, value]));
}

function isMissing(reason: unknown): boolean {
  return (
    reason instanceof Error && "code" in reason && (reason.code === "ENOENT" || reason.code === "EISDIR")
  );
}

function servePage(folder: string, path: string, response: ServerResponse): void {
  const wanted = normalize(path);
  let [file, body]: [string, Buffer | null] = [join(folder, wanted), null];
  try {
    body = readFileSync(file);
  } catch (reason) {
    if (!isMissing(reason)) throw reason;
    if (wanted.startsWith("/assets/")) {
      response.writeHead(404).end();
      return;
    }
    file = join(folder, "index.html");
    body = readFileSync(file);
  }
  response
    .writeHead(200, { ...pageHeaders(folder), "Content-Type": TYPES[extname(file)] ?? "text/plain" })
    .end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function reply(response: ServerResponse, { status, body, headers }: Answer): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response
    .writeHead(status, { "Content-Type": "application/json", ...headers })
    .end(status === 204 ? "" : text);
}

export interface MockServer {
  readonly url: string;
  /** Ends all streams, as an eviction does. */
  cut(): void;
  close(): Promise<void>;
}

/** The part before `.localhost` in the name that was asked for, if there is one. */
const nameIn = (request: IncomingMessage) =>
  /^([^.:]+)\.localhost/.exec(request.headers.host ?? "")?.[1] ?? "";

/** `world`: the one of the name, for as at the real Berth each name under localhost has an owner of its own. */
export async function serve(
  world: World | ((name: string) => World),
  options: { port?: number; page?: string } = {},
): Promise<MockServer> {
  const asked = (request: IncomingMessage) => (typeof world === "function" ? world(nameIn(request)) : world);
  const streams = new WebSocketServer({ noServer: true });
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://mock");
    if (url.pathname.startsWith("/api/")) {
      void bodyOf(request).then(
        (body) => reply(response, answer(asked(request), request, url, body)),
        // The page went away in the middle of it.
        () => response.destroy(),
      );
    } else if (options.page !== undefined) {
      servePage(options.page, url.pathname, response);
    } else {
      response.writeHead(404).end();
    }
  });
  server.on("upgrade", (request, socket, head) => {
    const url = new URL(request.url ?? "/", "http://mock");
    const world = asked(request);
    const room = world.rooms.get(url.pathname.split("/")[3] ?? "");
    if (room === undefined) return void socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
    streams.handleUpgrade(request, socket, head, (stream) => {
      const listener = { send: (text: string) => stream.send(text), close: () => stream.close(THREAD_GONE) };
      stream.on("message", (text) => {
        if (String(text) === '{"type":"ping"}') stream.send('{"type":"pong"}');
      });
      stream.on("close", () => room.listeners.delete(listener));
      world.join(room, Number(url.searchParams.get("after")), listener);
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    cut: () => {
      for (const stream of streams.clients) stream.terminate();
    },
    close: () =>
      new Promise((resolve) => {
        for (const stream of streams.clients) stream.terminate();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
