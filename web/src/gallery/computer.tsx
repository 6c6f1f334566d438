/** What stands beside the conversation and needs no computer to be looked at: texts, changes, tables drawn. */
import { lazy, Suspense } from "react";
import CodeText from "../cards/CodeText.tsx";
import { chartData } from "../cards/chart-data.ts";
import { DiffView } from "../cards/DiffView.tsx";

const TableChart = lazy(() => import("../cards/TableChart.tsx"));

const SOURCE = [
  "# Mean and spread of what came back.",
  "from statistics import mean",
  "",
  "def spread(rows: list[float]) -> float:",
  '    """The largest less the smallest."""',
  "    return max(rows) - min(rows) if rows else 0.5",
  "",
].join("\n");

const LONG = [
  "--- a/long.py",
  "+++ b/long.py",
  "@@ -1,90 +1,90 @@",
  ...Array.from({ length: 45 }, (_, n) => [`-value_${n} = ${n}`, `+value_${n} = "${n}"  # text`]).flat(),
].join("\n");

const ROWS = Array.from({ length: 24 }, (_, n) => [
  `2026-01-${String(n + 1).padStart(2, "0")}`,
  String(100 + 20 * Math.sin(n / 3)),
  String(90 + n),
]);
const CHART = chartData(["day", "price", "mean"], ROWS);

export function ComputerStories() {
  return (
    <>
      <div data-state="code-text">
        <CodeText text={SOURCE} name="spread.py" label="spread.py" />
      </div>
      <div data-state="code-unknown">
        <CodeText text={"plain text\n\nof no language\n"} name="notes" label="notes" />
      </div>
      <div data-state="diff-long">
        <DiffView diff={LONG} cut={false} path="long.py" />
      </div>
      {CHART !== null && (
        <div data-state="table-chart">
          <Suspense>
            <TableChart data={CHART} label="prices.csv" />
          </Suspense>
        </div>
      )}
    </>
  );
}
