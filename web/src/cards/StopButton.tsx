/** Stop, with its states in plain sight: asked, could not, would not be heard. That it worked shows on the card, from the record. */

import { Square } from "lucide-react";
import { useStore } from "zustand";
import { useReaches } from "../app/contact.ts";
import { useMay } from "../app/rights.ts";
import { stops } from "../app/stops.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";

interface StopButtonProps {
  id: string;
  stop: (id: string) => void;
  label: string;
  quiet?: boolean;
}

export function StopButton({ id, stop, label, quiet = false }: StopButtonProps) {
  const t = useText();
  const state = useStore(stops, (all) => all[id]);
  const may = useMay("chat");
  const reaches = useReaches();
  if (!may) return null;
  return (
    <Button
      look={quiet ? "quiet" : "danger"}
      disabled={state === "asked" || !reaches}
      title={reaches ? undefined : t.cannotStop}
      data-stop={state ?? "idle"}
      onClick={() => stop(id)}
    >
      <Square size={11} fill="currentColor" aria-hidden="true" />
      {state === "asked" ? t.stopping : state === "could-not" ? t.couldNotStop : label}
    </Button>
  );
}
