/** What a route of the pretended Berth is given, and what it answers with. */
import type { IncomingMessage } from "node:http";
import type { World } from "./world.ts";

export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface Call {
  world: World;
  request: IncomingMessage;
  url: URL;
  text: string;
  id: string;
}

export const ok = (body: unknown, status = 200): Answer => ({ status, body });

export function problem(status: number, code: string, message: string): Answer {
  return { status, body: { type: "about:blank", title: code, status, code, message } };
}
