/** What stands around the writing: the first steps, and the lists of commands and files above the composer. */
import { COMMANDS, type Handlers } from "../app/commands.ts";
import { useText } from "../i18n/text.ts";
import CompletionList from "../thread/CompletionList.tsx";
import { FirstSteps } from "../thread/FirstSteps.tsx";
import { slashCommands } from "../thread/slash.ts";
import type { Completion, Offer } from "../thread/use-completion.ts";
import css from "./Gallery.module.css";

const nothing = () => {};
const ALL: Handlers = Object.fromEntries(COMMANDS.map(({ id }) => [id, nothing]));
const FILES: readonly Offer[] = [
  { kind: "folder", path: "data" },
  { kind: "file", path: "data/penguins of the islands, as they were counted in the last two summers.csv" },
  { kind: "file", path: "report.md" },
  { kind: "result", path: "funding-7d.svg" },
];

const completion = (kind: Completion["kind"], offers: readonly Offer[]): Completion => ({
  ...{ kind, offers, active: 1 },
  ...{ point: nothing, choose: nothing, press: () => false },
});

export function ComposingStories() {
  const t = useText();
  const lists = [
    ["offers-lines", completion("command", slashCommands("", true, true, {}, t))],
    ["offers-page", completion("command", slashCommands("", true, false, ALL, t))],
    ["offers-files", completion("file", FILES)],
  ] as const;
  return (
    <>
      <h2 className="aside-visually">Composing</h2>
      <div data-state="first-steps">
        <FirstSteps manual take={nothing} />
      </div>
      {lists.map(([state, list]) => (
        <div key={state} data-state={state} className={css.offers}>
          <CompletionList id={state} completion={list} />
        </div>
      ))}
    </>
  );
}
