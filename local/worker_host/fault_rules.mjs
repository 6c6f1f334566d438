// The rules of faults.mjs: which are armed, what has struck, and what a struck call does.

const FIRED_KEPT = 1000;
export const TRUE_NOW = Date.now.bind(Date);

let rules = [];
let fired = [];

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const never = () => new Promise(() => {});

export function arm(rule) {
  rules.push(rule);
}

export function clear() {
  rules = [];
}

/** What has struck since the last look. */
export function drained() {
  const found = fired;
  fired = [];
  return found;
}

/** The rule that strikes at this passage, if any; every rule that matches has seen one more. */
export function struck(point, { className = null, object = null, detail = "" } = {}) {
  let found;
  for (const rule of rules) {
    if (rule.point !== point) continue;
    if (rule.class_name && rule.class_name !== className) continue;
    if (rule.object && rule.object !== object) continue;
    if (rule.detail && !detail.includes(rule.detail)) continue;
    rule.seen = (rule.seen ?? 0) + 1;
    if (!found && rule.seen >= rule.nth && rule.seen < rule.nth + rule.times) found = rule;
  }
  if (!found) return undefined;
  fired.push({ point, action: found.action, class_name: className, object, detail, at_ms: TRUE_NOW() });
  fired = fired.slice(-FIRED_KEPT);
  return found;
}

/** Lets a call fail, take its time or never answer, or has `other` decide. */
export async function disturbed(rule, call, other = {}) {
  if (!rule) return call();
  if (other[rule.action]) return other[rule.action](rule);
  switch (rule.action) {
    case "slow":
      await pause(rule.ms);
      return call();
    case "hang":
      return never();
    case "lost_answer":
      await call();
      throw new Error("a fault of a test: the answer was lost");
    default:
      throw new Error(`a fault of a test: ${rule.point} failed`);
  }
}
