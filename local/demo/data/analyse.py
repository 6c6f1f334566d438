"""Body mass by flipper length of three species of penguin: a table to read and a chart to keep.

Run in the computer: python3 analyse.py FILE.csv CHART.svg
"""

import csv
import statistics
import sys
from pathlib import Path

import pygal  # type: ignore[import-not-found]
from pygal.style import Style  # type: ignore[import-not-found]

source, chart_file = map(Path, sys.argv[1:])
with source.open(newline="") as file:
    rows = list(csv.DictReader(file))

measured = [row for row in rows if "NA" not in (row["flipper_length_mm"], row["body_mass_g"])]
print(f"{len(rows)} penguins, {len(rows) - len(measured)} of them not measured\n")

chart = pygal.XY(
    title="Palmer penguins: the longer the flipper, the heavier the bird",
    x_title="flipper length, mm",
    y_title="body mass, g",
    stroke=False,
    dots_size=4,
    width=900,
    height=560,
    legend_at_bottom=True,
    legend_at_bottom_columns=3,
    js=(),  # a chart that is looked at needs no script, and none from elsewhere
    style=Style(
        background="white",
        plot_background="white",
        colors=("#e8711a", "#7b4ea8", "#127475"),
        guide_stroke_color="#d8d8d8",
        major_guide_stroke_color="#d8d8d8",
        font_family="sans-serif",
        title_font_size=20,
        legend_font_size=15,
    ),
)
print(f"{'species':<10} {'birds':>5} {'flipper':>8} {'mass':>8} {'r':>6}")
for species in sorted({row["species"] for row in measured}):
    points = [
        (float(row["flipper_length_mm"]), float(row["body_mass_g"]))
        for row in measured
        if row["species"] == species
    ]
    flippers, masses = zip(*points, strict=True)
    means = f"{statistics.mean(flippers):>5.0f} mm {statistics.mean(masses):>6.0f} g"
    print(f"{species:<10} {len(points):>5} {means} {statistics.correlation(flippers, masses):>6.2f}")
    chart.add(species, points)

chart.render_to_file(str(chart_file))
print(f"\nThe chart is {chart_file.name}, {chart_file.stat().st_size:,} bytes, by pygal {pygal.__version__}")
