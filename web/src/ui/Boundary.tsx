/**
 * Holds a failure of the program where it happens: a card that cannot be shown leaves the others standing, and a page
 * that cannot be shown says so. React wants a class for this and nothing else.
 */
import { OctagonX, RotateCw } from "lucide-react";
import { Component, type ReactNode } from "react";
import { directory } from "../app/directory.ts";
import { reportOf } from "../app/report.ts";
import { CopyButton } from "../cards/CopyButton.tsx";
import { useLanguage } from "../i18n/text.ts";
import css from "./Boundary.module.css";
import { Button } from "./Button.tsx";

function Broken({ error, whole }: { error: unknown; whole: boolean }) {
  const { text: t, locale } = useLanguage();
  const report = reportOf(error, {
    version: directory.getState().owner?.version ?? "?",
    path: location.pathname,
    agent: navigator.userAgent,
    language: locale,
    size: [innerWidth, innerHeight],
  });
  return (
    <div className={whole ? css.page : css.card} role="alert" data-broken={whole ? "page" : "card"}>
      <OctagonX size={16} aria-hidden="true" />
      <strong>{whole ? t.broken.page : t.broken.card}</strong>
      <p>{navigator.onLine ? t.broken.kept : t.broken.offline}</p>
      <div className={css.do}>
        <Button onClick={() => location.reload()}>
          <RotateCw size={14} aria-hidden="true" />
          {t.reload}
        </Button>
        <CopyButton text={() => report} label={t.broken.copy} />
      </div>
      <details>
        <summary>{t.broken.report}</summary>
        <pre>{report}</pre>
      </details>
    </div>
  );
}

interface BoundaryProps {
  /** Whether it stands around the whole page rather than a card of it. */
  whole?: boolean;
  children: ReactNode;
}

export class Boundary extends Component<BoundaryProps, { thrown: { error: unknown } | null }> {
  override state = { thrown: null };

  static getDerivedStateFromError(error: unknown) {
    return { thrown: { error } };
  }

  override render() {
    const { thrown } = this.state as { thrown: { error: unknown } | null };
    if (thrown === null) return this.props.children;
    return <Broken error={thrown.error} whole={this.props.whole ?? false} />;
  }
}
