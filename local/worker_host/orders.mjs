// Orders of a test to its host: lines of JSON on standard input, each answered by a line on standard output.
//
// Only a host that was started with `faults` listens. What concerns this process or workerd as a whole is done
// here; the rest is handed to faults.mjs inside the Worker.

import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const KILL = "berth-fault: kill";

/** Kills workerd as a crash would; Miniflare starts another. */
function killWorkerd() {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, command, parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"));
      if (command === "workerd" && Number(parent) === process.pid) process.kill(Number(name), "SIGKILL");
    } catch (error) {
      if (!["ENOENT", "ESRCH"].includes(error.code)) throw error;
    }
  }
}

/** `ask(order)` hands an order to the Worker. */
export function takeOrders({ ask, report }) {
  let restarts = 0;
  let kills = 0;
  const kill = () => {
    kills += 1;
    killWorkerd();
  };
  const work = {
    kill: () => kill(),
    restarts: () => {},
  };
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const order = JSON.parse(line);
    try {
      const answer = await (work[order.do] ?? ask)(order);
      report({ order: order.number, restarts, kills, ...answer });
    } catch (error) {
      report({ order: order.number, restarts, kills, error: String(error.message ?? error) });
    }
  });
  return {
    restarted: () => {
      restarts += 1;
    },
    /** Whether a line of the log was a fault inside the Worker that asks to be killed, as it now is. */
    heard: (message) => {
      if (message !== KILL) return false;
      kill();
      return true;
    },
  };
}
