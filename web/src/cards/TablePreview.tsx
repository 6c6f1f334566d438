/** The first rows of a CSV as a table; numbers stand right and line up. Loaded when first asked for. */
import { parse } from "papaparse";
import { useLanguage } from "../i18n/text.ts";
import { count } from "../ui/format.ts";
import css from "./Preview.module.css";
import type { Beginning } from "./preview-text.ts";

const ROWS = 100;
const COLUMNS = 40;
const NUMBER = /^\s*-?[\d.,]+(e[+-]?\d+)?%?\s*$/i;

export default function TablePreview({ beginning, label }: { beginning: Beginning; label: string }) {
  const { text: t, locale } = useLanguage();
  const { data } = parse<string[]>(beginning.text, { preview: ROWS + 2, skipEmptyLines: true });
  const [head = [], ...all] = data.map((row) => row.slice(0, COLUMNS));
  const rows = all.slice(0, ROWS);
  const numeric = head.map((_, column) => rows.every((row) => NUMBER.test(row[column] ?? "")));
  const cut = beginning.cut || all.length > ROWS;
  return (
    <>
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
      {cut && <p className={css.note}>{t.previewCut(count(rows.length, locale))}</p>}
    </>
  );
}
