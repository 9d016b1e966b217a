"""Results of the scheduler's benchmark as pictures, in the look that charts have here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt
import scheduler_scaling
import scheduler_tables

from kubestage.results.charts import style

if TYPE_CHECKING:
    from collections.abc import Callable

    from altair.typing import ChartType

    from kubestage.aliases import Json


_ROW: Final = 46
_WAYS: Final = {"alike": "without binding", "whole": "bound, with an Event"}
_NAMES_WIDTH: Final = 230
_WIDTH: Final = style.WIDTH - _NAMES_WIDTH
_REAL: Final = "as nodes scored"


def lists(results: Json) -> ChartType:
    """How many times the real scheduler, list by list, with the target of each."""
    rows = []
    for each in results["lists"]:
        for key, way in _WAYS.items():
            found = scheduler_tables.figure(each[key], each["real"])
            row = {"list": _name(each["name"]), "way": way, "target": each["target"]}
            rows.append({**row, "ratio": found.ratio, "low": found.low, "high": found.high})
    ways = list(_WAYS.values())
    base = alt.Chart(style.data(rows)).encode(
        y=_names("list", [_name(each["name"]) for each in results["lists"]]),
        yOffset=alt.YOffset("way:N", sort=ways, scale=alt.Scale(domain=ways, paddingInner=0.15)),
    )
    color = alt.Color("way:N", scale=alt.Scale(domain=ways, range=[style.BLUE, style.SKY]))
    scale = alt.Scale(domain=[0, 1.12 * max(row["high"] for row in rows)], nice=False)
    across = alt.X(
        "ratio:Q", title="times the real scheduler", scale=scale, axis=alt.Axis(tickCount=6)
    )
    label = alt.Text("ratio:Q", format=".0f")
    chart = alt.layer(
        base.mark_bar().encode(x=across, color=color),
        base.mark_rule(color=style.BLACK, strokeWidth=1.5).encode(x="low:Q", x2="high:Q"),
        base.mark_text(align="left", dx=6, fontSize=12).encode(x="high:Q", text=label),
        base.transform_filter(alt.datum.way == ways[0])
        .mark_tick(color=style.VERMILION, thickness=3, size=_ROW / 2)
        .encode(x="target:Q"),
        width=_WIDTH,
        height=_ROW * len(results["lists"]),
    )
    subtitle = "Line: from the slowest to the fastest round; red tick: the target without binding"
    return style.finished(chart, "How many times the real scheduler", subtitle)


def scaling(results: Json) -> ChartType:
    """What a pod costs by the number of nodes, against the number of nodes that are scored."""
    rows = []
    for each in scheduler_tables.scaling_rows(results):
        pods = f"{each['pods']:,} pods"
        cost = each["us_per_pod"]
        rows.append({"nodes": each["nodes"], "what": pods, "us": cost})
        if each["pods"] == scheduler_scaling.PODS[0]:
            grown = cost / each["cost_growth"] * each["scored_growth"]
            rows.append({"nodes": each["nodes"], "what": _REAL, "us": grown})
    kinds = [*dict.fromkeys(row["what"] for row in rows if row["what"] != _REAL), _REAL]
    colors = [style.BLUE, style.ORANGE, style.GREEN][: len(kinds) - 1]
    highest = max(row["us"] for row in rows)
    chart = (
        alt.Chart(style.data(rows), width=style.WIDTH, height=style.HEIGHT)
        .mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=50))
        .encode(
            x=_logarithmic("nodes", "nodes", list(scheduler_scaling.NODES)),
            y=_logarithmic("us", "microseconds a pod", _decades(highest)),
            color=alt.Color("what:N", scale=alt.Scale(domain=kinds, range=[*colors, style.BLACK])),
            strokeDash=alt.condition(alt.datum.what == _REAL, alt.value([4, 4]), alt.value([1, 0])),
        )
    )
    subtitle = "Dashed: what it would cost if the cost grew as the number of nodes scored does"
    return style.finished(chart, "What a pod costs as the cluster grows", subtitle)


def memory(results: Json) -> ChartType:
    """The most memory by the number of pods, with the limit that is set."""
    rows = [
        {
            "pods": each["pods"],
            "mb": each["peak_mb"],
            "nodes": f"{each['nodes']:,} nodes",
        }
        for each in results["scaling"]
    ]
    nodes = list(dict.fromkeys(row["nodes"] for row in rows))
    pods = sorted({row["pods"] for row in rows})
    base = alt.Chart(style.data(rows), width=style.WIDTH, height=style.HEIGHT)
    places = [128, 512, 2048, scheduler_scaling.MAX_MB]
    lines = base.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=50)).encode(
        x=_logarithmic("pods", "pods", pods),
        y=_logarithmic("mb", "MiB at most", places),
        color=alt.Color(
            "nodes:N", scale=alt.Scale(domain=nodes, range=list(style.RESOURCES[: len(nodes)]))
        ),
    )
    limit = (
        alt.Chart(style.data([{"mb": scheduler_scaling.MAX_MB}]))
        .mark_rule(color=style.VERMILION, strokeDash=[6, 4], strokeWidth=2)
        .encode(y="mb:Q")
    )
    chart = alt.layer(lines, limit)
    return style.finished(chart, "Memory", "The whole process; dashed: 8 GiB")


def parts(results: Json) -> ChartType:
    """Where the microseconds of a pod go."""
    rows = results["parts"]
    whole = sum(row["us_per_pod"] for row in rows)
    base = alt.Chart(style.data(rows), width=_WIDTH - 20, height=_ROW * 0.7 * len(rows)).encode(
        y=_names("part", [row["part"] for row in rows])
    )
    scale = alt.Scale(domain=[0, 1.12 * max(row["us_per_pod"] for row in rows)], nice=False)
    across = alt.X("us_per_pod:Q", title="microseconds a pod", scale=scale)
    chart = alt.layer(
        base.mark_bar(color=style.BLUE).encode(x=across),
        base.mark_text(align="left", dx=6, fontSize=12).encode(
            x=across, text=alt.Text("us_per_pod:Q", format=".1f")
        ),
    )
    subtitle = f"A basic pod on 1,000 nodes, bound and with its Event: {whole:.1f} us in all"
    return style.finished(chart, "Where the time goes", subtitle)


def _name(name: str) -> str:
    return scheduler_tables.title(name).replace("`", "")


def _names(field: str, names: list[str]) -> alt.Y:
    axis = alt.Axis(labelLimit=_NAMES_WIDTH + 40, labelPadding=10, ticks=False, domain=False)
    return alt.Y(f"{field}:N", sort=names, title=None, axis=axis)


def _logarithmic(field: str, title: str, places: list[int]) -> Any:
    kind = alt.Y if field in ("us", "mb") else alt.X
    scale = alt.Scale(type="log", domain=[places[0], places[-1]], nice=False, padding=10)
    return kind(f"{field}:Q", title=title, scale=scale, axis=alt.Axis(values=places, format=",d"))


def _decades(highest: float) -> list[int]:
    """1, 2, 5, 10 ... up to where a value has room."""
    found = [1]
    while found[-1] < highest:
        last = found[-1]
        found.append(last * 5 // 2 if str(last)[0] == "2" else last * 2)
    return found


CHARTS: Final[dict[str, tuple[str, Callable[[Json], ChartType]]]] = {
    "performance-lists": ("lists", lists),
    "performance-scaling": ("scaling", scaling),
    "performance-memory": ("scaling", memory),
    "performance-parts": ("parts", parts),
}
"""Charts by file name, each with the results that it needs."""
