// Writes what the Worker logs to standard error, with the names that files have in the repository.

// workerd says this at each start because of the flags that `host.mjs` sets for V8; it costs nothing.
const NO_NEWS = /^NOSENTRY per-isolate bootstrap compile cache/;

const LEVELS = ["debug", "info", "log", "warn", "error"];

/** Inside the Worker the bundle lies in one folder; outside, its modules have homes of their own. */
function realNames(text, homes) {
  return text.replace(/\/session\/metadata\/([\w./-]+\.py)/g, (_whole, path) => homes[path] ?? path);
}

export function logWriter({ log_level: logLevel = "info", homes = {} }) {
  const least = LEVELS.indexOf(logLevel);
  return ({ level, message }) => {
    if (LEVELS.indexOf(level) < least || NO_NEWS.test(message)) return;
    process.stderr.write(`${realNames(message, homes)}\n`);
  };
}
