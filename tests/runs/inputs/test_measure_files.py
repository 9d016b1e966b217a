"""Measures are found by file, module or name; what cannot work is refused with the likely fix."""

from __future__ import annotations

import pathlib

import pytest

from kubestage.errors import InputError
from kubestage.runs.inputs import measure_files
from kubestage.scheduler.device_measures import DeviceAllocation

OWN = """
from kubestage.scheduler.framework import measure

@measure("emptyNodes", at="step")
def empty(moment):
    return int((moment.columns.pod_count == 0).sum())

def plain(moment):
    return 1

@measure("pending")
def taken(moment):
    return 1

NUMBER = 3
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("own.py").write_text(OWN)
    pathlib.Path("broken.py").write_text("import no_such_module\n")


def test_files_modules_and_shipped_names() -> None:
    shipped = "kubestage.scheduler.device_measures:DeviceFragmentation"
    found = measure_files.load(["own.py:empty", "own.py:plain", "deviceAllocation", shipped])
    assert list(found) == ["own.py:empty", "own.py:plain", "deviceAllocation", shipped]
    assert found["deviceAllocation"] is DeviceAllocation
    assert found["own.py:empty"].__module__ == found["own.py:plain"].__module__


@pytest.mark.parametrize(
    ("spec", "problem", "fix"),
    [
        ("own.py:emty", "has no function or class emty", "it has empty, plain"),
        ("own.py:NUMBER", "has no function or class NUMBER", "it has empty"),
        ("own.py:", "names no measure", "write it as file.py:NAME"),
        ("nothing.py:x", "no such file", None),
        ("nothing:x", "there is no module nothing", "name its file: path/to/nothing.py:NAME"),
        ("broken:x", "imports no_such_module, which is not installed", None),
        ("allocation", "is no measure", "use one of deviceAllocation, deviceFragmentation"),
        ("own.py:taken", 'every run has a measure "pending" already', "rename it"),
    ],
)
def test_what_is_no_measure_is_refused(spec: str, problem: str, fix: str | None) -> None:
    with pytest.raises(InputError) as refused:
        measure_files.load([spec])
    assert problem in refused.value.problem
    assert fix is None or fix in (refused.value.fix or "")
