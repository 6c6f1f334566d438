// Faults for tests: what the platform does to an object on a bad day, on order and at an exact place.
//
// Only a host that was started with `faults` loads this module; the Python Worker never knows of it. A rule says
// at which point, for which class, object or key, at the how-manieth passage from now on, and what happens
// there. tests/integration/faults.py is the other side, and lists points and actions.

import { arm, clear, disturbed, drained, never, struck, TRUE_NOW } from "./fault_rules.mjs";

export { faultyBindings } from "./faulty_bucket.mjs";

const WRITE = /^\s*(INSERT|UPDATE|DELETE|REPLACE|CREATE|ALTER|DROP)\b/i;

let clockOffset = 0;

/** Has the host kill this process. Nothing else of ours happens until it is dead. */
function die() {
  console.log("berth-fault: kill");
  for (;;);
}

/** Has the platform take an object out of memory, outside of Python, which is not to be torn in its middle. */
function evict(ctx) {
  setTimeout(() => ctx.abort("a fault of a test: evicted"), 0);
}

function override(object, name, value) {
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
}

/** What a test calls on an object beside its own methods. */
export const METHODS = ["berthRing", "berthEvict"];

// --- objects -----------------------------------------------------------------------------------------------

/** Puts faults between an object and its storage, its alarm and its container. */
export function withFaults(className, ctx) {
  const place = { className, object: ctx.id.name ?? null };
  const { storage } = ctx;
  const exec = storage.sql.exec.bind(storage.sql);
  const written = (detail, write) => {
    const rule = struck("write", { ...place, detail });
    if (rule?.action === "kill_before") die();
    const result = write();
    // Committed and not undone by the death: what came before this write is on the disk with it.
    if (rule?.action === "kill_after") storage.sync().then(die);
    if (rule?.action === "evict") evict(ctx);
    return result;
  };
  const sql = {
    exec: (query, ...values) =>
      WRITE.test(query) ? written(query, () => exec(query, ...values)) : exec(query, ...values),
  };
  const setAlarm = storage.setAlarm.bind(storage);
  const { transactionSync, sync, deleteAlarm, deleteAll } = storage;
  override(ctx, "storage", {
    sql,
    transactionSync: transactionSync.bind(storage),
    sync: sync.bind(storage),
    deleteAlarm: () => written("deleteAlarm", deleteAlarm.bind(storage)),
    deleteAll: () => written("deleteAll", deleteAll.bind(storage)),
    // The object's clock may be wrong, and it means a time on that clock.
    setAlarm: (at) => written("setAlarm", () => setAlarm(at - clockOffset)),
  });
  if (ctx.container) override(ctx, "container", faultyContainer(ctx.container, place));
  return ctx;
}

const CONTAINER_CALLS = new Set([
  "monitor",
  "destroy",
  "snapshotContainer",
  "setInactivityTimeout",
  "interceptOutboundHttps",
  "interceptAllOutboundHttp",
]);

function faultyContainer(container, place) {
  return new Proxy(container, {
    get(target, name) {
      if (name === "running") return struck("container.running", place) ? false : target.running;
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const call = (...args) => value.apply(target, args);
      if (name === "start")
        return (...args) => {
          if (struck("container.start", place)) throw new Error("a fault of a test: no capacity");
          return call(...args);
        };
      if (name === "getTcpPort") return (port) => faultyPort(call(port), place);
      if (!CONTAINER_CALLS.has(name)) return call;
      return (...args) => disturbed(struck(`container.${name}`, place), () => call(...args));
    },
  });
}

function faultyPort(port, place) {
  return {
    fetch: (url, options) => {
      const detail = `${options?.method ?? "GET"} ${new URL(url).pathname}`;
      return disturbed(struck("container.fetch", { ...place, detail }), () => port.fetch(url, options));
    },
  };
}

/** A call on an object, its alarm among them: `invoke(method)` does it. */
export function called(className, ctx, asked, invokeMethod) {
  if (asked === "berthEvict") {
    evict(ctx);
    return never();
  }
  const method = asked === "berthRing" ? "alarm" : asked;
  const object = ctx.id.name ?? null;
  const invoke = () => invokeMethod(method);
  const place = { className, object, detail: method };
  if (method !== "alarm") {
    const rule = struck("call", place);
    return rule ? disturbed(rule, invoke) : invoke();
  }
  return disturbed(struck("alarm", place), invoke, {
    drop: () => undefined,
    twice: async () => [await Promise.all([invoke(), invoke()])][0][0],
  });
}

// --- orders ------------------------------------------------------------------------------------------------

/** Does what a test asks for, through the control Worker. */
export async function obey(order, env) {
  switch (order.do) {
    case "arm":
      arm(order.rule);
      return {};
    case "clear":
      clear();
      return {};
    case "fired":
      return { fired: drained() };
    case "clock":
      clockOffset = order.offset_ms;
      Date.now = () => TRUE_NOW() + clockOffset;
      return {};
    case "evict": {
      const gone = env[order.binding].getByName(order.object).berthEvict();
      // The object answers only by being gone.
      await gone.catch(() => {});
      return {};
    }
    case "ring":
      await env[order.binding].getByName(order.object).berthRing();
      return {};
    default:
      throw new Error(`not an order: ${order.do}`);
  }
}
