/** How trading stands, in a line, and the way to its own settings. */
import { useId } from "react";
import { useStore } from "zustand";
import { standing } from "../app/trading.ts";
import { useText } from "../i18n/text.ts";
import { NetworkChip } from "../trading/NetworkChip.tsx";
import { Button } from "../ui/Button.tsx";
import css from "./Settings.module.css";

export function TradingSummary({ open }: { open: () => void }) {
  const t = useText();
  const id = useId();
  const trading = useStore(standing, (all) => all.trading);
  return (
    <div className={css.section} role="group" aria-labelledby={id}>
      <h3 id={id}>{t.trading.title}</h3>
      {trading !== null && (
        <p>
          <NetworkChip network={trading.network} /> {t.trading.switches[trading.switch].label}
        </p>
      )}
      <Button className={css.below} onClick={open}>
        {t.trading.open}
      </Button>
    </div>
  );
}
