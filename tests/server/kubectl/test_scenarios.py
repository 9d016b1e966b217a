"""Scenarios with nothing but kubectl; they empty the cluster, so they have one of their own."""

from __future__ import annotations

import pathlib
import shutil

import pytest

from tests.server.kubectl.conftest import Kubectl
from tests.server.served import Served

SCENARIO = pathlib.Path(__file__).parents[3] / "examples" / "14-scenario" / "scenario.yaml"


def test_a_scenario_runs_when_it_is_created() -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not on the PATH")
    with Served() as served:
        kubectl = Kubectl(served, "default")
        name = kubectl("create", "-f", str(SCENARIO), "-o", "name").strip()
        kubectl("wait", name, "--for=jsonpath={.status.phase}=Succeeded", "--timeout=40s")
        (row,) = kubectl.table("get", "scenarios")
        assert row["PHASE"] == "Succeeded"
        assert int(row["SCHEDULED"]) > 0
        told = kubectl.json("get", name)["status"]
        assert told["scenarioResult"]["timeline"]
        assert kubectl("get", "pods", "-A", "-o", "name").strip()


def test_a_wrong_scenario_is_refused_with_the_reason() -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not on the PATH")
    wrong = SCENARIO.read_text().replace("step:", "stepp:", 1)
    with Served() as served:
        complaint = Kubectl(served, "default").refused("create", "-f", "-", given=wrong)
        assert "stepp" in complaint
