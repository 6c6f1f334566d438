// Remembers which classes a Worker exports, between starts of the host.
//
// workerd must know the names before Python has run, and only running Python tells them. The last answer is
// nearly always right; where it is not, the host starts workerd once more.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function classCache(config) {
  const file = join(config.cache, `classes-${config.name}.json`);
  return {
    read() {
      try {
        return JSON.parse(readFileSync(file, "utf8"));
      } catch (error) {
        if (error.code !== "ENOENT" && !(error instanceof SyntaxError)) throw error;
        return firstGuess(config);
      }
    },
    write(classes) {
      mkdirSync(config.cache, { recursive: true });
      writeFileSync(file, JSON.stringify(classes));
    },
  };
}

/** The bindings name the objects; a Worker has a default entrypoint. */
function firstGuess({ durable_objects: bindings }) {
  const names = Object.values(bindings).map(({ class_name: name }) => [name, []]);
  return { durableObjects: Object.fromEntries(names), entrypoints: { Default: [] } };
}
