/** Says what changed, once and politely, to those who do not see the page. */
import { useEffect, useState } from "react";
import { news } from "../app/news.ts";
import { useMay } from "../app/rights.ts";
import { standing } from "../cards/terminal-state.ts";
import { type Dictionary, useText } from "../i18n/text.ts";
import { inputWord } from "../rail/run-standing.ts";
import type { ThreadEvent } from "../stream/frames.ts";
import type { ThreadStore } from "../stream/thread-store.ts";

function sentence(event: ThreadEvent, store: ThreadStore, t: Dictionary, mayAnswer: boolean): string | null {
  switch (event.type) {
    case "message.created":
      return event.data.role === "assistant" ? t.announceAnswer : null;
    case "tool.finished": {
      const card = store.card(event.data.tool_call_id);
      return card?.kind === "terminal" ? t.announceCommandEnded(standing(card, event.at_ms, t).word) : null;
    }
    case "artifact.created":
      return t.announceArtifact(event.data.name);
    case "run.status":
      if (event.data.state === "failed") return t.announceRun(t.stateFailed);
      if (event.data.state === "stopped") return t.announceRun(t.stateStopped);
      return event.data.state === "waiting_input" ? t.announceRun(inputWord(t, mayAnswer)) : null;
    default:
      return null;
  }
}

export function Announcer({ store }: { store: ThreadStore }) {
  const t = useText();
  const mayAnswer = useMay("chat");
  const [said, setSaid] = useState("");

  // Each event is looked at, for several may come before the next frame.
  useEffect(
    () =>
      news.subscribe(({ event }) => {
        const next = event === null ? null : sentence(event, store, t, mayAnswer);
        if (next !== null) setSaid(next);
      }),
    [store, t, mayAnswer],
  );

  return (
    <p className="aside-visually" aria-live="polite">
      {said}
    </p>
  );
}
