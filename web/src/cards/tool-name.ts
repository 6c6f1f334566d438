/** What a person calls a tool, in the page's language; a tool that has no such name shows its own. */
import type { Dictionary } from "../i18n/text.ts";

export function toolName(tool: string, t: Dictionary): string {
  const names: Readonly<Record<string, string>> = t.toolNames;
  return names[tool] ?? tool;
}
