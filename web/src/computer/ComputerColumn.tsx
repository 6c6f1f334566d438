/**
 * The computer beside the conversation: a third column on a wide screen, a sheet over the page on a small one.
 *
 * Its frame is in the first load, so that nothing moves when what is in it arrives.
 */
import { lazy, Suspense } from "react";
import { sessionOf } from "../app/sessions.ts";
import { useText } from "../i18n/text.ts";
import css from "./ComputerColumn.module.css";
import { usePanel } from "./panel-address.ts";

const ComputerView = lazy(() => import("./ComputerView.tsx"));
const Cover = lazy(() => import("../ui/Cover.tsx"));

export function ComputerColumn({ threadId }: { threadId: string }) {
  const t = useText();
  const panel = usePanel();
  if (panel.tab === null) return null;
  const view = (
    <Suspense>
      <ComputerView key={threadId} session={sessionOf(threadId)} panel={panel} tab={panel.tab} />
    </Suspense>
  );
  if (!panel.wide) {
    return (
      <Suspense>
        <Cover title={t.computer} close={panel.close}>
          {view}
        </Cover>
      </Suspense>
    );
  }
  return (
    <aside className={css.column} aria-label={t.computer}>
      {view}
    </aside>
  );
}
