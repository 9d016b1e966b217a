"""Steps, phases, objects and measurements."""

from __future__ import annotations

import pytest

from kubestage.clusterloader import config
from tests.clusterloader.configurations import TUNING, loaded, phase, problems, steps


def _measuring(mentions: str) -> str:
    return f"{TUNING}steps:\n- measurements: [{mentions}]\n"


def test_a_phase_is_read_with_all_it_says() -> None:
    text = (
        f"{TUNING}steps:\n- name: s\n  phases:\n"
        "  - namespaceRange: {min: 1, max: 3, basename: own}\n    replicasPerNamespace: 2\n"
        "    tuningSet: Fast\n    objectBundle:\n"
        "    - basename: a\n      objectTemplatePath: /pod.yaml\n      templateFillMap: {R: 5}\n"
        "      listUnknownObjectOptions: {labelSelector: {matchLabels: {a: b}}}\n"
        "    - {basename: b, objectTemplatePath: pod.yaml, listUnknownObjectOptions: {}}\n"
    )
    first = config.ObjectSpec("a", "/pod.yaml", {"R": 5.0}, {"matchLabels": {"a": "b"}})
    second = config.ObjectSpec("b", "pod.yaml", {}, {})
    space = config.NamespaceRange(1, 3, "own")
    expected = config.Phase((first, second), 2, "Fast", space)
    assert loaded(text).config.steps == (config.Step("s", (expected,)),)


def test_a_phase_without_namespaces_is_cluster_scoped_and_a_list_may_be_empty() -> None:
    found = loaded(
        steps(phase(1, more="namespaceRange: null"), phase(1, more="namespaceList: []"))
    ).config.steps
    assert [each.phases[0].namespace_range for each in found] == [None, None]
    assert [each.phases[0].namespace_list for each in found] == [None, ()]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (phase(-1), ".replicasPerNamespace: must be non-negative"),
        (
            phase(1, more="namespaceRange: {min: -1, max: 2}"),
            ".namespaceRange.min: must be non-neg",
        ),
        (phase(1, more="namespaceRange: {min: 2, max: 1}"), ".namespaceRange.max: must be greater"),
        (
            phase(1, more="namespaceRange: {min: 1, max: 1}, namespaceList: [a]"),
            ": must specify at most 1 of namespaceList and namespaceRange",
        ),
        (
            phase(1, more="namespaceRange: {min: 1, max: 1}, namespaceList: []"),
            ": must specify at most 1 of namespaceList and namespaceRange",
        ),
        (phase(1, basename="A_b"), ".objectBundle[0].basename: 'A_b': a lowercase RFC 1123"),
        (phase(1, "no.yaml"), ".objectBundle[0].objectTemplatePath: 'no.yaml': file must exist"),
        (phase(1, "../no.yaml"), ".objectBundle[0].objectTemplatePath: '../no.yaml': leads out"),
        (
            phase(1, "{{.P}}"),
            ".objectBundle[0].objectTemplatePath: '<no value>': file must exist (a variable in",
        ),
        ("5", ": expected a map, found the number 5"),
    ],
)
def test_what_is_wrong_with_a_phase_is_told_with_its_place(text: str, problem: str) -> None:
    (said, *_) = problems(steps(text))
    assert said.startswith(f"main.yaml: steps[0].phases[0]{problem}")


def test_a_step_has_phases_or_measurements() -> None:
    mention = "measurements: [{method: Sleep, identifier: s}]"
    text = f"{TUNING}steps:\n- name: empty\n- phases: [{phase(1)}]\n  {mention}\n- null\n"
    assert [each.partition(" (")[0] for each in problems(text)] == [
        "main.yaml: steps[0].measurements: can't be empty with empty phases",
        "main.yaml: steps[1].measurements: can't be non-empty with non-empty phases",
        "main.yaml: steps[2]: expected a map, found nothing",
    ]


def test_measurements_are_read_in_the_spelling_of_shipped_files() -> None:
    text = _measuring(
        "{Identifier: a, Method: Sleep, Params: {duration: 5s, count: 1}}, "
        "{method: Timer, params: {a: 1}, Instances: [{identifier: i, params: {b: 2}}]}"
    )
    first, second = loaded(text).config.steps[0].measurements
    assert first == config.Mention("Sleep", "a", {"duration": "5s", "count": 1.0})
    assert second.instances == (config.Instance("i", {"b": 2.0}),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{identifier: a}", "method: method is required"),
        ("{method: Sleeep, identifier: a}", "method: 'Sleeep': measurement method is not register"),
        ("{method: Sleep}", "identifier: identifier and instances cannot be both empty"),
        (
            "{method: Sleep, identifier: a, instances: [{identifier: b}]}",
            "identifier: cannot be non empty when instances are specified",
        ),
    ],
)
def test_what_is_wrong_with_a_measurement_is_told_with_its_place(text: str, problem: str) -> None:
    (said,) = problems(_measuring(text))
    assert said.startswith(f"main.yaml: steps[0].measurements[0].{problem}")


def test_in_the_document_a_name_alone_starts_a_measurement_and_then_asks_it() -> None:
    text = "namespaces: 1\nsteps: [{measurements: [Sleep, Timer]}, {measurements: [Sleep]}]\n"
    said = [step.measurements for step in loaded(text).config.steps]
    assert said == [
        (
            config.Mention("Sleep", "Sleep", {"start": True}),
            config.Mention("Timer", "Timer", {"start": True}),
        ),
        (config.Mention("Sleep", "Sleep", {"stop": True}),),
    ]
    assert "expected a map" in problems(_measuring("Sleep"))[0]


def test_what_is_refused_is_told_with_the_misspelt_key_that_may_be_why() -> None:
    told = problems(steps(phase(1)).replace("tuningSet:", "tuningSett:"))
    assert any("a tuning set is required" in each for each in told)
    assert any("did you mean 'tuningSet'?" in each for each in told)
