"""run.json says all that a run depends on besides its Scenario."""

from __future__ import annotations

import hashlib
import json
import pathlib
from typing import TYPE_CHECKING

import pytest

import kubestage
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters, scenarios

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


PLUGIN = """\
    class {name}:
        name = "{name}"
        def __init__(self, args, handle):
            pass
        def score_node(self, state, pod, node):
            return 0
    """


@pytest.fixture(autouse=True)
def _without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts take their time, and are looked at elsewhere."""
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))


def repeat(terminal: Terminal, *options: str) -> Json:
    assert terminal.run("run", *options, "--out", "kept").code == 0
    told: Json = json.loads(pathlib.Path("kept/run.json").read_text())
    return told


def test_what_nobody_chose_is_written_down_too(terminal: Terminal) -> None:
    scenarios.write(scenarios.rivalry())
    assert repeat(terminal, "scenario.json") == {
        "version": kubestage.__version__,
        "seed": 0,
        "start": None,
        "tieBreak": "heap",
        "controllers": True,
        "detail": "decisions",
        "strategy": "AtMovingNextStep",
        "asWritten": False,
        "configuration": None,
        "flags": {},
        "laws": {},
        "plugins": [],
    }


def test_what_was_chosen_is_written_down(terminal: Terminal) -> None:
    scenarios.write(scenarios.rivalry())
    told = repeat(
        terminal,
        *("scenario.json", "--seed", "-7", "--tie-break", "random", "--no-controllers"),
        *("--detail", "full", "--result-strategy", "OnDone"),
        *("--scheduler-name", "mine", "--hard-pod-affinity-symmetric-weight", "0"),
    )
    assert (told["seed"], told["tieBreak"], told["controllers"]) == (-7, "random", False)
    assert (told["detail"], told["strategy"]) == ("full", "OnDone")
    assert told["flags"] == {"scheduler_name": "mine", "hard_pod_affinity_symmetric_weight": 0}


def test_the_moment_at_which_a_recorded_cluster_begins_is_written_down(terminal: Terminal) -> None:
    recorded = make_deployment("web")
    recorded["metadata"] |= {"uid": "u", "creationTimestamp": "2026-05-04T03:02:01Z"}
    clusters.write("cluster.json", make_node("a"), recorded)
    told = repeat(terminal, "cluster.json")
    assert (told["start"], told["controllers"]) == ("2026-05-04T03:02:01Z", False)


def test_a_configuration_is_kept_as_it_was_written(terminal: Terminal) -> None:
    scenarios.write(scenarios.rivalry())
    clusters.write_config("# Überall\nparallelism: 2\n")
    told = repeat(terminal, "scenario.json", "--config", "scheduler.yaml")
    assert told["configuration"] == pathlib.Path("scheduler.yaml").read_text()


def test_the_configuration_of_an_import_is_kept_with_it(terminal: Terminal) -> None:
    profile = {"schedulerName": "theirs"}
    config = {"profiles": [profile], "apiVersion": "kubescheduler.config.k8s.io/v1"}
    config["kind"] = "KubeSchedulerConfiguration"
    exported = {"nodes": [], "pods": [], "schedulerConfig": config}
    pathlib.Path("export.json").write_text(json.dumps(exported))
    told = repeat(terminal, "export.json")
    assert json.loads(told["configuration"])["profiles"] == [profile]


def test_plugins_are_kept_as_they_were_named_with_the_hashes_of_their_files(
    terminal: Terminal,
) -> None:
    clusters.write("cluster.json", make_node("a"), make_node("b"), make_pod("web"))
    for name in ("One", "Two"):
        clusters.write_plugin(PLUGIN.format(name=name), f"{name.lower()}_of_ours.py")
    # A module may be named twice; it is one plugin.
    references = ["one_of_ours:One", "one_of_ours:One", "./two_of_ours.py:Two"]
    options = [word for each in references for word in ("--plugin", each)]
    told = repeat(terminal, "cluster.json", *options)
    assert told["plugins"] == [
        {"reference": reference, "sha256": _sha256(name)}
        for reference, name in (
            ("one_of_ours:One", "one_of_ours.py"),
            ("./two_of_ours.py:Two", "two_of_ours.py"),
        )
    ]


def _sha256(name: str) -> str:
    return hashlib.sha256(pathlib.Path(name).read_bytes()).hexdigest()
