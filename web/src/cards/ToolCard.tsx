/** A call of a tool that has no card of its own: its name, what it was given and what it said. */
import { ChevronDown, ChevronUp, Wrench } from "lucide-react";
import { useMay } from "../app/rights.ts";
import { useText } from "../i18n/text.ts";
import type { ToolCard as ToolRecord } from "../stream/cards.ts";
import { Button } from "../ui/Button.tsx";
import { Chip, type Tone } from "../ui/Chip.tsx";
import { useKept } from "../ui/kept.ts";
import card from "./Card.module.css";
import { Output } from "./Output.tsx";
import { Problem } from "./Problem.tsx";
import { toolName } from "./tool-name.ts";

function standing(record: ToolRecord, t: ReturnType<typeof useText>, mayDecide: boolean): [Tone, string] {
  if (record.abandoned) return ["attention", t.lost];
  if (record.finishedMs === null && record.waits)
    return ["attention", mayDecide ? t.toolWaits : t.toolWaitsForOwner];
  if (record.finishedMs === null) return ["running", t.toolRunning];
  return record.ok ? ["finished", t.toolDone] : ["failed", t.toolFailed];
}

export function ToolCard({ record }: { record: ToolRecord }) {
  const t = useText();
  const [open, setOpen] = useKept(`tool:${record.key}`, false);
  const mayDecide = useMay("approve");
  const [tone, word] = standing(record, t, mayDecide);
  const name = toolName(record.tool, t);
  const content = [JSON.stringify(record.arguments, null, 2), record.text].filter(Boolean).join("\n\n");
  return (
    <div className={card.card} role="group" aria-label={name} data-card="tool">
      <div className={card.head}>
        <Wrench size={16} aria-hidden="true" />
        <span className={name === record.tool ? `${card.name} ${card.mono}` : card.name} title={record.tool}>
          {name}
        </span>
        <Chip tone={tone}>{word}</Chip>
        <Button
          icon
          look="quiet"
          aria-expanded={open}
          aria-label={open ? t.hideContent : t.showContent}
          onClick={() => setOpen(!open)}
        >
          {open ? <ChevronUp size={14} aria-hidden="true" /> : <ChevronDown size={14} aria-hidden="true" />}
        </Button>
      </div>
      {record.problem !== null && <Problem problem={record.problem} />}
      {open && <Output lines={content.split("\n")} label={t.fileContent(name)} tall />}
    </div>
  );
}
