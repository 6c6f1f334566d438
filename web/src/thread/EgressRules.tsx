/** What the owner has opened to the computer, and how to close it again. */
import { useEffect, useState } from "react";
import { getEgressRules, removeEgressRule } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { useMay } from "../app/rights.ts";
import type { EgressRule } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { moment } from "../ui/format.ts";
import css from "./ComputerButton.module.css";

export function EgressRules() {
  const { text: t, locale } = useLanguage();
  const [rules, setRules] = useState<readonly EgressRule[]>([]);
  const [failed, setFailed] = useState(false);
  const now = useNow(false);
  const manages = useMay("manage");

  useEffect(() => {
    let stale = false;
    getEgressRules().then(
      (answer) => !stale && setRules(answer.items),
      (reason: unknown) => problemOf(reason),
    );
    return () => {
      stale = true;
    };
  }, []);

  const remove = (id: string) => {
    removeEgressRule(id).then(
      () => setRules((kept) => kept.filter((rule) => rule.id !== id)),
      (reason: unknown) => {
        problemOf(reason);
        setFailed(true);
      },
    );
  };

  const holding = rules.filter((rule) => rule.until_ms > now);
  if (holding.length === 0) return null;
  return (
    <>
      <p>{t.openedHosts}</p>
      <ul className={css.commands}>
        {holding.map((rule) => (
          <li key={rule.id}>
            <code>
              {rule.host}
              {rule.path}
            </code>
            <small>{t.openedUntil(moment(rule.until_ms, now, locale))}</small>
            {manages && (
              <Button look="quiet" aria-label={t.closeHost(rule.host)} onClick={() => remove(rule.id)}>
                {t.closeAgain}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {failed && <p className={css.failed}>{t.closeFailed}</p>}
    </>
  );
}
