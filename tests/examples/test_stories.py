"""The user stories of the document, as its examples tell them."""

from __future__ import annotations

import collections
import importlib.util
import pathlib
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kubestage import explain
from kubestage.results import analysis, run_directory
from kubestage.runs.explain.node_explanation import NodeExplanation
from kubestage.scenario.resource import SCENARIO

if TYPE_CHECKING:
    import types

    from kubestage import Stage

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
WORSE_PLUGIN = EXAMPLES / "15-worse-plugin"
KUBESTAGE = [sys.executable, "-c", "from kubestage import cli; cli.main()"]


def _compare(after: pathlib.Path, *options: str) -> subprocess.CompletedProcess[str]:
    words = ["compare", "scenario.yaml", "--config", "before.yaml", "--config", str(after)]
    plugin = ["--plugin", "warm_nodes.py:WarmNodes"]
    return subprocess.run(
        [*KUBESTAGE, *words, *plugin, *options],
        cwd=WORSE_PLUGIN,
        capture_output=True,
        text=True,
        check=False,
    )


def test_story_1_a_plugin_that_makes_things_worse_is_caught() -> None:
    """They want to make sure that their expansions have not negatively impacted the results."""
    done = _compare(WORSE_PLUGIN / "after.yaml", "--fail-if-worse")
    assert done.returncode == 1
    for measure in ("scheduled 34, not 35", "pending 1, not 0", "preempted 6, not 0"):
        assert measure in done.stderr


def test_story_1_without_the_flag_the_difference_is_told_and_nothing_fails() -> None:
    done = _compare(WORSE_PLUGIN / "after.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 newly pending" in done.stdout
    assert "WarmNodes" in done.stdout[done.stdout.index("The first decision that differs") :]


@pytest.mark.parametrize(("metric", "code"), [("pending", 1), ("stddev.cpu", 0)])
def test_story_1_only_the_measures_that_are_named_can_be_worse(metric: str, code: int) -> None:
    """CPU is spread more evenly with the plugin, as the example says."""
    done = _compare(WORSE_PLUGIN / "after.yaml", "--fail-if-worse", "--metric", metric)
    assert done.returncode == code


def test_story_1_at_a_small_weight_the_plugin_changes_nothing(tmp_path: pathlib.Path) -> None:
    gentle = tmp_path / "gentle.yaml"
    gentle.write_text((WORSE_PLUGIN / "after.yaml").read_text().replace("weight: 10", "weight: 1"))
    done = _compare(gentle, "--fail-if-worse")
    assert done.returncode == 0
    assert "Not one decision differs" in done.stdout


@pytest.fixture(name="worst_case")
def _worst_case() -> types.ModuleType:
    path = EXAMPLES / "17-worst-case" / "main.py"
    spec = importlib.util.spec_from_file_location("worst_case", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _scenario(stage: Stage, worst_case: types.ModuleType) -> dict[str, Any]:
    return stage.store.get(SCENARIO, worst_case.NAME)


def test_story_2_the_scenario_waits_for_the_next_event_and_goes_on_with_it(
    worst_case: types.ModuleType,
) -> None:
    """Even when a scenario is running, users can add events to that scenario."""
    stage = worst_case.started()
    assert _scenario(stage, worst_case)["status"]["phase"] == "Paused"
    worst_case.add_event(stage, 1, worst_case.lose("node-1"))
    status = _scenario(stage, worst_case)["status"]
    assert (status["phase"], status["step"]) == ("Paused", 1)
    told = [event["operation"] for event in status["scenarioResult"]["timeline"]["1"]]
    assert told[0] == "Delete"
    assert "PodScheduled" in told


def test_story_2_to_try_an_idea_leaves_the_scenario_as_it_is(
    worst_case: types.ModuleType,
) -> None:
    stage = worst_case.started()
    before = _scenario(stage, worst_case)
    for event in worst_case.candidates(stage, 1).values():
        worst_case.harm(stage, 1, event)
    assert _scenario(stage, worst_case) == before


def test_story_2_the_worst_is_worse_than_bad_luck(worst_case: types.ModuleType) -> None:
    """Events that are worst for the scheduler, by looking at the results at that point."""
    stage = worst_case.started()
    worst_case.make_it_worse(stage)
    scenario = _scenario(stage, worst_case)
    assert scenario["status"]["phase"] == "Succeeded"
    assert analysis.summary(scenario).pending == 2
    assert worst_case.largest_free(stage) > 2 * 500
    lucky = worst_case.started()
    for step, node in enumerate(("node-1", "node-4", "node-2"), 1):
        worst_case.add_event(lucky, step, worst_case.lose(node))
    assert not analysis.summary(_scenario(lucky, worst_case)).pending


def test_a_cluster_that_never_consolidates_has_its_causes_named(tmp_path: pathlib.Path) -> None:
    """Each node has a cause of its own: pods that come and go, an annotation, a budget."""
    folder = EXAMPLES / "56-never-consolidates"
    apps, quiet, pool = (folder / f"{name}.yaml" for name in ("apps", "quiet", "nodepool"))
    out = tmp_path / "run"
    words = ["run", pool, apps, "--at", f"20m={quiet}", "--for", "1h", "--out", out]
    subprocess.run([*KUBESTAGE, *map(str, words)], capture_output=True, check=True)
    life = run_directory.open_life(out)[0]
    nodes = {row["nodeClaim"] for row in life.rows("node-decisions") if row["decision"] == "bought"}
    assert not [row for row in life.rows("node-decisions") if row["decision"] == "leaves"]
    causes = collections.Counter(_cause(explain(out, f"node/{name}")) for name in nodes)
    assert causes == {"too early": 1, "Pod has": 1, "Pdb prevents": 2}


def _cause(explained: object) -> str:
    assert isinstance(explained, NodeExplanation)
    assert explained.verdict is not None
    assert explained.verdict.deciding is not None
    assert bool(explained.obstacles) is not explained.verdict.candidate
    return " ".join(explained.verdict.deciding.shown.split()[:2]).rstrip(":")


def test_the_jobs_of_a_day_are_drawn_with_a_seed() -> None:
    folder = EXAMPLES / "58-node-sizes"
    program = [sys.executable, "jobs.py"]
    drawn, other = (
        subprocess.run(
            [*program, *options], cwd=folder, capture_output=True, text=True, check=True
        ).stdout
        for options in ([], ["--seed", "8"])
    )
    assert drawn == (folder / "jobs.csv").read_text()
    assert other.splitlines()[0] == drawn.splitlines()[0]
    assert other != drawn
