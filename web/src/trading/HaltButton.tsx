/** The kill switch within reach, for owners who trade: one tap, and nothing is sent any more. */
import { OctagonPause } from "lucide-react";
import { useState } from "react";
import { useStore } from "zustand";
import { useMay } from "../app/rights.ts";
import { halt, standing } from "../app/trading.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import css from "./HaltButton.module.css";

export function HaltButton() {
  const t = useText();
  const trading = useStore(standing, (all) => all.trading);
  const [busy, setBusy] = useState(false);
  const may = useMay("manage");
  if (!may || trading === null || !trading.used || trading.switch === "halted") return null;
  const tap = () => {
    setBusy(true);
    void halt().finally(() => setBusy(false));
  };
  return (
    <Button
      look="danger"
      className={css.halt}
      disabled={busy}
      aria-label={t.trading.halt}
      title={t.trading.halt}
      onClick={tap}
    >
      <OctagonPause size={16} aria-hidden="true" />
      <span className={css.word}>{t.trading.halt}</span>
    </Button>
  );
}
