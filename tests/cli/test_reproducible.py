"""The same seed is the same run, in any process, and what was kept of a run repeats it."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from kubestage.results import run_record
from kubestage.testing import make_deployment, make_node, make_pod
from tests.cli import clusters
from tests.scenario import building
from tests.scenario.building import create, delete, done, importance, important, patch

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from tests.cli.terminal import Terminal


# Charts take their time, and are looked at elsewhere.
PROGRAM = """
from kubestage import cli
from kubestage.results.report import drawings
drawings.NEEDED = ("no_such_library",)
cli.main()
"""
FILES = ("scenario.json", "record.sqlite", "run.json", "report.html")
PLUGIN = """\
    class Mine:
        name = "Mine"
        def __init__(self, args, handle):
            self.liked = args["liked"]
        def score_node(self, state, pod, node):
            return 50 if node.name in self.liked else 0
    """
TWO_PROFILES = """\
    profiles:
    - schedulerName: default-scheduler
      plugins: {multiPoint: {enabled: [{name: Mine, weight: 3}]}}
      pluginConfig: [{name: Mine, args: {liked: [n1, n4]}}]
    - schedulerName: packing
      pluginConfig:
      - name: NodeResourcesFit
        args: {scoringStrategy: {type: MostAllocated}}
    """


@pytest.fixture(autouse=True)
def _without_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts take their time, and are looked at elsewhere."""
    monkeypatch.setattr("kubestage.results.report.drawings.NEEDED", ("no_such_library",))


def write_all(name: str = "busy") -> None:
    """A Scenario with a bit of everything: ties, workloads, victims, profiles, time."""
    clusters.write_plugin(PLUGIN)
    clusters.write_config(TWO_PROFILES)
    packed = [make_pod(f"packed-{number}", cpu="1") for number in range(4)]
    for pod in packed:
        pod["spec"]["schedulerName"] = "packing"
    scenario = building.scenario(
        importance(),
        *(create(make_node(f"n{number}", cpu="4")) for number in range(6)),
        create(make_deployment("web", replicas=8, cpu="1"), 1),
        *(create(pod, 2) for pod in packed),
        *(create(make_pod(f"filler-{number}", cpu="2"), 3) for number in range(8)),
        *(create(important(f"vip-{number}", cpu="3"), 4) for number in range(2)),
        patch(building.DEPLOYMENT, "web", {"spec": {"replicas": 3}}, 5),
        delete(building.NODE, "n5", 6),
        done(7),
        name=name,
        step_duration="20s",
    )
    clusters.write("busy.json", scenario)


OPTIONS = (
    *("run", "busy.json", "--config", "scheduler.yaml", "--plugin", "mine.py:Mine"),
    *("--tie-break", "random"),
)


def contents(path: str) -> dict[str, bytes]:
    return {name: pathlib.Path(path, name).read_bytes() for name in FILES}


@pytest.mark.parametrize("detail", ["decisions", "full"])
def test_the_same_seed_gives_the_same_bytes_in_another_process(
    detail: str, terminal: Terminal
) -> None:
    write_all()
    options = (*OPTIONS, "--seed", "5", "--detail", detail)
    assert terminal.run(*options, "--out", "here").code == 0
    for salt in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *options, "--out", f"there-{salt}"],
            env=os.environ | {"PYTHONHASHSEED": salt},
            stdout=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode == 0
        assert contents(f"there-{salt}") == contents("here")


def test_another_seed_is_another_run(terminal: Terminal) -> None:
    write_all()
    for seed in ("5", "6"):
        assert terminal.run(*OPTIONS, "--seed", seed, "--out", f"seed-{seed}").code == 0
    one, other = contents("seed-5"), contents("seed-6")
    assert all(one[name] != other[name] for name in FILES)


def test_a_scenario_that_was_kept_is_the_same_run_again(terminal: Terminal) -> None:
    write_all()
    assert terminal.run(*OPTIONS, "--out", "first").code == 0
    again = ("run", "first/scenario.json", *OPTIONS[2:], "--out", "second")
    assert terminal.run(*again).code == 0
    for name in ("scenario.json", "record.sqlite"):
        assert contents("second")[name] == contents("first")[name]


def _tried(path: str) -> dict[str, list[int]]:
    """The numbers of the attempts at each pod."""
    found: dict[str, list[int]] = {}
    with run_record.open(pathlib.Path(path, "record.sqlite")) as record:
        for row in record.decisions():
            found.setdefault(row.pod, []).append(row.number)
    return found


def test_a_repetition_tells_of_every_attempt_what_was_found_out_in_it(terminal: Terminal) -> None:
    write_all()
    options = (*OPTIONS, "--seed", "5", "--out")
    assert terminal.run(*options, "plain").code == 0
    assert terminal.run(*options, "full", "--detail", "full").code == 0
    tried = _tried("plain")
    assert tried == _tried("full")
    assert len(tried) > 20
    for pod, numbers in tried.items():
        result = terminal.run("explain", "plain", pod, "-o", "json")
        assert (result.code, result.err) == (0, "")
        with run_record.open("full/record.sqlite") as record:
            told = {number: record.explanation(number) for number in numbers}
        attempts = _attempts(json.loads(result.out))
        assert {each["number"]: each["explanation"] for each in attempts} == told


def _attempts(told: Json | list[Json]) -> list[Json]:
    return [
        each for pod in (told if isinstance(told, list) else [told]) for each in pod["attempts"]
    ]


def test_flags_and_the_start_of_time_are_repeated_too(terminal: Terminal) -> None:
    recorded = [make_node(f"n{number}") for number in range(4)]
    for number, node in enumerate(recorded):
        node["metadata"] |= {"uid": f"u{number}", "creationTimestamp": "2026-05-04T03:02:01Z"}
    web = make_pod("web", cpu="1")
    web["spec"]["schedulerName"] = "mine"
    clusters.write("cluster.json", *recorded, web)
    options = ("--scheduler-name", "mine", "--tie-break", "random", "--seed", "3")
    assert terminal.run("run", "cluster.json", *options, "--out", "kept").code == 0
    result = terminal.run("explain", "kept", "web", "-o", "json")
    assert (result.code, result.err) == (0, "")
    told = json.loads(result.out)
    (attempt,) = told["attempts"]
    assert attempt["profile"] == "mine"
    assert attempt["explanation"]["selected"] == told["node"]


def test_a_plugin_that_is_another_since_is_found_out(terminal: Terminal) -> None:
    write_all()
    assert terminal.run(*OPTIONS, "--out", "kept").code == 0
    path = pathlib.Path("mine.py")
    path.write_text(path.read_text().replace("in self.liked", "not in self.liked"))
    result = terminal.run("explain", "kept", "vip-1")
    assert result.code == 1
    assert "mine.py:Mine is no longer what it was" in result.err
