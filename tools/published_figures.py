"""Compare published start-up times and scheduling rates with those of a stage.

``python tools/published_figures.py`` runs the rows that are quick, and prints the table of
`docs/control-plane-profiles.md`; ``--write`` puts it there. The rows of thousands of nodes take
minutes: ``--large`` runs them, too, and stores their figures in `tools/published/recorded.json`,
from where they are read otherwise. One of them is ClusterLoader2's own ``load`` test; its files are
in the folder of ``--loads``.

What a row sets is what is known of its cluster: size, machines and flags. All other values are
those of the profile, which all rows share.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
import tempfile
from typing import Any, NamedTuple

from kubestage import load
from kubestage.runs import LoadOptions

ROOT = pathlib.Path(__file__).parents[1]
FOLDER = ROOT / "tools/published"
RECORDED = FOLDER / "recorded.json"
DOCUMENT = ROOT / "docs/control-plane-profiles.md"
LOADS = ROOT.parent / "shared/data/clusterloader2"
BEGIN, END = "<!-- published figures -->", "<!-- end of published figures -->"
SEEDS = (0, 1, 2)
HEAD = """| published | source | p50 | stage | factor | p99 | stage | factor |
|---|---|---|---|---|---|---|---|
"""
# The limits of the kubelet's client: of the storage tests, and the default until v1.26.
FAST_CLIENT = {"client_qps": 100, "client_burst": 100}
OLD_CLIENT = {"client_qps": 5, "client_burst": 10}
STORAGE = "perf-tests, storage results"
STARTUP = "PodStartupLatency_Startup"
SATURATION, SINGLE = "PodStartupLatency_Saturation", "PodStartupLatency_Latency"
LOAD = "StatelessPodStartupLatency_CreatePhasePodStartupLatency"
THROUGHPUT = "SchedulingThroughput"


class Row(NamedTuple):
    """A published result: its figures, and the load that is run to compare them.

    `published` is the 50th and the 99th percentile, in seconds, or pods a second if `is_rate`; the
    first is None where only the other is published. `profile` is the differences to a profile.
    """

    title: str
    source: str
    published: tuple[float | None, float]
    config: str
    values: dict[str, int]
    profile: dict[str, Any]
    measured: str = STARTUP
    nodes: int = 1
    cpus: int = 2
    seeds: tuple[int, ...] = SEEDS
    is_rate: bool = False
    is_large: bool = False


def _volumes(
    title: str, published: tuple[float, float], client: dict[str, int], rate: int, **values: int
) -> Row:
    profile = {"extends": "gce-100", "kubelet": client}
    return Row(title, STORAGE, published, "volumes.yaml", {"Rate": rate, **values}, profile)


def _density(title: str, source: str, published: tuple[float, float], measured: str) -> Row:
    profile = {"extends": "gce-100", "kubelet": OLD_CLIENT}
    values = {"Single": 200}
    return Row(title, source, published, "density.yaml", values, profile, measured, 100, 1)


def _scheduling(title: str, published: tuple[float, float]) -> Row:
    limits = {"client_qps": 1000, "client_burst": 1000}
    return Row(
        title,
        "kubernetes#127912",
        published,
        "scheduling.yaml",
        {"Pods": 10_000},
        {"extends": "gce-5000", "scheduler": limits},
        THROUGHPUT,
        5_000,
        1,
        (0,),
        is_rate=True,
        is_large=True,
    )


ROWS = (
    _volumes(
        "1 node, 100 pods with a ConfigMap",
        (27.1, 41.2), FAST_CLIENT, 10, Pods=100, Volumes=1, Maps=100,
    ),
    _volumes(
        "1 node, 100 pods with an emptyDir",
        (40.7, 45.6), FAST_CLIENT, 10, Pods=100, Volumes=1, Maps=0,
    ),
    _volumes(
        "1 node, a pod with 100 ConfigMaps",
        (2.2, 2.2), FAST_CLIENT, 10, Pods=1, Volumes=100, Maps=100,
    ),
    _volumes(
        "the first with 5 calls a second of the kubelet",
        (74.1, 93.1), OLD_CLIENT, 100, Pods=100, Volumes=1, Maps=100,
    ),
    _volumes(
        "the second with 5 calls a second",
        (62.8, 82.4), OLD_CLIENT, 100, Pods=100, Volumes=1, Maps=0,
    ),
    _volumes(
        "the third with 5 calls a second",
        (22.2, 22.2), OLD_CLIENT, 100, Pods=1, Volumes=100, Maps=100,
    ),
    _density(
        "100 nodes, 3,000 pods at once", "kubernetes#74088", (6.5, 99.0), SATURATION
    ),
    _density(
        "100 nodes, single pods beside 30 a node", "kubernetes#86217", (2.2, 3.15), SINGLE
    ),
    Row(
        "5,000 nodes, `load`, stateless pods (stage: 1,000)", "perf-tests#1311", (None, 6.5),
        "load/config.yaml", {}, {"extends": "gce-5000"}, LOAD, 1_000, 1, (0,), is_large=True,
    ),
    _scheduling("5,000 nodes, pods scheduled a second (v1.31.0)", (306, 441)),
    _scheduling("the same of v1.30.5", (578, 665)),
)  # fmt: skip
"""All rows of the table."""

Figures = tuple[float, float]


class Runs:
    """The loads that were run; rows of one load share its run."""

    def __init__(self, loads: pathlib.Path = LOADS) -> None:
        self._loads = loads
        self._done: dict[str, dict[str, Figures]] = {}

    def figures(self, row: Row) -> Figures:
        """The percentiles of a row: the medians over its seeds."""
        found = [self._run(row, seed)[row.measured] for seed in row.seeds]
        low, high = (statistics.median(each) for each in zip(*found, strict=True))
        return low, high

    def _run(self, row: Row, seed: int) -> dict[str, Figures]:
        key = json.dumps([row.config, row.values, row.nodes, row.cpus, row.profile, seed])
        if key not in self._done:
            folder = self._loads if "/" in row.config else FOLDER
            self._done[key] = _measure(row, str(folder / row.config), seed)
        return self._done[key]


def _measure(row: Row, config: str, seed: int) -> dict[str, Figures]:
    """Run the load of a row; the percentiles of each of its measurements."""
    with tempfile.TemporaryDirectory() as name:
        profile, values = pathlib.Path(name, "profile.json"), pathlib.Path(name, "values.json")
        profile.write_text(json.dumps(row.profile))
        values.write_text(json.dumps(row.values))
        options = LoadOptions(
            nodes=row.nodes,
            node=f"cpu={row.cpus},memory={row.cpus * 4}Gi,pods=110",
            profile=str(profile),
            overrides=(str(values),),
            seed=seed,
        )
        results = load(config, options)
    found = {}
    for measured in results.results[0].measured:
        for summary in measured.outcome.summaries:
            figures = _percentiles(summary.content)
            if figures is not None:
                found[summary.name] = figures
    return found


def _percentiles(content: str) -> Figures | None:
    """The percentiles in a summary of start-up times, in seconds, or of scheduling rates."""
    data = json.loads(content)
    if "perc50" in data:
        return data["perc50"], data["perc99"]
    for item in data.get("dataItems") or ():
        if item["labels"].get("Metric") == "pod_startup":
            return item["data"]["Perc50"] / 1000, item["data"]["Perc99"] / 1000
    return None


def factor(published: float, staged: float) -> float:
    """How far apart two figures are; 1 is the same."""
    return max(published / staged, staged / published)


def line(row: Row, figures: Figures) -> str:
    """A row of the table."""
    cells = [row.title, row.source]
    for published, staged in zip(row.published, figures, strict=True):
        unit = "/s" if row.is_rate else " s"
        if published is None:
            cells += ["", f"{staged:.3g}{unit}", ""]
        else:
            found = factor(published, staged)
            cells += [f"{published:.3g}{unit}", f"{staged:.3g}{unit}", f"{found:.1f}"]
    return f"| {' | '.join(cells)} |\n"


def table(runs: Runs, *, with_large: bool) -> str:
    """The whole table. Large rows that are not run are as they were recorded."""
    recorded: dict[str, Any] = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    lines = []
    for row in ROWS:
        if row.is_large and not with_large:
            figures = tuple(recorded[row.title])
        else:
            print(row.title, file=sys.stderr)
            figures = runs.figures(row)
        if row.is_large:
            recorded[row.title] = figures
        lines.append(line(row, figures))
    if with_large:
        RECORDED.write_text(json.dumps(recorded, indent=2) + "\n")
    return HEAD + "".join(lines)


def in_document(text: str) -> str:
    """The table as the document has it."""
    return text.partition(f"{BEGIN}\n")[2].partition(END)[0]


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="run rows of thousands of nodes, too")
    parser.add_argument("--loads", type=pathlib.Path, default=LOADS, help="ClusterLoader2's files")
    parser.add_argument("--write", action="store_true", help="put the table into the document")
    chosen = parser.parse_args()
    found = table(Runs(chosen.loads), with_large=chosen.large)
    if chosen.write:
        before, _, rest = DOCUMENT.read_text().partition(BEGIN)
        after = rest.partition(END)[2]
        DOCUMENT.write_text(f"{before}{BEGIN}\n{found}{END}{after}")
    else:
        print(found, end="")


if __name__ == "__main__":
    main()
