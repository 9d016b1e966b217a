"""``kubestage load`` with wrong input: 2, the file, the path and the fix, and nothing is left."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import pytest

from tests.cli import loads

if TYPE_CHECKING:
    from tests.cli.terminal import Terminal

REFUSED: dict[str, tuple[list[str], str]] = {
    "no configuration": ([], "CONFIG: no configuration named"),
    "missing": (["nope.yaml"], "nope.yaml: CONFIG: no such file"),
    "folder": (["."], ".: CONFIG: is no file\n  fix: name a file in it"),
    "two clusters": (["load.yaml", "--kubeconfig", "k", "--stage", "s"], "--stage: a load runs on"),
    "two ways": (["load.yaml", "--kubeconfig", "k", "--run-from-cluster"], "--run-from-cluster: "),
    "no kubeconfig": (["load.yaml", "--kubeconfig", "k"], "k: there is no such file"),
    "no overrides": (["load.yaml", "--testoverrides", "o"], "o: --testoverrides: no such file"),
    "no nodes": (["load.yaml", "--nodes", "0"], "'--nodes': 0 is not in the range"),
    "bad shape": (["load.yaml", "--node", "gpu=1"], '--node: "gpu=1" is nothing that a node has'),
    "bad amount": (["load.yaml", "--node", "cpu=x"], "--node: quantities must match"),
    "nothing": (["load.yaml", "--node", "pods=0"], '--node: "pods=0" is nothing'),
    "bad profile": (["load.yaml", "--profile", "kidn"], "did you mean kind?"),
    "no profile": (["load.yaml", "--profile", "k.yaml"], "k.yaml: --profile: no such file"),
    "bad rate": (["load.yaml", "--qps", "0"], "--qps: 0 is no rate"),
    "bad format": (["load.yaml", "-o", "yaml"], 'unknown output format "yaml"'),
    "no class": (["load.yaml", "--measurement", "x"], "--measurement: x: names no class"),
    "no module": (["load.yaml", "--measurement", "nix:Y"], "nix:Y: there is no module nix"),
    "no program": (["load.yaml", "--program", "x"], "--program: x: names no image"),
    "no suite": (["--suite", "load.yaml"], "load.yaml: --suite: is no list of tests"),
    "a file": (["load.yaml", "--report-dir", "pod.yaml"], "pod.yaml: is a file"),
    "no stage": (["load.yaml", "--stage", "nope.yaml"], "nope.yaml"),
    "PromQL of a stage": (["load.yaml", "--prometheus-url", "x"], "a stage answers PromQL itself"),
    "no provider": (["load.yaml", "--provider", "moon"], '--provider: "moon" is no provider'),
    "log": (["load.yaml", "--v=2"], "--v: has no meaning here: there is no log"),
    "short log": (["load.yaml", "-v=4"], "-v: has no meaning here: there is no log"),
    "log header": (
        ["load.yaml", "--skip_headers"],
        "--skip_headers: has no meaning here",
    ),
    "master": (["load.yaml", "--masterip=1.2.3.4"], "--masterip: has no meaning here: the control"),
    "Prometheus": (["--prometheus-scrape-etcd"], "on a real cluster name its Prometheus with --pr"),
    "exec service": (["load.yaml", "--enable-exec-service"], "--enable-exec-service: has no"),
    "not below": (["load.yaml", "--root", "sub"], "load.yaml: does not lie below sub"),
}


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.replace(" ", "-"))
def test_what_is_wrong_is_told_and_nothing_is_done(case: str, terminal: Terminal) -> None:
    words, expected = REFUSED[case]
    loads.write()
    pathlib.Path("sub").mkdir()
    before = sorted(pathlib.Path().rglob("*"))
    more = [] if "--report-dir" in words else ["--report-dir", "deep/out"]
    result = terminal.run("load", *words, *more)
    assert (result.code, result.out) == (2, "")
    assert expected in result.err
    assert "Traceback" not in result.err
    assert sorted(pathlib.Path().rglob("*")) == before


def test_all_that_is_wrong_with_a_configuration_is_told_at_once(terminal: Terminal) -> None:
    pathlib.Path("sub").mkdir()
    config = loads.CONFIG.replace("pod.yaml", "nope.yaml").replace(
        "method: WaitForRunningPods", "method: WaitForRuningPods"
    )
    pathlib.Path("sub/load.yaml").write_text(config)
    result = terminal.run("load", "sub/load.yaml", "--report-dir", "out")
    assert result.code == 2
    assert result.err == (
        "Error: sub/load.yaml: steps[1].phases[0].objectBundle[0].objectTemplatePath: "
        "'nope.yaml': file must exist\n"
        "  fix: paths are relative to the folder of the top configuration\n"
        "Error: sub/load.yaml: steps[2].measurements[0].method: 'WaitForRuningPods': "
        "measurement method is not registered\n"
        "  fix: did you mean 'WaitForRunningPods'?\n"
    )
    assert not pathlib.Path("out").exists()


def test_environment_and_overrides_that_contradict_are_refused(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CL2_PODS", "3")
    pathlib.Path("o.yaml").write_text("CL2_PODS: 4\n")
    result = terminal.run("load", loads.write(), "--testoverrides", "o.yaml")
    assert result.code == 2
    assert "merge conflict for key 'CL2_PODS'" in result.err


def test_a_template_may_not_read_beside_the_folder_but_a_module_may(terminal: Terminal) -> None:
    for folder in ("one", "two"):
        pathlib.Path(folder).mkdir()
    pathlib.Path("one/pod.yaml").write_text(loads.POD)
    pathlib.Path("two/pod.yaml").write_text(loads.POD)
    pathlib.Path("two/module.yaml").write_text("steps:\n- name: Nap\n  measurements:\n"
        "  - {method: Sleep, identifier: nap, params: {duration: 1s}}\n")  # fmt: skip
    config = loads.CONFIG + "- module: {path: ../two/module.yaml}\n"
    pathlib.Path("one/load.yaml").write_text(config)
    assert "Sleep nap" in terminal.run("load", "one/load.yaml", "--dry-run").out
    pathlib.Path("one/load.yaml").write_text(config.replace("pod.yaml", "../two/pod.yaml"))
    refused = terminal.run("load", "one/load.yaml", "--dry-run")
    assert refused.code == 2
    assert "leads out of the folder" in refused.err
    assert terminal.run("load", "one/load.yaml", "--dry-run", "--root", ".").code == 0


def test_a_mistake_in_a_persons_measurement_is_blamed_at_its_line(terminal: Terminal) -> None:
    pathlib.Path("own.py").write_text(
        "from kubestage.measure.framework import Measurement\n\n\n"
        "class Own(Measurement):\n    def start(self, params):\n        return 1 / 0\n"
    )
    config = loads.CONFIG.replace("method: PodStartupLatency", "method: Own")
    result = terminal.run(
        "load", loads.write(config), "--measurement", "own.py:Own", "--nodes", "1"
    )
    assert result.code == 2
    assert result.err == "Error: own.py:6: ZeroDivisionError: division by zero\n"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [("own.py:Onw", "it has Own"), ("own.py:Other", "is no measurement"), ("no.py:X", "no.py")],
)
def test_a_class_that_is_no_measurement_is_refused(
    spec: str, expected: str, terminal: Terminal
) -> None:
    pathlib.Path("own.py").write_text(
        "from kubestage.measure.framework import Measurement\n"
        "class Other: pass\nclass Own(Measurement): pass\n"
    )
    result = terminal.run("load", loads.write(), "--measurement", spec)
    assert result.code == 2
    assert expected in result.err


def test_an_amount_of_another_spelling_is_answered_with_the_likely_one(terminal: Terminal) -> None:
    loads.write()
    result = terminal.run("load", "load.yaml", "--node", "cpu=8,memory=32gb")
    assert result.code == 2
    assert result.err.endswith("  fix: did you mean memory=32G?\n")
