"""Loads from a program: options and results are values, and nothing is printed."""

from __future__ import annotations

import pathlib
import re

import pytest

from kubestage.errors import InputError
from kubestage.runs.load import limit, planning, running
from kubestage.runs.load.limit_options import LimitOptions
from kubestage.runs.load.observer import LoadObserver
from kubestage.runs.load.options import LoadOptions
from tests.cli import loads


@pytest.fixture(autouse=True)
def _folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_load_gives_results_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    results = running.load(loads.write(), LoadOptions(nodes=1))
    assert results.passed
    assert results.headline() == "1 of 1 test passed"
    assert [row["verdict"] for row in results.table().records()] == ["pass"] * 6
    assert "<table>" in results._repr_html_()
    assert capfd.readouterr() == ("", "")
    results.save("out")
    assert pathlib.Path("out/report.html").exists()


def test_variables_of_the_environment_count_only_if_they_are_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = loads.write()
    monkeypatch.setenv("CL2_PODS", "7")
    [usual] = planning.plan_load(name, LoadOptions(nodes=1))
    [passed] = planning.plan_load(name, LoadOptions(nodes=1, environment={"CL2_PODS": "7"}))
    assert (usual.plan.peak_pods, passed.plan.peak_pods) == (4, 7)


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(InputError, match="a real cluster or on a stage"):
        running.load(loads.write(), LoadOptions(stage=("x",), kubeconfig="y"))


def test_an_observer_sees_each_test() -> None:
    class Steps(LoadObserver):
        def __init__(self) -> None:
            self.seen: list[str] = []

        def test_started(self, run: object, loaded: object, position: str) -> None:
            self.seen.append(position)

    observer = Steps()
    name = loads.write()
    running.load([name, name], LoadOptions(nodes=1), observer=observer)
    assert observer.seen == ["1 of 2", "2 of 2"]


def test_a_search_gives_its_limit() -> None:
    search = LimitOptions(
        slos=("pod-startup-p99<=5s",),
        vary="params.CL2_QPS",
        start=10,
        highest=20,
        seeds=1,
        confidence=0.5,
        jobs=1,
    )
    found = limit.find_limit(loads.write(), search, LoadOptions(nodes=1))
    assert found.limit == 20
    assert "met up to params.CL2_QPS = 20" in found.headline()
    assert set(found.table().column("value")) == {10, 20}


PRICES = "instance_type,price\nstandard-8,3.6\nstandard-4,1.8\n"


def test_what_nodes_cost_while_a_load_runs() -> None:
    pathlib.Path("prices.csv").write_text(PRICES)
    results = running.load(loads.write(), LoadOptions(nodes=2, prices="prices.csv"))
    cost = results.cost
    assert cost is not None
    assert (cost.currency, cost.cost_per_hour, cost.unpriced_nodes) == ("USD", 7.2, 0)
    # Two nodes at a tenth of a cent a second.
    assert cost.cost == pytest.approx(0.002 * cost.seconds, abs=1e-6)
    assert cost.seconds >= results.results[0].took_ns / 1e9
    assert cost.idle_share is not None
    # Four pods of 10m on sixteen cores.
    assert 0.99 < cost.idle_share < 1
    assert [(each.pool, each.nodes, each.cost) for each in cost.pools] == [("", 2, cost.cost)]
    assert results.as_data()["cost"]["costPerHour"] == 7.2
    results.save("out")
    page = pathlib.Path("out/report.html").read_text()
    assert "per hour at the end" in page


def test_a_load_without_prices_has_no_cost() -> None:
    results = running.load(loads.write(), LoadOptions(nodes=1))
    assert results.cost is None
    assert "cost" not in results.as_data()


def test_prices_are_for_stages() -> None:
    options = LoadOptions(kubeconfig="real", prices="aws-us-east-1")
    with pytest.raises(InputError, match="prices are for the nodes of a stage"):
        running.load(loads.write(), options)


def test_what_the_plan_finds_wrong_is_a_warning_of_a_run_and_refuses_a_strict_one() -> None:
    name = loads.write()
    pathlib.Path("pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {group: load}\n  annotations:\n"
        "    a: x{{.Nope}}\nspec: {containers: [{name: c, image: i}]}\n"
    )
    said = "pod.yaml: metadata.annotations.a: a variable in it has no value"
    [completed] = running.load(name, LoadOptions(nodes=1)).completed
    assert [each for each in completed.result.warnings if each.startswith(said)]
    with pytest.raises(InputError, match=said):
        running.load(name, LoadOptions(nodes=1, is_strict=True))


def test_a_suite_with_a_misspelt_key_is_odd() -> None:
    name = loads.write()
    pathlib.Path("suite.yaml").write_text(f"- {{identifer: a, configPath: {name}}}\n")
    said = r"suite.yaml: \[0\].identifer: unknown key \(did you mean 'identifier'\?\)"
    [planned] = planning.plan_load("suite.yaml", LoadOptions(nodes=1))
    assert re.search(said, planned.warnings[0])
    with pytest.raises(InputError, match=said):
        planning.plan_load("suite.yaml", LoadOptions(nodes=1, is_strict=True))


def test_a_phase_without_a_namespace_makes_no_object_that_needs_one() -> None:
    config = loads.CONFIG.replace("- namespaceRange: {min: 1, max: 1}\n    replicas", "- replicas")
    [completed] = running.load(loads.write(config), LoadOptions(nodes=1)).completed
    created = [each for each in completed.result.errors if "creation error" in each]
    assert len(created) == 4
    assert created[0] == (
        "namespace  object pod-0 creation error: "
        "the server does not allow this method on the requested resource"
    )
    namespace = "apiVersion: v1\nkind: Namespace\n"
    config = config.partition("- name: Wait")[0]
    [completed] = running.load(loads.write(config, pod=namespace), LoadOptions(nodes=1)).completed
    assert completed.result.errors == []
