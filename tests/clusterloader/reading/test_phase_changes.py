"""Objects change in number or in template, never both at once."""

from __future__ import annotations

import pytest

from tests.clusterloader.configurations import loaded, phase, problems, steps

UNKNOWN = "listUnknownObjectOptions: {labelSelector: {matchLabels: {a: b}}}"


@pytest.mark.parametrize(
    "phases",
    [
        (phase(2), phase(4)),
        (phase(2), phase(2, "other.yaml"), phase(5, "other.yaml")),
        (phase(2), phase(0), phase(3, "other.yaml")),
        (phase(0), phase(3, "other.yaml")),
        (phase(2), phase(3, "other.yaml", basename="z")),
        (phase(2), phase(3, "deployment.yaml")),
        (phase(2), phase(3, "other.yaml", "namespaceRange: {min: 3, max: 4}")),
        (phase(2), phase(3, "other.yaml", "namespaceRange: {min: 1, max: 2, basename: own}")),
        (phase(2), phase(3, "other.yaml", "namespaceList: [a]")),
        (phase(2, more="namespaceRange: null"), phase(3, "other.yaml")),
    ],
)
def test_changes_of_one_thing_at_a_time_pass(phases: tuple[str, ...]) -> None:
    assert len(loaded(steps(*phases)).config.steps) == len(phases)


@pytest.mark.parametrize(
    "phases",
    [
        (phase(2), phase(3, "other.yaml")),
        (phase(2), phase(0, "other.yaml")),
        (
            phase(2, more="namespaceRange: {min: 1, max: 2}"),
            phase(2, more="namespaceRange: {min: 1, max: 2}"),
            phase(3, "other.yaml", "namespaceRange: {min: 2, max: 9}"),
        ),
        tuple(
            phase(n, path, "namespaceList: [a, b]")
            for n, path in ((1, "pod.yaml"), (2, "other.yaml"))
        ),
        tuple(
            phase(n, path, "namespaceRange: null")
            for n, path in ((1, "pod.yaml"), (2, "other.yaml"))
        ),
    ],
)
def test_a_change_of_template_and_number_at_once_is_refused(phases: tuple[str, ...]) -> None:
    (said,) = problems(steps(*phases) + "namespace: {number: 9}\n")
    assert said.startswith(
        f"main.yaml: steps[{len(phases) - 1}].phases[0].objectBundle[0].objectTemplatePath: "
        "the template changes from 'pod.yaml' to 'other.yaml' while the replicas change from "
    )


def test_objects_that_somebody_else_began_are_not_judged() -> None:
    first = phase(2).replace("pod.yaml", f"pod.yaml, {UNKNOWN}")
    assert loaded(steps(first)).config.steps
