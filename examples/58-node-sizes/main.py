"""Which node sizes are best for these jobs: money, waiting and use of each choice, in one table."""

from __future__ import annotations

import pathlib
from typing import NamedTuple

from kubestage import compare
from kubestage.objects.tables import text
from kubestage.results.life import wording
from kubestage.runs.compare import ComparedLives, CompareOptions

CHOICES = ("small", "medium", "large")
JOBS = "jobs.csv"


class Answer(NamedTuple):
    """What came of a choice of node sizes."""

    name: str
    nodes: float
    at_once: float
    cost: float
    waited: float
    longest: float
    cpu: float
    memory: float


def main() -> None:
    """Let the day pass with each choice, and print what came of it."""
    options = CompareOptions(
        nodepools=tuple(f"{name}.yaml" for name in CHOICES),
        arrivals=(JOBS,),
        trace_map="trace-map.yaml",
        run_for="26h",
        start="2026-01-01T00:00:00Z",
    )
    compared = compare(["cluster.yaml"], options)
    assert isinstance(compared, ComparedLives)
    jobs = len(pathlib.Path(JOBS).read_text().splitlines()) - 1
    answers = _answers(compared)
    print(f"{jobs} jobs in a day\n")
    rows = [("NODES", "BOUGHT", "AT ONCE", "COST", "PER JOB", "WAIT, MEAN", "LONGEST", "CPU",
             "MEMORY")]  # fmt: skip
    rows += [_row(each, jobs) for each in answers]
    print("\n".join(text.align(rows)))
    cheapest = min(answers, key=lambda each: each.cost)
    quickest = min(answers, key=lambda each: each.waited)
    print(f"\n{cheapest.name} nodes are the cheapest; jobs wait least for {quickest.name} ones.")
    if cheapest is not quickest:
        hours = (cheapest.waited - quickest.waited) / 3600
        dollars = (quickest.cost - cheapest.cost) / hours
        print(f"An hour less of waiting, of all jobs together, costs ${dollars:,.2f} there.")


def _answers(compared: ComparedLives) -> list[Answer]:
    """The figures of each choice."""
    found = {each.key: each.values for each in compared.measures}
    keys = ("nodesAdded", "nodesHighest", "cost", "pendingSeconds", "longestWaitSeconds",
            "allocatedShare.cpu", "allocatedShare.memory")  # fmt: skip
    return [
        Answer(name, *(found[key][place] or 0.0 for key in keys))
        for place, name in enumerate(compared.names)
    ]


def _row(each: Answer, jobs: int) -> tuple[str, ...]:
    return (
        each.name,
        f"{each.nodes:.0f}",
        f"{each.at_once:.0f}",
        f"${each.cost:.2f}",
        f"${each.cost / jobs:.3f}",
        wording.span(round(each.waited / jobs, 1)),
        wording.span(each.longest),
        f"{each.cpu:.1%}",
        f"{each.memory:.1%}",
    )


if __name__ == "__main__":
    main()
