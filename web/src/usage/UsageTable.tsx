/** The rows of one view and their sum. Amounts are exact, so that they can be added up. */
import { Link } from "wouter";
import type { UsageReport, UsageRow } from "../contracts.ts";
import { type Dictionary, useLanguage } from "../i18n/text.ts";
import { count, dollars, took, visible } from "../ui/format.ts";
import css from "./Usage.module.css";
import { dayName } from "./usage-days.ts";

type By = UsageReport["by"];

function name(by: By, row: UsageRow, t: Dictionary, locale: string): string {
  if (by === "day") return dayName(row.key, locale);
  if (by === "routine") return row.key.startsWith("routine:") ? row.label || row.key.slice(8) : t.usageChat;
  if (by === "model") return row.key || t.usageNoModel;
  if (row.label) return visible(row.label);
  if (row.key === "") return by === "command" ? t.usageNoCommand : t.usageNobody;
  return by === "thread" ? t.untitled : t.usageGone;
}

function Figures({ row }: { row: UsageRow }) {
  const { locale } = useLanguage();
  const tokens = row.input_tokens + row.output_tokens;
  return (
    <>
      <td className={css.minor}>{row.computer_ms === 0 ? "–" : took(row.computer_ms)}</td>
      <td className={css.minor}>{tokens === 0 ? "–" : count(tokens, locale)}</td>
      <td data-micro={row.computer_micro}>{dollars(row.computer_micro, locale, 6)}</td>
      <td data-micro={row.model_micro}>{dollars(row.model_micro, locale, 6)}</td>
      <td data-micro={row.micro}>{dollars(row.micro, locale, 6)}</td>
    </>
  );
}

export function UsageTable({ report }: { report: UsageReport }) {
  const { text: t, locale } = useLanguage();
  const { by, rows, others, total } = report;
  return (
    <section className={css.scroll} aria-label={t.usageBy[by]} tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t.usageBy[by]}</th>
            <th scope="col" className={css.minor}>
              {t.usageTime}
            </th>
            <th scope="col" className={css.minor}>
              {t.usageTokens}
            </th>
            <th scope="col">{t.computer}</th>
            <th scope="col">{t.usageModel}</th>
            <th scope="col">{t.usageTotal}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                {by === "thread" && row.label ? (
                  <Link href={`/t/${row.key}`}>{visible(row.label)}</Link>
                ) : (
                  name(by, row, t, locale)
                )}
              </th>
              <Figures row={row} />
            </tr>
          ))}
          {others && (
            <tr>
              <th scope="row">{t.usageOthers}</th>
              <Figures row={others} />
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t.usageTotal}</th>
            <Figures row={total} />
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
