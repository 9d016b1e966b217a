"""Whole configurations, in both spellings."""

from __future__ import annotations

import pytest

from kubestage.clusterloader import config
from tests.clusterloader.configurations import TUNING, loaded, phase, problems, steps

STEPS = f"{TUNING}steps:\n- phases: [{phase(1)}]\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", config.Namespaces()),
        ("namespace: {number: 3, prefix: p}", config.Namespaces(3, "p")),
        ("namespace: {number: 0}", config.Namespaces(1)),
        ("automanagedNamespaces: 4", config.Namespaces(4)),
        ("automanagedNamespaces: 4\nnamespace: {number: 2}", config.Namespaces(2)),
        ("namespaces: 4", config.Namespaces(4, "namespace")),
        ("Namespaces: 1", config.Namespaces(1, "namespace")),
        ("namespaces: 4\nnamespace: {prefix: own}", config.Namespaces(4, "own")),
        (
            "namespace: {deleteStaleNamespaces: true, enableExistingNamespaces: true}",
            config.Namespaces(delete_stale=True, enable_existing=True),
        ),
        (
            "namespace: {deleteAutomanagedNamespaces: false, deleteNamespaceTimeout: 1m}",
            config.Namespaces(delete_automanaged=False, delete_timeout_ns=60_000_000_000),
        ),
    ],
)
def test_namespaces_have_their_defaults(text: str, expected: config.Namespaces) -> None:
    assert loaded(f"{STEPS}{text}\n").config.namespaces == expected


def test_the_visions_spelling_is_read() -> None:
    text = """
Namespaces: 2
TuningSets:
- {Name: Slow, InitialDelay: 5s, SteppedLoad: {BurstSize: 3, StepDelay: 2s}}
Steps:
- Measurements: [Sleep, {Method: Timer}, {Method: Timer, Identifier: t, Params: {start: true}}]
- Name: Create
  Phases:
  - NamespaceRange: {Min: 1, Max: 2}
    ReplicasPerNamespace: 10
    TuningSet: Slow
    Objects:
    - ObjectType: {APIGroup: apps, APIVersion: v1, Kind: Deployment}
      Basename: web
      ObjectTemplatePath: deployment.yaml
"""
    found = loaded(text, is_strict=True).config
    said = [(each.method, each.identifier) for each in found.steps[0].measurements]
    assert said == [("Sleep", "Sleep"), ("Timer", "Timer"), ("Timer", "t")]
    kind = config.ObjectType("apps", "v1", "Deployment")
    assert found.steps[1].phases[0].objects[0].object_type == kind
    assert found.tuning_sets[0] == config.TuningSet(
        "Slow", config.SteppedLoad(3, 2 * 10**9), 5 * 10**9
    )


def test_an_object_type_that_its_template_contradicts_is_a_warning() -> None:
    text = STEPS.replace("pod.yaml", "pod.yaml, objectType: {kind: Deployment, apiGroup: apps}")
    (warning,) = loaded(text).warnings
    assert "makes objects of kind 'Pod' and group ''" in warning


def test_chaos_and_dependencies_are_read() -> None:
    text = f"""{STEPS}
chaosMonkey:
  nodeFailure: {{failureRate: 0.01, interval: 5m, jitterFactor: 2, simulatedDowntime: 10m}}
  excludedNodes: {{a: {{}}, b: {{}}}}
dependencies:
- {{name: d, method: DRATestDriver, timeout: 5m, params: {{WorkerNodeCount: 3}}}}
"""
    found = loaded(text).config
    failure = config.NodeFailure(0.01, 300 * 10**9, 2.0, 600 * 10**9)
    assert found.chaos_monkey == config.ChaosMonkey(failure, frozenset("ab"))
    wanted = config.Dependency("d", "DRATestDriver", 300 * 10**9, {"WorkerNodeCount": 3.0})
    assert found.dependencies == (wanted,)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("namespace: {number: -1}", "namespace.number: -1: must be positive"),
        ("automanagedNamespaces: -1", "automanagedNamespaces: -1: must be non-negative"),
        ("namespaces: -1", "namespaces: -1: must be non-negative"),
        ("namespace: {number: 1.5}", "namespace.number: expected a whole number, found 1.5"),
        ("namespace: {deleteNamespaceTimeout: 5}", "namespace.deleteNamespaceTimeout: expected a"),
        ("dependencies: [{method: DRATestDriver}]", "dependencies[0].name: name is required"),
        ("dependencies: [{name: d}]", "dependencies[0].method: method is required"),
        ("dependencies: [{name: d, method: X}]", "dependencies[0].method: 'X': dependency method"),
        ("chaosMonkey: 5", "chaosMonkey: expected a map, found the number 5"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, problem: str) -> None:
    (said,) = problems(f"{STEPS}{text}\n")
    assert said.startswith(f"main.yaml: {problem}")


@pytest.mark.parametrize("text", ["", "# nothing\n", "name: x\n", "steps: []\n"])
def test_steps_may_not_be_empty(text: str) -> None:
    assert problems(text) == ["main.yaml: steps: cannot be empty"]


def test_all_problems_are_told_at_once() -> None:
    text = (
        steps(phase(-1), phase(1, "no.yaml"))
        + "namespace: {number: -1}\nautomanagedNamespaces: -1\n"
    )
    assert len(problems(text)) == 4


def test_a_misspelt_key_is_a_warning_and_an_error_if_strict() -> None:
    text = f"{STEPS}tuningSet: []\n"
    assert loaded(text).warnings == (
        "main.yaml: tuningSet: unknown key (did you mean 'tuningSets'?)",
    )
    assert problems(text, is_strict=True) == [
        "main.yaml: tuningSet: unknown key (did you mean 'tuningSets'?)"
    ]
