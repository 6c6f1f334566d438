/** A quick chart of a table. The table itself says the same to whoever cannot see it. */
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ChartData } from "./chart-data.ts";
import css from "./Preview.module.css";

const HEIGHT = 240;
const COLOURS = [
  "--ansi-blue",
  "--ansi-green",
  "--ansi-yellow",
  "--ansi-magenta",
  "--ansi-red",
  "--ansi-cyan",
];

const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function optionsOf({ kind, names, over, lines }: ChartData, width: number): uPlot.Options {
  const axis = {
    stroke: token("--text-3"),
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
  };
  const named = (_: uPlot, splits: number[]) =>
    splits.map((at) => (Number.isInteger(at) ? (names[at] ?? "") : ""));
  return {
    width,
    height: HEIGHT,
    cursor: { points: { size: 6 } },
    legend: { live: true },
    scales: { x: { time: kind === "time" } },
    axes: [names.length > 0 ? { ...axis, values: named } : axis, { ...axis, size: 64 }],
    series: [
      names.length > 0 ? { label: over, value: (_, at) => names[at ?? -1] ?? "" } : { label: over },
      ...lines.map(({ name }, at) => ({
        label: name,
        stroke: token(COLOURS[at] ?? "--text-2"),
        width: 2,
        points: { show: lines[0] !== undefined && lines[0].values.length <= 60 },
      })),
    ],
  };
}

export default function TableChart({ data, label }: { data: ChartData; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const values = [data.below, ...data.lines.map((line) => line.values)] as uPlot.AlignedData;
    let plot = new uPlot(optionsOf(data, element.clientWidth), values, element);
    const size = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    size.observe(element);
    const theme = new MutationObserver(() => {
      plot.destroy();
      plot = new uPlot(optionsOf(data, element.clientWidth), values, element);
    });
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      size.disconnect();
      theme.disconnect();
      plot.destroy();
    };
  }, [data]);
  return <div ref={box} className={css.chart} role="img" aria-label={label} data-chart />;
}
