"""Small runs of every kind, kept in directories."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from kubestage import run
from kubestage.runs import RunOptions, rehearse
from kubestage.runs.compare import CompareOptions, compare
from kubestage.runs.load import running
from kubestage.runs.load.options import LoadOptions
from kubestage.runs.rehearse import saving
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import loads, scenarios

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
  plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}]}}
"""


def nodes(number: int = 3) -> list[Json]:
    return [make_node(f"n{at}", cpu="4", memory="8Gi") for at in range(number)]


def scenario_file(path: pathlib.Path, name: str = "small", pods: int = 4) -> str:
    """Nodes, then pods; under another configuration the second pod goes elsewhere."""
    objects = [
        *nodes(),
        *(make_pod(f"p{at}", cpu="1") for at in range(pods)),
        make_pod("big", cpu="9"),
    ]
    found = scenarios.scenario(objects)
    found["metadata"]["name"] = name
    path.write_text(json.dumps(found))
    return str(path)


def scenario(
    folder: pathlib.Path, out: str = "scenario", config: str | None = None
) -> pathlib.Path:
    """A kept Scenario."""
    file = scenario_file(folder / "scenario.json")
    run(file, RunOptions(out=str(folder / out), config=config))
    return folder / out


def packing(folder: pathlib.Path) -> str:
    """A scheduler configuration that fills nodes."""
    path = folder / "packing.yaml"
    path.write_text(PACKING)
    return str(path)


def cluster_file(folder: pathlib.Path) -> str:
    """Nodes and a Deployment."""
    path = folder / "cluster.json"
    items = [*nodes(), make_deployment("web", replicas=3)]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return str(path)


def life(folder: pathlib.Path) -> pathlib.Path:
    """A kept living cluster."""
    run(cluster_file(folder), RunOptions(run_for="2m", out=str(folder / "life")))
    return folder / "life"


def rehearsal(folder: pathlib.Path) -> pathlib.Path:
    """A kept rehearsal."""
    options = rehearse.OutageOptions(out=str(folder / "outage"), lasts="10m")
    saving.save(rehearse.outage(cluster_file(folder), "node/n0", options), str(folder / "outage"))
    return folder / "outage"


def survey(folder: pathlib.Path) -> pathlib.Path:
    """All rehearsals of a cluster."""
    options = rehearse.SurveyOptions(out=str(folder / "all"), drains=1)
    saving.save(rehearse.survey(cluster_file(folder), options), str(folder / "all"))
    return folder / "all"


def load(folder: pathlib.Path, *, keeps_history: bool = True) -> pathlib.Path:
    """A kept load."""
    with contextlib.chdir(folder):
        results = running.load(loads.write(), LoadOptions(nodes=3, keeps_history=keeps_history))
    results.save(str(folder / "load"))
    return folder / "load"


def comparison(folder: pathlib.Path) -> pathlib.Path:
    """A kept comparison of two configurations."""
    file = scenario_file(folder / "scenario.json")
    out = folder / "both"
    compare([file], CompareOptions(configs=("default", packing(folder)), out=str(out)))
    return out
