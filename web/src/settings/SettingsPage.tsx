/**
 * Everything that is set, in one place: a list of sections beside the chosen one. A small screen shows the list
 * first and a section on its own. Nothing here waits for a common button; each form is saved where it stands.
 */

import { ChevronLeft, ChevronRight, ShieldCheck, X } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { Link, useLocation } from "wouter";
import { useStore } from "zustand";
import { directory } from "../app/directory.ts";
import { useLacks, useMay } from "../app/rights.ts";
import { useText } from "../i18n/text.ts";
import { Header } from "../thread/Header.tsx";
import { Button } from "../ui/Button.tsx";
import { LazyPart } from "../ui/LazyPart.tsx";
import css from "./SettingsPage.module.css";
import { managedSection, type SectionProps, sectionsFor } from "./sections.ts";

interface SettingsPageProps extends SectionProps {
  /** What the address names; a name that no section has is as good as none. */
  name: string | undefined;
  openRail: () => void;
  leave: () => void;
}

/** Escape goes back, but not from a field, where it would throw away what was written, nor from what lies above. */
function useEscape(leave: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      const from = event.target instanceof Element ? event.target : document.body;
      if (from.closest("input, select, textarea") !== null) return;
      if (document.querySelector("[role=dialog], [role=menu]") === null) leave();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [leave]);
}

function List({ current, chosen }: { current: string; chosen: boolean }) {
  const t = useText();
  const manages = useMay("manage");
  const operator = useStore(directory, ({ owner }) => owner?.operator === true);
  return (
    <nav className={css.list} aria-label={t.settings} data-chosen={chosen}>
      <ul>
        {sectionsFor(manages).map(({ id, icon: Icon }) => (
          <li key={id}>
            <Link
              href={`/settings/${id}`}
              aria-current={id === current ? (chosen ? "page" : "true") : undefined}
            >
              <Icon size={17} aria-hidden="true" />
              <span>{t.settingsSections[id].title}</span>
              <small>{t.settingsSections[id].about}</small>
              <ChevronRight size={17} className={css.into} aria-hidden="true" />
            </Link>
          </li>
        ))}
        {operator && (
          <li>
            <Link href="~/operator">
              <ShieldCheck size={17} aria-hidden="true" />
              <span>{t.operator.title}</span>
              <small>{t.operator.about}</small>
              <ChevronRight size={17} className={css.into} aria-hidden="true" />
            </Link>
          </li>
        )}
      </ul>
    </nav>
  );
}

export default function SettingsPage({ name, openRail, leave, ...props }: SettingsPageProps) {
  const t = useText();
  const id = useId();
  const top = useRef<HTMLHeadingElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const sections = sectionsFor(useMay("manage"));
  const lacks = useLacks("manage");
  const named = sections.find((one) => one.id === name);
  const section = named ?? sections[0];
  // Whoever follows a link to what their role does not have is told so, and not shown something else.
  const barred = lacks ? managedSection(name) : undefined;
  const shown = barred ?? named?.id;
  useEscape(leave);

  // Its former address, which may stand in a bookmark, becomes that of the section.
  const [at, navigate] = useLocation();
  useEffect(() => {
    if (at === "/usage") navigate("/settings/usage", { replace: true });
  }, [at, navigate]);

  const title = shown === undefined ? t.settings : t.settingsSections[shown].title;
  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);

  useEffect(() => {
    // Whoever opens the address itself begins at the top, where the ways past the lists are.
    if (navigator.userActivation.hasBeenActive) (shown === undefined ? top : heading).current?.focus();
  }, [shown]);

  if (section === undefined) return null;
  return (
    <>
      <Header title={t.settings} heading={top} openRail={openRail}>
        <Button icon look="quiet" aria-label={t.settingsLeave} onClick={leave}>
          <X size={18} aria-hidden="true" />
        </Button>
      </Header>
      <div className={css.page}>
        <List current={shown ?? section.id} chosen={shown !== undefined} />
        <section className={css.section} aria-labelledby={id} data-chosen={shown !== undefined}>
          <Link href="/settings" className={css.back}>
            <ChevronLeft size={17} aria-hidden="true" />
            {t.settingsAll}
          </Link>
          <h2 id={id} ref={heading} tabIndex={-1}>
            {t.settingsSections[shown ?? section.id].title}
          </h2>
          <div className={section.wide ? css.wide : css.form}>
            {barred === undefined ? (
              <LazyPart key={section.id} fallback={<p role="status">{t.loading}</p>}>
                <section.Body {...props} />
              </LazyPart>
            ) : (
              <p>{t.members.ownersSet}</p>
            )}
          </div>
        </section>
      </div>
    </>
  );
}
