/** How the computer is, in one line, and below it what was asked for: its files, or the facts about it. */

import { Tabs } from "@base-ui/react/tabs";
import { Monitor, X } from "lucide-react";
import { lazy, useState } from "react";
import { useLiveNow } from "../app/contact.ts";
import { useLacks, useMay } from "../app/rights.ts";
import type { Computer } from "../contracts.ts";
import { type Dictionary, useLanguage } from "../i18n/text.ts";
import type { ThreadSession } from "../stream/thread-session.ts";
import { computerWord } from "../thread/ComputerButton.tsx";
import { ComputerFacts } from "../thread/ComputerFacts.tsx";
import { useAllowance } from "../thread/CostSoFar.tsx";
import { Button } from "../ui/Button.tsx";
import { dollars, elapsed, moment } from "../ui/format.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./ComputerView.module.css";
import FilesTab from "./FilesTab.tsx";
import { type Panel, TABS, type Tab, tabOf } from "./panel-address.ts";
import TerminalTab from "./TerminalTab.tsx";
import TimelineTab from "./TimelineTab.tsx";
import { useComputer } from "./use-computer.ts";

const DIALOGS = {
  reset: lazy(() => import("../thread/ResetDialog.tsx")),
  delete: lazy(() => import("../thread/DeleteEverythingDialog.tsx")),
};

interface ComputerViewProps {
  session: ThreadSession;
  panel: Panel;
  tab: Tab;
}

function tabWord(tab: Tab, t: Dictionary): string {
  return { terminal: t.terminal, files: t.files, timeline: t.timeline, about: t.aboutComputer }[tab];
}

/** What it is doing, for how long, and what this month has cost. */
function Head({ computer, close }: { computer: Computer | null; close: () => void }) {
  const { text: t, locale } = useLanguage();
  const runs = computer?.state === "running";
  const now = useLiveNow(runs);
  const allowance = useAllowance();
  const since = computer === null || computer.since_ms === 0 ? null : computer.since_ms;
  return (
    <div className={css.head}>
      <Monitor size={16} aria-hidden="true" />
      <h2 data-state={computer?.state}>{computer === null ? t.computer : computerWord(computer, t)}</h2>
      {since !== null && (
        <span title={t.computerSince(moment(since, now, locale))}>
          {runs ? elapsed(now - since) : t.computerSince(moment(since, now, locale))}
        </span>
      )}
      {allowance !== null && (
        <span title={t.costThisMonth}>
          <span className="aside-visually">{t.costThisMonth} </span>
          {dollars(allowance.spent_micro, locale, 2)}
        </span>
      )}
      <Button icon look="quiet" aria-label={t.closeComputer} onClick={close}>
        <X size={16} aria-hidden="true" />
      </Button>
    </div>
  );
}

interface AboutProps {
  computer: Computer;
  changed: (computer: Computer) => void;
}

function About({ computer, changed }: AboutProps) {
  const { text: t } = useLanguage();
  const [asking, setAsking] = useState<keyof typeof DIALOGS | null>(null);
  const manages = useMay("manage");
  const lacks = useLacks("manage");
  const Asking = asking === null ? null : DIALOGS[asking];
  return (
    <div className={css.about}>
      <ComputerFacts computer={computer} changed={changed} askReset={() => setAsking("reset")}>
        {manages && (
          <Button look="quiet" onClick={() => setAsking("delete")}>
            {t.deleteEverything}
          </Button>
        )}
        {lacks && <p>{t.members.ownersReset}</p>}
      </ComputerFacts>
      {Asking !== null && (
        <LazyPart close={() => setAsking(null)}>
          <Asking close={() => setAsking(null)} />
        </LazyPart>
      )}
    </div>
  );
}

export default function ComputerView({ session, panel, tab }: ComputerViewProps) {
  const { text: t } = useLanguage();
  const { computer, changed } = useComputer(session);
  return (
    <Tabs.Root
      className={css.view}
      value={tab}
      onValueChange={(value: string) => panel.show(tabOf(value) ?? TABS[0])}
    >
      <Head computer={computer} close={panel.close} />
      <Tabs.List className={css.tabs} activateOnFocus aria-label={t.computer}>
        {TABS.map((one) => (
          <Tabs.Tab key={one} value={one} className={css.tab}>
            {tabWord(one, t)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab} className={css.panel} data-panel={tab}>
        {computer === null ? (
          <p className={css.waits}>{t.loading}</p>
        ) : tab === "terminal" ? (
          <TerminalTab computer={computer} panel={panel} />
        ) : tab === "files" ? (
          <FilesTab computer={computer} threadId={session.threadId} panel={panel} />
        ) : tab === "timeline" ? (
          <TimelineTab session={session} panel={panel} />
        ) : (
          <About computer={computer} changed={changed} />
        )}
      </Tabs.Panel>
    </Tabs.Root>
  );
}
