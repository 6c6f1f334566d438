/**
 * Holds a failure of the program where it happens: a card or a part that cannot be shown leaves the others standing, and
 * a page that cannot be shown says so. React wants a class for this and nothing else.
 */
import clsx from "clsx";
import { OctagonX, RotateCw } from "lucide-react";
import { Component, type ReactNode, useState } from "react";
import { standing } from "../app/build.ts";
import { directory } from "../app/directory.ts";
import { reportOf } from "../app/report.ts";
import { CopyButton } from "../cards/CopyButton.tsx";
import { useLanguage } from "../i18n/text.ts";
import css from "./Boundary.module.css";
import { Button } from "./Button.tsx";

type Around = "page" | "part" | "above" | "card";

/**
 * A part that could not be loaded is not asked for again by a browser before the page is: so trying again is a reload,
 * which keeps drafts and unsent messages. Without a server it would end the page, so that is asked first.
 */
function useAgain(): { unreached: boolean; again: () => void } {
  const [unreached, setUnreached] = useState(false);
  const again = () =>
    void standing().then((found) => {
      if (found === "unreachable") setUnreached(true);
      else location.reload();
    });
  return { unreached, again };
}

function Broken({
  error,
  around,
  close,
}: {
  error: unknown;
  around: Around;
  close?: (() => void) | undefined;
}) {
  const { text: t, locale } = useLanguage();
  const { unreached, again } = useAgain();
  const page = around === "page";
  const report = reportOf(error, {
    version: directory.getState().owner?.version ?? "?",
    path: location.pathname,
    agent: navigator.userAgent,
    language: locale,
    size: [innerWidth, innerHeight],
  });
  return (
    <div
      className={clsx(
        page ? css.page : css.card,
        around === "above" && css.above,
        around === "part" && css.part,
      )}
      role="alert"
      data-broken={around}
    >
      <OctagonX size={16} aria-hidden="true" />
      <strong>{page ? t.broken.page : around === "card" ? t.broken.card : t.broken.part}</strong>
      <p>{unreached ? t.broken.unreached : navigator.onLine ? t.broken.kept : t.broken.offline}</p>
      <div className={css.do}>
        <Button onClick={page ? () => location.reload() : again}>
          <RotateCw size={14} aria-hidden="true" />
          {page ? t.reload : t.retry}
        </Button>
        {close !== undefined && (
          <Button look="quiet" onClick={close}>
            {t.close}
          </Button>
        )}
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
  /** What it stands around: the whole page, a part of it, what lies above it, or a card. */
  around?: Around;
  /** Shown instead of a word about it. */
  instead?: ReactNode;
  close?: (() => void) | undefined;
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
    const { around = "card", instead, close } = this.props;
    return instead === undefined ? <Broken error={thrown.error} around={around} close={close} /> : instead;
  }
}
