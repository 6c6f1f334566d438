/** Where a command's output comes from in the browser: its log over HTTP, its thread's stream, its record. */
import { fileContent, getCommand } from "../api/berth.ts";
import { ports } from "../app/sessions.ts";
import type { ShownCommand } from "../contracts.ts";
import { Connection, NO_MEMBER, THREAD_GONE } from "../stream/connection.ts";
import { readFrame } from "../stream/frames.ts";
import type { FeedPorts, Heard } from "./command-feed.ts";

/** Beyond any record: nothing is replayed. */
const NEWEST = 2 ** 52;

export const logPath = ({ id, result }: ShownCommand) => result?.log_path ?? `.berth/logs/${id}.log`;

async function log(command: ShownCommand, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
  // What never began has none.
  if (command.error) return null;
  const response = await fetch(fileContent(logPath(command)), { signal });
  return response.ok ? response.body : null;
}

/** The stream of the command's thread, whichever is in view; what else it tells is not listened to. */
function listen({ id, thread_id }: ShownCommand, heard: (what: Heard) => void): () => void {
  const connection = new Connection(ports, {
    url: () => `/api/threads/${encodeURIComponent(thread_id)}/stream?after=${NEWEST}`,
    received(text) {
      const frame = readFrame(text);
      if (frame.kind === "live" && frame.frame.type === "caught_up") connection.live();
      if (frame.kind === "live" && frame.frame.type === "tool.output") {
        const { tool_call_id, offset, text: piece } = frame.frame.data;
        if (tool_call_id === id) heard({ offset, text: piece });
      }
      if (frame.kind !== "event" || frame.event.type !== "tool.finished") return;
      if (frame.event.data.tool_call_id === id) heard("ended");
    },
    changed() {},
    // What ended while nothing was heard is asked for.
    failed(_times, code) {
      if (code === THREAD_GONE) return heard("ended");
      // The thread's own stream was closed too, and says so on the page.
      if (code === NO_MEMBER) return;
      getCommand(id).then(
        (now) => now.over && heard("ended"),
        () => {},
      );
    },
  });
  connection.start();
  return () => connection.stop();
}

export const feedPorts: FeedPorts = { log, listen, whole: getCommand };
