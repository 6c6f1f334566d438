/** What was used: what is left, what each day has cost, and a table by whatever one asks for. */
import { Download } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { getAllowance, getUsage, usageTable } from "../api/berth.ts";
import { problemOf } from "../api/http.ts";
import { directory } from "../app/directory.ts";
import card from "../cards/Card.module.css";
import { Problem } from "../cards/Problem.tsx";
import type { Allowance, Problem as ProblemRecord, UsageReport } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { Button } from "../ui/Button.tsx";
import { useNow } from "../ui/clock.ts";
import { SelectField } from "../ui/Field.tsx";
import { AllowanceSummary } from "./AllowanceSummary.tsx";
import { PriceList } from "./PriceList.tsx";
import css from "./Usage.module.css";
import { UsageChart } from "./UsageChart.tsx";
import { UsageTable } from "./UsageTable.tsx";
import { type Days, daysOf, type Period, today } from "./usage-days.ts";

type By = UsageReport["by"];

const PERIODS: readonly Period[] = ["month", "before", "days30"];
const VIEWS: readonly By[] = ["day", "bot", "thread", "routine", "command", "model"];

interface Found {
  readonly allowance: Allowance;
  readonly report: UsageReport;
  readonly days: UsageReport;
}

async function look(by: By, days: Days): Promise<Found> {
  const asked = [getAllowance(), getUsage(by, days), by === "day" ? null : getUsage("day", days)] as const;
  const [allowance, report, byDay] = await Promise.all(asked);
  return { allowance, report, days: byDay ?? report };
}

export default function UsageSettings() {
  const t = useText();
  const zone = useStore(directory, ({ owner }) => owner?.time_zone ?? "UTC");
  const now = useNow(false);
  const [period, setPeriod] = useState<Period>("month");
  const [by, setBy] = useState<By>("day");
  const [again, setAgain] = useState(0);
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<ProblemRecord | "unreachable" | null>(null);
  const { first, last } = daysOf(period, today(now, zone));

  // biome-ignore lint/correctness/useExhaustiveDependencies: trying again is a reason to ask again
  useEffect(() => {
    let stale = false;
    setProblem(null);
    look(by, { first, last }).then(
      (answer) => !stale && setFound(answer),
      (reason: unknown) => !stale && setProblem(problemOf(reason)),
    );
    return () => {
      stale = true;
    };
  }, [by, first, last, again]);

  return (
    <div className={css.page}>
      {problem !== null && (
        <div className={card.card}>
          <Problem problem={problem}>
            <Button onClick={() => setAgain(again + 1)}>{t.retry}</Button>
          </Problem>
        </div>
      )}
      {found === null ? (
        problem === null && <p role="status">{t.loading}</p>
      ) : (
        <>
          <AllowanceSummary allowance={found.allowance} />
          <div className={css.choose}>
            <SelectField
              label={t.usagePeriod}
              value={period}
              choose={setPeriod}
              options={PERIODS.map((value) => ({ value, label: t.usagePeriods[value] }))}
            />
            <SelectField
              label={t.usageGrouped}
              value={by}
              choose={setBy}
              options={VIEWS.map((value) => ({ value, label: t.usageBy[value] }))}
            />
            <a className={css.download} href={usageTable({ first, last })} download>
              <Download size={15} aria-hidden="true" />
              {t.usageDownload}
            </a>
          </div>
          <UsageChart
            rows={found.days.rows}
            days={{ first: found.days.first_day, last: found.days.last_day }}
          />
          <UsageTable report={found.report} />
          <PriceList prices={found.report.prices} />
        </>
      )}
    </div>
  );
}
