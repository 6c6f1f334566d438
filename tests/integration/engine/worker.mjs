// A Worker that lets tests drive `ctx.container`: POST /{object}/{operation} with JSON, answered with JSON, and
// /{object}/port/{number}/… passed through to that port. It knows nothing of the engine, so it could drive Docker.

import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";

const text = async (stream) => (stream ? await new Response(stream).text() : null);

/** The containers whose end somebody waits for. */
const watched = new WeakSet();

const OPERATIONS = {
  async start(container, options) {
    container.start(options);
    return { running: container.running };
  },
  async state(container) {
    return { running: container.running };
  },
  async keep(container, { milliseconds }) {
    await container.setInactivityTimeout(milliseconds);
    return {};
  },
  async destroy(container) {
    await container.destroy();
    return { running: container.running };
  },
  async signal(container, { number }) {
    container.signal(number);
    return {};
  },
  async monitor(container) {
    try {
      const ended = container.monitor();
      watched.add(container);
      await ended;
      return { exit: 0 };
    } catch (error) {
      return { exit: error.exitCode ?? null, error: String(error.message) };
    }
  },
  async watched(container) {
    return { watched: watched.has(container) };
  },
  async fetch(container, { port, path = "/", ...init }) {
    const response = await container.getTcpPort(port).fetch(`http://computer${path}`, init);
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
  },
  async exec(container, { argv, stdin, kill, ...options }) {
    const process = await container.exec(argv, {
      ...options,
      ...(stdin === undefined ? {} : { stdin: "pipe" }),
    });
    if (stdin !== undefined) {
      const writer = process.stdin.getWriter();
      await writer.write(new TextEncoder().encode(stdin));
      await writer.close();
    }
    if (kill !== undefined) await process.kill(kill);
    const [stdout, stderr, exit] = await Promise.all([
      text(process.stdout),
      text(process.stderr),
      process.exitCode,
    ]);
    return { pid: process.pid, stdout, stderr, exit };
  },
  async snapshot(container) {
    return await container.snapshotContainer({});
  },
  async snapshotDirectory(container, { dir }) {
    return await container.snapshotDirectory({ dir });
  },
};

export class Box extends DurableObject {
  async fetch(request) {
    const [, , operation, port, ...rest] = new URL(request.url).pathname.split("/");
    const container = this.ctx.container;
    if (operation === "port") {
      const url = new URL(`/${rest.join("/")}${new URL(request.url).search}`, "http://computer");
      return container.getTcpPort(Number(port)).fetch(new Request(url, request));
    }
    if (operation === "intercept") {
      const egress = this.ctx.exports.Egress({ props: await request.json() });
      await container.interceptAllOutboundHttp(egress);
      await container.interceptOutboundHttps("*", egress);
      return Response.json({});
    }
    try {
      return Response.json(await OPERATIONS[operation](container, await request.json()));
    } catch (error) {
      return Response.json({ failed: String(error.message ?? error) }, { status: 500 });
    }
  }
}

/** The outside world, as far as tests go there. */
export class Egress extends WorkerEntrypoint {
  async fetch(request) {
    const url = new URL(request.url);
    if (url.hostname.startsWith("denied")) return new Response("denied by a rule\n", { status: 403 });
    if (url.pathname === "/echo") return new Response(request.body, { headers: { "x-echo": "1" } });
    if (url.pathname === "/empty") return new Response(null, { status: 204 });
    if (url.pathname.startsWith("/bytes/")) return new Response(zeros(Number(url.pathname.split("/")[2])));
    if (request.headers.get("upgrade") === "websocket") return webSocketEcho();
    const body = await request.text();
    const headers = Object.fromEntries(request.headers);
    return Response.json({ url: request.url, method: request.method, headers, body, props: this.ctx.props });
  }
}

function webSocketEcho() {
  const [client, server] = Object.values(new WebSocketPair());
  server.accept();
  server.addEventListener("message", (event) => server.send(`echo ${event.data}`));
  return new Response(null, { status: 101, webSocket: client });
}

function zeros(size) {
  const chunk = new Uint8Array(65536);
  let left = size;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(chunk.slice(0, Math.min(left, chunk.length)));
      left -= chunk.length;
    },
  });
}

export default {
  fetch(request, env) {
    const name = new URL(request.url).pathname.split("/")[1];
    return env.BOX.get(env.BOX.idFromName(name)).fetch(request);
  },
};
