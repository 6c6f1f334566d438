/** What stands above the composer while a command or a file is being named. */

import { File, FileOutput, Folder, type LucideIcon, TextCursorInput } from "lucide-react";
import { COMMAND_ICONS } from "../app/command-icons.ts";
import { COMMANDS } from "../app/commands.ts";
import { type Dictionary, useText } from "../i18n/text.ts";
import { type Choice, Choices } from "../ui/Choices.tsx";
import { visible } from "../ui/format.ts";
import css from "./CompletionList.module.css";
import type { Completion, Offer } from "./use-completion.ts";

const FILE_ICONS: Record<"file" | "folder" | "result", LucideIcon> = {
  file: File,
  folder: Folder,
  result: FileOutput,
};

function choiceOf(offer: Offer, t: Dictionary): Choice {
  if (offer.kind === "page") {
    const keys = COMMANDS.find(({ id }) => id === offer.id)?.keys;
    return {
      ...{ id: offer.id, icon: COMMAND_ICONS[offer.id], label: `/${offer.word}`, mono: true },
      ...{ detail: t.pageCommands[offer.id], keys },
    };
  }
  if (offer.kind === "line") {
    return {
      ...{ id: `line:${offer.word}`, icon: TextCursorInput, label: `/${offer.word}`, mono: true },
      detail: offer.about,
    };
  }
  const label = visible(offer.kind === "folder" ? `${offer.path}/` : offer.path);
  const detail = offer.kind === "result" ? t.results : undefined;
  return { id: `${offer.kind}:${offer.path}`, icon: FILE_ICONS[offer.kind], label, detail, mono: true };
}

export default function CompletionList({ id, completion }: { id: string; completion: Completion }) {
  const t = useText();
  const { offers, active, choose, point, press, kind } = completion;
  const label = kind === "file" ? t.files : t.slashCommands;
  return (
    <div className={css.above}>
      <p className="aside-visually" role="status">
        {t.offers(offers.length)}
      </p>
      <Choices
        id={id}
        label={label}
        choices={offers.map((offer) => choiceOf(offer, t))}
        active={active}
        choose={choose}
        point={point}
        press={press}
      />
    </div>
  );
}
