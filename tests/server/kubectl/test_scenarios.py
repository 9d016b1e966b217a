"""Scenarios with nothing but kubectl; they empty the cluster, so they have one of their own."""

from __future__ import annotations

import pathlib
import subprocess

from tests.server.kubectl.conftest import Kubectl
from tests.server.served import Served, require_kubectl

SCENARIO = pathlib.Path(__file__).parents[3] / "examples" / "14-scenario" / "scenario.yaml"


def test_a_scenario_runs_when_it_is_created() -> None:
    require_kubectl()
    with Served() as served:
        kubectl = Kubectl(served, "default")
        name = kubectl("create", "-f", str(SCENARIO), "-o", "name").strip()
        kubectl("wait", name, "--for=jsonpath={.status.phase}=Succeeded", "--timeout=15m")
        (row,) = kubectl.table("get", "scenarios")
        assert row["PHASE"] == "Succeeded"
        assert int(row["SCHEDULED"]) > 0
        told = kubectl.json("get", name)["status"]
        assert told["scenarioResult"]["timeline"]
        assert kubectl("get", "pods", "-A", "-o", "name").strip()


def test_a_wrong_scenario_is_refused_with_the_reason() -> None:
    require_kubectl()
    wrong = SCENARIO.read_text().replace("step:", "stepp:", 1)
    with Served() as served:
        complaint = Kubectl(served, "default").refused("create", "-f", "-", given=wrong)
        assert "stepp" in complaint


def test_a_scenario_is_followed_as_it_runs() -> None:
    require_kubectl()
    with Served() as served:
        kubectl = Kubectl(served, "default")
        command = ["kubectl", "get", "scenarios", "-w"]
        watching = subprocess.Popen(
            command, env=served.environment, stdout=subprocess.PIPE, text=True
        )
        assert watching.stdout is not None
        try:
            kubectl("create", "-f", str(SCENARIO))
            head = watching.stdout.readline().split()
            assert head == ["NAME", "PHASE", "STEP", "SCHEDULED", "PENDING", "PREEMPTED", "AGE"]
            phases = []
            for line in watching.stdout:
                phases.append(line.split()[1])
                if phases[-1] == "Succeeded":
                    break
            assert "Running" in phases
        finally:
            watching.kill()
            watching.wait()
            watching.stdout.close()
