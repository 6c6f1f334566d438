/** Rules run on Node; a test of a component says in its first line that it needs a document. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A promise nobody waits for must not fail silently.
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
