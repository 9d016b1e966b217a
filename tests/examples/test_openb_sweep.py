"""The published table by one sweep: on the small trace, it has the figures of the example."""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.sweep import sweep

if TYPE_CHECKING:
    from types import ModuleType

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "40-openb"
POLICIES = ("DotProd", "FGD", "Random")
FLAGS = (
    "--arrivals-load 130% --arrivals-shuffle --unschedulable leave --tie-break first "
    "--no-controllers --detail summary --measure deviceAllocation"
)


@pytest.fixture
def example(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example's program, in a folder with a small trace."""
    spec = importlib.util.spec_from_file_location("openb_example", FOLDER / "main.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "openb_example", module)
    spec.loader.exec_module(module)
    monkeypatch.chdir(FOLDER)
    module.draw(tmp_path)
    return module


def test_one_sweep_has_what_the_example_prints(
    example: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {
        (policy, seed): example.allocated(tmp_path, policy, seed)
        for policy in POLICIES
        for seed in (42, 43)
    }
    monkeypatch.chdir(tmp_path)
    plugins = " ".join(f"--plugin {FOLDER}/policies.py:{each}" for each in POLICIES)
    command = f"run {example.NODES} --arrivals {example.PODS} {FLAGS} {plugins}"
    configs = ",".join(f"{FOLDER}/profiles/{each}.yaml" for each in POLICIES)
    table = sweep(command, {"config": configs}, seeds="42..43", jobs=1)
    found = {
        (pathlib.Path(str(row.parameters["config"])).stem, row.seed): row.measures
        for row in table.rows
    }
    values = {key: 100 * (each["deviceAllocation"] or 0) for key, each in found.items()}
    assert values == pytest.approx(expected)
    assert len(set(expected.values())) > 1
    info = table.measures["deviceAllocation"]
    assert msgspec.to_builtins(info) == {
        "key": "deviceAllocation", "better": "more", "unit": "share",
    }  # fmt: skip
    assert {"deviceAllocation.mean", "deviceAllocation.max"} <= table.measures.keys()
