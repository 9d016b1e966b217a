"""Results of the scheduler's benchmark as tables in Markdown, and the figures behind them.

`SECTIONS` are the parts of `docs/performance.md` that follow from results.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kubestage.aliases import Json


class Figure(NamedTuple):
    """The median of rounds, and how many times the real scheduler that is, with the range."""

    rate: float
    ratio: float | None
    low: float
    high: float


def figure(rounds: Sequence[Json], real: float | None) -> Figure:
    """What rounds come to; a ratio is each round's own, by the speed of the machine meanwhile."""
    rate = statistics.median(each["pods_per_second"] for each in rounds)
    if real is None:
        return Figure(rate, None, 0.0, 0.0)
    ratios = [each["pods_per_second"] / (real * each["speed"]) for each in rounds]
    return Figure(rate, statistics.median(ratios), min(ratios), max(ratios))


def speed(rounds: Iterable[Json]) -> float:
    """How fast the machine was, 1.0 being the one of the reference."""
    return statistics.median(each["speed"] or 1.0 for each in rounds)


def times(ratio: float) -> str:
    """A ratio as people say it: whole from ten on."""
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2f}x"


def spread(found: Figure) -> str:
    """The ratio with the range of the rounds."""
    if found.ratio is None:
        return "n/a"
    return f"{times(found.ratio)} ({times(found.low)[:-1]} to {times(found.high)[:-1]})"


def title(name: str) -> str:
    """``basic-1000-5000`` as ``basic``, 1,000 nodes, 5,000 pods."""
    shape, nodes, pods = name.rsplit("-", 2)
    return f"`{shape}`, {int(nodes):,} nodes, {int(pods):,} pods"


def memory(megabytes: float) -> str:
    """MiB, or GiB if there are many."""
    return f"{megabytes:,.0f} MiB" if megabytes < 1024 else f"{megabytes / 1024:.1f} GiB"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in heads[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows))


def _lists(results: Json) -> str:
    heads = ("list", "real one", "without binding", "times", "bound", "times", "same node")
    return _table(heads, map(_list_row, results["lists"]))


def _list_row(each: Json) -> Sequence[str]:
    alike, whole = (figure(each[key], each["real"]) for key in ("alike", "whole"))
    real = "n/a"
    if each["real"] is not None:
        real = f"{each['real'] * speed(each['alike']):,.0f}/s"
    same = {(one["identical"], one["pods"]) for one in (*each["alike"], *each["whole"])}
    return (
        f"`{each['name']}`",
        real,
        f"{alike.rate:,.0f}/s",
        f"**{spread(alike)}**",
        f"{whole.rate:,.0f}/s",
        spread(whole),
        ", ".join("n/a" if got is None else f"{got:,} of {of:,}" for got, of in sorted(same)),
    )


def _shapes(results: Json) -> str:
    heads = ("work", "real, at best", "here", "times that", "attempts a pod", "memory")
    rows = []
    for each in results["shapes"]:
        found = figure(each["whole"], each["real"])
        real = "n/a"
        if each["real"] is not None:
            real = f"{each['real'] * speed(each['whole']):,.0f}/s"
        attempts = each["whole"][0]["attempts"] / each["whole"][0]["pods"]
        rows.append(
            (
                f"{title(each['name'])}: {each['what']}",
                real,
                f"{found.rate:,.0f}/s",
                spread(found),
                f"{attempts:g}",
                memory(max(one["peak_mb"] for one in each["whole"])),
            )
        )
    return _table(heads, rows)


def _failing(results: Json) -> str:
    heads = ("work", "first attempt", "another at the same pod")
    rows = []
    for each in results["failing"]:
        first, again = (
            statistics.median(one[key] for one in each["rounds"])
            for key in ("first_ms", "again_ms")
        )
        shown = f"{title(each['name'])}: {each['what']}"
        rows.append((shown, f"{first:.2f} ms", f"{again:.2f} ms"))
    return _table(heads, rows)


def scaling_rows(results: Json) -> Iterator[Json]:
    """Sizes with how cost and nodes scored have grown since the smallest cluster."""
    least: dict[int, Json] = {}
    for each in sorted(results["scaling"], key=lambda row: (row["pods"], row["nodes"])):
        first = least.setdefault(each["pods"], each)
        # The machine's speed changes between rows; costs are told apart as if it had not.
        cost, first_cost = (one["us_per_pod"] * (one["speed"] or 1.0) for one in (each, first))
        yield each | {
            "cost_growth": cost / first_cost,
            "scored_growth": each["scored_per_pod"] / first["scored_per_pod"],
        }


def _scaling(results: Json) -> str:
    heads = ("pods", "nodes", "a pod", "scored", "cost grew", "scored grew", "memory")
    rows = [
        (
            f"{each['pods']:,}",
            f"{each['nodes']:,}",
            f"{each['us_per_pod']:.1f} us",
            f"{each['scored_per_pod']:,.0f}",
            f"{each['cost_growth']:.1f}x",
            f"{each['scored_growth']:.1f}x",
            memory(each["peak_mb"]),
        )
        for each in scaling_rows(results)
    ]
    return _table(heads, rows)


def _parts(results: Json) -> str:
    rows = [
        (each["part"], f"{each['us_per_pod']:.1f} us", f"{100 * each['share']:.0f}%")
        for each in results["parts"]
    ]
    return _table(("part", "a pod", "share"), rows)


def _machine(results: Json) -> str:
    machine, loading = results["machine"], results["loading"]
    rounds = [one for each in results["lists"] for one in (*each["alike"], *each["whole"])]
    lines = [
        f"- {machine['cpu']}, {machine['cores']} cores, of which one is used; {machine['system']}",
        ", ".join(f"{name} {version}" for name, version in machine["versions"].items()),
    ]
    lines[1] = f"- {lines[1]}"
    if any(one["speed"] for one in rounds):
        speeds = [one["speed"] for one in rounds]
        lines.append(
            f"- {speed(rounds):.2f} times as fast as the machine of the reference "
            f"({min(speeds):.2f} to {max(speeds):.2f} over {len(speeds)} runs)"
        )
        lower = 1 - 1 / statistics.median(one["best_speed"] / one["speed"] for one in rounds)
        lines.append(
            "- that is the mean during a run; by the fastest moment of each run instead, which is "
            f"how the reference was calibrated, ratios are {100 * lower:.0f}% lower"
        )
    if loading.get("cold_seconds") is not None:
        lines.append(
            f"- kernels: {loading['cold_seconds']:.1f} s to compile and load them for the first "
            f"time on a machine, {loading['warm_seconds']:.2f} s to load them from then on; not in "
            "the figures below"
        )
    return "\n".join(lines)


SECTIONS: Final[dict[str, Callable[[Json], str]]] = {
    "machine": _machine,
    "lists": _lists,
    "shapes": _shapes,
    "failing": _failing,
    "scaling": _scaling,
    "parts": _parts,
}


def sections(results: Json) -> dict[str, str]:
    """The tables for which there are results."""
    return {name: make(results) for name, make in SECTIONS.items() if results.get(name)}
