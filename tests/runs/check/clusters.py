"""Small clusters and changes, as folders."""

from __future__ import annotations

import pathlib
from typing import Any

from kubestage.objects import yaml_text
from kubestage.runs.check import CheckOptions, CheckResult, check
from kubestage.testing import make_deployment, make_node, make_pod_disruption_budget

Json = dict[str, Any]


def nodes(number: int = 4, **options: Any) -> list[Json]:
    """Nodes ``n1``, ``n2`` ... of two CPUs, in zones a, b and c by turns."""
    return [
        make_node(f"n{each}", **{"cpu": "2", "zone": "abc"[(each - 1) % 3], **options})
        for each in range(1, number + 1)
    ]


def web(replicas: int = 3, *, cpu: str = "1100m", image: str = "web:1") -> Json:
    """A Deployment of which a node holds one pod: it requests more than half of it."""
    found: Json = make_deployment("web", replicas=replicas, cpu=cpu, memory="1Gi")
    found["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return found


def in_zone(obj: Json, zone: str) -> Json:
    """A workload whose pods are to be in one zone."""
    obj["spec"]["template"]["spec"]["nodeSelector"] = {"topology.kubernetes.io/zone": zone}
    return obj


def budget(most: int | str = 1) -> Json:
    return make_pod_disruption_budget("web", max_unavailable=most)


def write(folder: str | pathlib.Path, *objects: Json, file: str = "all.yaml") -> None:
    """Write objects to a file of a folder."""
    place = pathlib.Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    (place / file).write_text("---\n".join(map(yaml_text.dump, objects)))


def verdict(
    before: list[Json], after: list[Json], *rules: str, only: str = "", **options: Any
) -> CheckResult:
    """Check a change in the current folder; with `only`, by one rule alone."""
    write("before", *before)
    write("after", *after)
    if "files" not in options and "nodes" not in options:
        write("cluster", *nodes())
        options["files"] = ("cluster",)
    off = [f"{each}=off" for each in DEFAULTS if only and each != only]
    chosen = CheckOptions(base="before", head="after", rules=(*off, *rules), **options)
    return check(options=chosen)


DEFAULTS = ("pending", "survival", "budgets", "spread", "requests")


def failed(result: CheckResult) -> list[str]:
    """The names of the rules that failed."""
    return [each.name for each in result.verdict.rules if each.state == "failed"]
