/**
 * The computer beside the conversation: a third column on a wide screen, a sheet over the page on a small one.
 *
 * Its frame is in the first load, so that nothing moves when what is in it arrives.
 */

import { lazy } from "react";
import { sessionOf } from "../app/sessions.ts";
import { useText } from "../i18n/text.ts";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./ComputerColumn.module.css";
import { usePanel } from "./panel-address.ts";

const ComputerView = lazy(() => import("./ComputerView.tsx"));
const Cover = lazy(() => import("../ui/Cover.tsx"));

export function ComputerColumn({ threadId }: { threadId: string }) {
  const t = useText();
  const panel = usePanel();
  if (panel.tab === null) return null;
  const view = (
    <LazyPart key={threadId}>
      <ComputerView session={sessionOf(threadId)} panel={panel} tab={panel.tab} />
    </LazyPart>
  );
  if (!panel.wide) {
    return (
      <LazyPart close={panel.close}>
        <Cover title={t.computer} close={panel.close}>
          {view}
        </Cover>
      </LazyPart>
    );
  }
  return (
    <aside className={css.column} aria-label={t.computer}>
      {view}
    </aside>
  );
}
