/** From a card to what it is about beside the conversation: a command's whole log, a file as it is now. */
import { SquareArrowOutUpRight } from "lucide-react";
import { folderOf, fromWorkspace } from "../computer/file-places.ts";
import { type Place, type Tab, usePanel } from "../computer/panel-address.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";

function Expand({ tab, place, label }: { tab: Tab; place: Place; label: string }) {
  const panel = usePanel();
  return (
    <Button icon look="quiet" aria-label={label} onClick={() => panel.show(tab, place)}>
      <SquareArrowOutUpRight size={15} aria-hidden="true" />
    </Button>
  );
}

export function ExpandCommand({ id }: { id: string }) {
  const t = useText();
  return <Expand tab="terminal" place={{ command: id }} label={t.openInTerminal} />;
}

export function ExpandFile({ path }: { path: string }) {
  const t = useText();
  const file = fromWorkspace(path);
  const folder = folderOf(file);
  const place = folder === "" ? { file } : { path: folder, file };
  return <Expand tab="files" place={place} label={t.openInFiles} />;
}
