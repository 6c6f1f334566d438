/** What each day has cost, as bars of two colours. The table below says the same in numbers. */
import type { UsageRow } from "../contracts.ts";
import { useLanguage } from "../i18n/text.ts";
import { dollars } from "../ui/format.ts";
import css from "./Usage.module.css";
import { allDays, type Days, dayName } from "./usage-days.ts";

const [WIDTH, HEIGHT] = [720, 120];

export function UsageChart({ rows, days }: { rows: readonly UsageRow[]; days: Days }) {
  const { text: t, locale } = useLanguage();
  const named = new Map(rows.map((row) => [row.key, row]));
  const all = allDays(days);
  const most = Math.max(1, ...rows.map((row) => row.micro));
  const step = WIDTH / all.length;
  const tall = (micro: number) => (micro / most) * HEIGHT;
  const first = all.at(0);
  const last = all.at(-1);
  return (
    <figure className={css.chart}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.usageChart(dollars(most, locale, 2))}
      >
        {all.map((day, place) => {
          const { computer_micro = 0, model_micro = 0, micro = 0 } = named.get(day) ?? {};
          const at = { x: place * step + step * 0.15, width: step * 0.7 };
          return (
            <g key={day} data-day={day}>
              <title>{`${dayName(day, locale)}: ${dollars(micro, locale, 6)}`}</title>
              <rect {...at} y={HEIGHT - 1} height={1} className={css.ground} />
              <rect
                {...at}
                y={HEIGHT - tall(computer_micro)}
                height={tall(computer_micro)}
                className={css.computer}
              />
              <rect {...at} y={HEIGHT - tall(micro)} height={tall(model_micro)} className={css.model} />
            </g>
          );
        })}
      </svg>
      <figcaption>
        <span>{first !== undefined && dayName(first, locale)}</span>
        <span className={css.legend}>
          <i className={css.computer} /> {t.computer}
          <i className={css.model} /> {t.usageModel}
        </span>
        <span>{last !== undefined && dayName(last, locale)}</span>
      </figcaption>
    </figure>
  );
}
