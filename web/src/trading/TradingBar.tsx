/** What must be seen of trading at all times: that it does not go as usual, and that halting it has failed. */
import { OctagonPause } from "lucide-react";
import { useStore } from "zustand";
import bars from "../app/App.module.css";
import { useLacks, useMay } from "../app/rights.ts";
import { halt, standing } from "../app/trading.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";

export function TradingBar({ open }: { open: () => void }) {
  const t = useText();
  const { trading, haltFailed } = useStore(standing);
  const may = useMay("manage");
  const lacks = useLacks("manage");
  const state = trading?.switch ?? "active";
  return (
    <>
      {haltFailed && may && (
        <div className={`${bars.bar} ${bars.badBar}`} role="alert" data-bar="halt-failed">
          <OctagonPause size={16} aria-hidden="true" />
          {t.trading.haltFailed}
          <Button onClick={() => void halt()}>{t.retry}</Button>
        </div>
      )}
      {state !== "active" && (
        <div className={bars.bar} role="status" data-bar={state}>
          <OctagonPause size={16} aria-hidden="true" />
          {state === "halted" ? t.trading.halted : t.trading.reducing}
          {may && <Button onClick={open}>{t.trading.change}</Button>}
          {lacks && <span>{t.members.ownersTrade}</span>}
        </div>
      )}
    </>
  );
}
