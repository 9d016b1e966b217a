"""Draw the policies of OpenB beside the published figures: docs/images/openb.svg.

``python tools/openb_chart.py examples/40-openb/allocations.csv`` draws it from the shares of GPUs
that were allocated, a row for each policy and seed, and prints the table of the page.
"""

from __future__ import annotations

import argparse
import csv
import pathlib
import statistics
from typing import Any, Final

import altair as alt

from kubestage.results import charts
from kubestage.results.charts import style

ROOT: Final = pathlib.Path(__file__).parents[1]
PICTURE: Final = ROOT / "docs" / "images" / "openb.svg"
PUBLISHED: Final = {
    "Random": (87.47, 0.30),
    "DotProd": (90.85, 0.19),
    "GpuClustering": (91.88, 0.59),
    "GpuPacking": (92.00, 0.52),
    "BestFit": (93.08, 0.13),
    "FGD": (95.39, 0.08),
}
COLORS: Final = {"published": style.ORANGE, "kubestage": style.BLUE}


def found(path: pathlib.Path) -> dict[str, list[float]]:
    """What each policy allocated, in percent, a value for each seed."""
    values: dict[str, list[float]] = {name: [] for name in PUBLISHED}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            values[row["policy"]].append(float(row["allocated"]))
    return values


def drawn(values: dict[str, list[float]]) -> Any:
    """Means with standard deviations, ours beside the published ones, and our single runs."""
    means = [
        {
            "policy": name,
            "source": source,
            "mean": mean,
            "low": mean - spread,
            "high": mean + spread,
        }
        for name, (published, deviation) in PUBLISHED.items()
        for source, mean, spread in (
            ("published", published, deviation),
            ("kubestage", statistics.mean(values[name]), statistics.pstdev(values[name])),
        )
    ]
    runs = [
        {"policy": name, "source": "kubestage", "mean": value}
        for name, single in values.items()
        for value in single
    ]
    x = alt.X("policy:N", sort=list(PUBLISHED), title=None, axis=alt.Axis(labelAngle=0))
    y = alt.Y("mean:Q", title="allocated GPUs, %", scale=alt.Scale(domain=[86, 96]))
    scale = alt.Scale(domain=list(COLORS), range=list(COLORS.values()))
    aside = alt.XOffset("source:N", sort=list(COLORS))
    color = alt.Color("source:N", scale=scale, title=None)
    base = alt.Chart(style.data(means)).encode(x=x, xOffset=aside, color=color)
    single = alt.Chart(style.data(runs)).mark_circle(opacity=0.35, size=28)
    chart = alt.layer(
        single.encode(x=x, y=y, xOffset=aside, color=color),
        base.mark_rule(strokeWidth=2).encode(y="low:Q", y2="high:Q"),
        base.mark_point(filled=True, size=90).encode(y=y),
    ).properties(width=style.WIDTH, height=style.HEIGHT)
    seeds = len(next(iter(values.values())))
    return style.finished(
        chart,
        "GPU sharing on OpenB at 130 % arrived load",
        f"Mean and standard deviation; published: 10 seeds, kubestage: {seeds}, with each run",
    )


def table(values: dict[str, list[float]]) -> str:
    """The same in Markdown."""
    lines = ["| policy | kubestage | published | difference |", "|---|---|---|---|"]
    for name, (published, deviation) in PUBLISHED.items():
        mean, spread = statistics.mean(values[name]), statistics.pstdev(values[name])
        ours, theirs = f"{mean:.2f} ± {spread:.2f}", f"{published:.2f} ± {deviation:.2f}"
        lines.append(f"| {name} | {ours} | {theirs} | {mean - published:+.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Draw the picture and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=pathlib.Path)
    values = found(parser.parse_args().results)
    charts.save(drawn(values), PICTURE)
    print(table(values))


if __name__ == "__main__":
    main()
