"""Requests against queueing theory: what theory says, what comes out, and how sure that is.

Run as ``python benchmarks/queueing.py``: it runs what the tests in ``tests/traffic/queueing`` run,
and prints it. ``--seeds`` says with how many seeds besides; ``--write`` puts the tables into
``docs/traffic-proof.md``, each between its two marks.
"""

from __future__ import annotations

import argparse
import importlib
import math
import pathlib
import statistics
import sys
from typing import Any

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / "docs" / "traffic-proof.md"

Verdicts = dict[int, list[Any]]


def pooled(verdicts: list[Any], student: float) -> tuple[float, float]:
    """The mean over several seeds, and the margin of all their replications together."""
    errors = [verdict.margin / student for verdict in verdicts]
    freedom = len(verdicts) * 19
    normal = statistics.NormalDist().inv_cdf(0.995)
    # Student's t by the first terms of its expansion, which are plenty for so many degrees.
    wider = normal + (normal**3 + normal) / (4 * freedom)
    margin = wider * math.sqrt(sum(error**2 for error in errors)) / len(errors)
    return statistics.fmean(verdict.got for verdict in verdicts), margin


def inside(expected: float, got: float, margin: float) -> str:
    return "inside" if abs(got - expected) <= margin else "**outside**"


def spread(got: float, margin: float) -> str:
    return f"{got:.4f} ± {margin:.4f}"


def rows_of(name: str, by_seed: Verdicts, seed: int, student: float) -> list[str]:
    """The lines of one queue."""
    lines = []
    for at, verdict in enumerate(by_seed[seed]):
        claim = verdict.claim
        cells = [
            name if at == 0 else "",
            claim.name,
            f"{claim.expected:.6g}",
            spread(verdict.got, verdict.margin),
            f"± {100 * claim.within:.2g} %",
            "inside" if verdict.holds else "**outside**",
        ]
        if len(by_seed) > 1:
            got, margin = pooled([verdicts[at] for verdicts in by_seed.values()], student)
            cells += [spread(got, margin), inside(claim.expected, got, margin)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def table_of(found: dict[str, Verdicts], claims: Any) -> str:
    titles = ["queue", "figure", "theory", "got", "allowed", "theory is"]
    rule = ["---", "---", "---:", "---:", "---:", "---"]
    if len(next(iter(found.values()))) > 1:
        titles += ["with all seeds", "theory is"]
        rule += ["---:", "---"]
    lines = [f"| {' | '.join(titles)} |", f"| {' | '.join(rule)} |"]
    for name, by_seed in found.items():
        lines += rows_of(name, by_seed, claims.SEED, claims.FULL.student)
    return "\n".join(lines)


def seeds_of(found: dict[str, Verdicts]) -> str:
    """How many intervals hold theory's figure, by seed."""
    lines = ["| seed | intervals | theory inside | outside |", "| ---: | ---: | ---: | ---: |"]
    total = [0, 0]
    for seed in next(iter(found.values())):
        verdicts = [verdict for by_seed in found.values() for verdict in by_seed[seed]]
        held = sum(verdict.is_inside for verdict in verdicts)
        total[0] += len(verdicts)
        total[1] += held
        lines.append(f"| {seed} | {len(verdicts)} | {held} | {len(verdicts) - held} |")
    share = 100 * total[1] / total[0]
    lines.append(f"| all | {total[0]:,} | {total[1]:,} ({share:.1f} %) | {total[0] - total[1]} |")
    return "\n".join(lines)


def wrong_of(wrong: Any) -> str:
    """What comes out where a queue works otherwise."""
    lines = [
        "| instead | queue | figure | theory | got | theory is |",
        "| --- | --- | --- | ---: | ---: | --- |",
    ]
    for title, case in wrong.WRONG.items():
        verdict = wrong.judge(case)
        claim = verdict.claim
        cells = [
            title,
            case.name,
            claim.name,
            f"{claim.expected:.6g}",
            spread(verdict.got, verdict.margin),
            "**inside**" if verdict.is_inside else "outside",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def filled(page: str, tables: dict[str, str]) -> str:
    """A page with its tables replaced."""
    for name, table in tables.items():
        start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        if (page.count(start), page.count(end)) != (1, 1):
            raise SystemExit(f"the page should have one place for {name}: {start} ... {end}")
        before, _, rest = page.partition(start)
        after = rest.partition(end)[2]
        page = f"{before}{start}\n\n{table}\n\n{end}{after}"
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=0, help="run with seeds 0 to this one, too")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    claims, table, wrong = (
        importlib.import_module(f"tests.traffic.queueing.{name}")
        for name in ("claims", "table", "wrong")
    )
    seeds = sorted({claims.SEED, *range(options.seeds)})
    found = {
        name: {seed: claims.judge(row, seed=seed) for seed in seeds}
        for name, row in table.ROWS.items()
    }
    tables = {
        "table": table_of(found, claims),
        "seeds": seeds_of(found),
        "wrong": wrong_of(wrong),
    }
    for text in tables.values():
        print(text, end="\n\n")
    if options.write:
        PAGE.write_text(filled(PAGE.read_text(), tables))


if __name__ == "__main__":
    main()
