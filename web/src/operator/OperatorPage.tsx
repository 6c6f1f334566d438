/** For operators: the deployment, its owners as numbers, the record. It is loaded when somebody goes there. */
import { useEffect } from "react";
import { Link } from "wouter";
import { useText } from "../i18n/text.ts";
import { Header } from "../thread/Header.tsx";
import css from "./Operator.module.css";
import { OverviewTab } from "./OverviewTab.tsx";
import { OwnerPart } from "./OwnerPart.tsx";
import { OwnersTab } from "./OwnersTab.tsx";
import { RecordTab } from "./RecordTab.tsx";

const TABS = ["overview", "owners", "record"] as const;
type Tab = (typeof TABS)[number];

interface OperatorPageProps {
  /** What the address names behind /operator. */
  tab: string | undefined;
  ownerId: string | undefined;
  openRail: () => void;
}

export default function OperatorPage({ tab, ownerId, openRail }: OperatorPageProps) {
  const t = useText();
  const words = t.operator;
  const current: Tab = TABS.find((one) => one === tab) ?? "overview";
  const title = `${words.tabs[current]} · ${words.title}`;
  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);
  return (
    <>
      <Header title={words.title} openRail={openRail} />
      <div className={css.page}>
        <div className={css.inside}>
          <nav className={css.tabs} aria-label={words.title}>
            {TABS.map((one) => (
              <Link
                key={one}
                href={one === "overview" ? "/operator" : `/operator/${one}`}
                aria-current={one === current ? "page" : undefined}
              >
                {words.tabs[one]}
              </Link>
            ))}
          </nav>
          {current === "overview" && <OverviewTab />}
          {current === "owners" && (ownerId === undefined ? <OwnersTab /> : <OwnerPart id={ownerId} />)}
          {current === "record" && <RecordTab />}
        </div>
      </div>
    </>
  );
}
