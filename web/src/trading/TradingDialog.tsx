/** The owner's trading: where orders go, the kill switch, what goes without asking, and how approvals are asked for. */
import { useEffect } from "react";
import { useStore } from "zustand";
import { refreshTrading, standing } from "../app/trading.ts";
import type { Trading } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Dialog, DialogBody } from "../ui/Dialog.tsx";
import { ApprovalSection } from "./ApprovalSection.tsx";
import { useAttempt } from "./attempt.ts";
import { RulesSection } from "./RulesSection.tsx";
import { Came } from "./Section.tsx";
import { SwitchSection } from "./SwitchSection.tsx";
import css from "./Trading.module.css";

export function TradingSections({ trading }: { trading: Trading }) {
  return (
    <>
      <SwitchSection trading={trading} />
      <RulesSection trading={trading} />
      <ApprovalSection trading={trading} />
    </>
  );
}

export default function TradingDialog({ close }: { close: () => void }) {
  const t = useText();
  const trading = useStore(standing, (all) => all.trading);
  const came = useAttempt();
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when it opens
  useEffect(() => void came.attempt(refreshTrading), []);
  return (
    <Dialog title={t.trading.title} close={close}>
      <DialogBody>
        {trading === null ? (
          came.problem === null && <p className={css.hint}>{t.loading}</p>
        ) : (
          <TradingSections trading={trading} />
        )}
        {came.problem !== null && <Came of={came} />}
      </DialogBody>
    </Dialog>
  );
}
