"""An autoscaler of one's own on the command line: taken over, kept, and blamed at its line."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING

import pytest

from kubestage.testing import make_deployment, make_node
from tests.backtesting.manifests import make_hpa
from tests.cli import clusters

if TYPE_CHECKING:
    from tests.cli.terminal import Result, Terminal

OWN = """
class Five:
    def __init__(self, hpa): pass
    def recommend(self, look):
        return 5

class Broken:
    def __init__(self, hpa): pass
    def recommend(self, look):
        return 1 / 0

class Bare: pass
class Odd:
    def recommend(self, look): pass
    def __init__(self): pass
class Deaf:
    def __init__(self, hpa): pass
    def recommend(self): pass
"""


def _run(terminal: Terminal, *options: str) -> Result:
    pathlib.Path("own.py").write_text(OWN)
    objects = [make_node("a", cpu="64"), make_deployment("web", replicas=2, cpu="500m"), make_hpa()]
    clusters.write("cluster.json", *objects)
    return terminal.run("run", "cluster.json", "--for", "1m", *options)


@pytest.mark.parametrize("spec", ["own.py:Five", "web=own.py:Five", "default/web=own.py:Five"])
def test_it_decides_for_all_hpas_or_for_one(terminal: Terminal, spec: str) -> None:
    result = _run(terminal, "--autoscaler", spec)
    assert (result.code, result.err) == (0, "")
    assert "deployment.apps/web   5/5" in result.out


def test_the_run_that_is_kept_names_it(terminal: Terminal) -> None:
    _run(terminal, "--autoscaler", "own.py:Five", "--out", "run")
    (kept,) = json.loads(pathlib.Path("run/run.json").read_text())["autoscalers"]
    assert kept["reference"] == "own.py:Five"
    assert len(kept["sha256"]) == 64
    assert "own.py:Five" in pathlib.Path("run/report.html").read_text()
    reasons = pathlib.Path("run/tables/decisions.csv").read_text()
    assert "rescale,default/web,deployment/default/web,2,5,Five" in reasons


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("own.py:Broken", "own.py:10: ZeroDivisionError: division by zero"),
        ("own.py:Five=", "--autoscaler: own.py:Five=: there is no HorizontalPodAutoscaler"),
        ("own.py", "--autoscaler: own.py: names no class"),
        ("own.py:Six", "own.py:Six: has no class Six\n  fix: it has Five"),
        ("own.py:Bare", "own.py:Bare: has no method recommend"),
        ("own.py:Odd", "own.py:Odd: cannot be made from its HPA"),
        ("own.py:Deaf", "own.py:Deaf: recommend: too many positional arguments"),
        ("ghost.py:Five", "ghost.py: no such file"),
        ("ghost:Five", "ghost:Five: there is no module ghost"),
        ("shop/web=own.py:Five", "there is no HorizontalPodAutoscaler shop/web"),
        ("wbe=own.py:Five", "fix: did you mean default/web?"),
    ],
)
def test_what_cannot_decide_is_refused(terminal: Terminal, spec: str, problem: str) -> None:
    result = _run(terminal, "--autoscaler", spec)
    assert (result.code, result.out) == (2, "")
    assert problem in result.err


def test_two_for_one_hpa_are_refused(terminal: Terminal) -> None:
    result = _run(terminal, "--autoscaler", "own.py:Five", "--autoscaler", "own.py:Five")
    assert (result.code, result.out) == (2, "")
    assert "another one decides for all HPAs already" in result.err


def test_without_an_hpa_there_is_nothing_to_decide(terminal: Terminal) -> None:
    pathlib.Path("own.py").write_text(OWN)
    clusters.write("cluster.json", make_node("a"))
    result = terminal.run("run", "cluster.json", "--for", "1m", "--autoscaler", "own.py:Five")
    assert (result.code, result.out) == (2, "")
    assert "there is no HorizontalPodAutoscaler that it could decide for" in result.err


def test_it_means_something_only_while_time_passes(terminal: Terminal) -> None:
    pathlib.Path("own.py").write_text(OWN)
    clusters.write("cluster.json", make_node("a"))
    result = terminal.run("run", "cluster.json", "--autoscaler", "own.py:Five")
    assert (result.code, result.out) == (2, "")
    assert "--autoscaler: has an effect only with --for" in result.err
