/** The first rows of a CSV as a table, whose numbers stand right and line up, or as a chart. Loaded when first asked for. */
import { parse } from "papaparse";
import { lazy, Suspense, useMemo, useState } from "react";
import { useLanguage } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { count } from "../ui/format.ts";
import { chartData } from "./chart-data.ts";
import css from "./Preview.module.css";
import type { Beginning } from "./preview-text.ts";

const TableChart = lazy(() => import("./TableChart.tsx"));

const ROWS = 100;
/** A line takes more rows than a reader. */
const CHART_ROWS = 2_000;
const COLUMNS = 40;
const NUMBER = /^\s*-?[\d.,]+(e[+-]?\d+)?%?\s*$/i;

export default function TablePreview({ beginning, label }: { beginning: Beginning; label: string }) {
  const { text: t, locale } = useLanguage();
  const [drawn, setDrawn] = useState(false);
  const parsed = useMemo(
    () => parse<string[]>(beginning.text, { preview: CHART_ROWS + 2, skipEmptyLines: true }).data,
    [beginning.text],
  );
  const [head = [], ...all] = parsed.map((row) => row.slice(0, COLUMNS));
  const rows = all.slice(0, ROWS);
  const chart = useMemo(() => {
    const [names = [], ...values] = parsed;
    return chartData(names.slice(0, COLUMNS), values.slice(0, CHART_ROWS));
  }, [parsed]);
  const numeric = head.map((_, column) => rows.every((row) => NUMBER.test(row[column] ?? "")));
  const cut = beginning.cut || all.length > ROWS;
  return (
    <>
      {chart !== null && (
        <div className={css.choice}>
          <Button look="quiet" aria-pressed={!drawn} onClick={() => setDrawn(false)}>
            {t.table}
          </Button>
          <Button look="quiet" aria-pressed={drawn} onClick={() => setDrawn(true)}>
            {t.chart}
          </Button>
        </div>
      )}
      {drawn && chart !== null ? (
        <Suspense fallback={<div className={css.chart} />}>
          <TableChart data={chart} label={label} />
        </Suspense>
      ) : (
        <section className={css.scroll} aria-label={label} tabIndex={0}>
          <table className={css.table}>
            <thead>
              <tr>
                {head.map((cell, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                  <th key={column} scope="col" data-numeric={numeric[column]}>
                    {cell}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, line) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
                <tr key={line}>
                  {head.map((_, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
                    <td key={column} data-numeric={numeric[column]}>
                      {row[column] ?? ""}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {cut && !drawn && <p className={css.note}>{t.previewCut(count(rows.length, locale))}</p>}
    </>
  );
}
