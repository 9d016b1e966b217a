"""Names that refer to something, and files."""

from __future__ import annotations

import pytest

from tests.clusterloader.configurations import TUNING, loaded, phase, problems, steps

PLAIN = "apiVersion: v1\nkind: Pod\n"


def test_a_phase_names_a_declared_tuning_set() -> None:
    text = steps(phase(1).replace("Fast", "Fsat"), phase(1).replace("tuningSet: Fast, ", ""))
    begin = "main.yaml: steps[0].phases[0].tuningSet"
    assert problems(text) == [
        f"{begin}: 'Fsat': tuning set referenced has not been declared (did you mean 'Fast'?)",
        "main.yaml: steps[1].phases[0].tuningSet: a tuning set is required (one of Fast)",
    ]


def test_a_tuning_set_is_asked_for_where_none_is_declared() -> None:
    (said,) = problems(f"steps:\n- phases: [{phase(1)}]\n")
    assert said.endswith("has not been declared (declare it in tuningSets)")


def test_the_kind_must_be_readable_before_anything_is_filled_in() -> None:
    files = {"odd.yaml": "apiVersion: {{.V}}\nkind: Pod\n", "none.yaml": "{{if true}}\n{{end}}\n"}
    said = problems(steps(phase(1, "odd.yaml"), phase(1, "none.yaml")), files)
    assert [each.partition(": ")[2].partition(" (")[0] for each in said] == [
        f"steps[{index}].phases[0].objectBundle[0].objectTemplatePath: '{name}': "
        "apiVersion and kind cannot be read"
        for index, name in enumerate(("odd.yaml", "none.yaml"))
    ]


def test_a_template_that_fails_to_parse_is_told_only_when_it_is_used() -> None:
    files = {"a.yaml": PLAIN + "x: {{.A", "b.yaml": PLAIN}
    (said,) = problems(steps(phase(1, "a.yaml"), phase(1, "b.yaml")), files)
    assert "not valid YAML" in said


def test_the_user_s_own_methods_count() -> None:
    text = TUNING + "steps:\n- measurements: [{method: Timer, identifier: t}]\n"
    assert loaded(text).config.steps[0].measurements[0].method == "Timer"


def test_a_prefix_is_the_beginning_of_names_of_namespaces() -> None:
    def failures(prefix: str, number: int = 1) -> tuple[str, ...]:
        head = f"namespace: {{number: {number}, prefix: {prefix}}}\n"
        return loaded(head + steps(phase(1)), {"pod.yaml": PLAIN}).failures

    assert failures("a" * 61) == ()
    [long] = failures("a" * 61, 10)
    assert long.startswith("main.yaml: namespace.prefix: 'aaa")
    assert "no more than 63" in long
    [upper] = failures("Foo_Bar")
    assert "'Foo_Bar-1' is no name of a namespace" in upper


def test_a_negative_time_to_delete_namespaces_is_none() -> None:
    text = "namespace: {number: 1, deleteNamespaceTimeout: -5s}\n" + steps(phase(1))
    [said] = loaded(text, {"pod.yaml": PLAIN}).failures
    assert said == "main.yaml: namespace.deleteNamespaceTimeout: must be non-negative"


def test_two_objects_of_a_bundle_with_one_name_are_odd() -> None:
    spec = "{basename: p, objectTemplatePath: pod.yaml}"
    bundle = f"[{spec}, {spec.replace('basename: p', 'basename: q')}, {spec}]"
    text = steps(
        "{namespaceRange: {min: 1, max: 1}, replicasPerNamespace: 1, tuningSet: Fast, "
        f"objectBundle: {bundle}}}"
    )
    [said] = loaded(text, {"pod.yaml": PLAIN}).warnings
    assert said == (
        "main.yaml: steps[0].phases[0].objectBundle[2].basename: 'p': another Pod of the bundle "
        "has this name (give each its own)"
    )


@pytest.mark.parametrize(
    ("selector", "where", "problem"),
    [
        (
            "{matchExpressions: [{key: x, operator: Bogus}]}",
            ".matchExpressions[0]: ",
            '"Bogus" is not a valid label selector operator',
        ),
        ("{matchExpressions: [5]}", ".matchExpressions[0]: ", "expected a map"),
        ("{matchExpressions: {key: x}}", ".matchExpressions: ", "expected a list"),
        ("{matchExpressions: [{key: x, operator: In, values: a}]}", "[0].values: ", "a list"),
        ("{matchLabels: {a: 'b c'}}", ".matchLabels: ", "b c"),
    ],
)
def test_objects_are_counted_by_a_selector_that_can_be_read(
    selector: str, where: str, problem: str
) -> None:
    spec = "{basename: p, objectTemplatePath: pod.yaml, listUnknownObjectOptions: {labelSelector: "
    said = problems(
        steps(
            "{namespaceRange: {min: 1, max: 1}, replicasPerNamespace: 1, tuningSet: Fast, "
            f"objectBundle: [{spec}{selector}}}}}]}}"
        )
    )
    begin = "main.yaml: steps[0].phases[0].objectBundle[0].listUnknownObjectOptions.labelSelector"
    assert said[0].startswith(begin)
    assert where in said[0]
    assert problem in said[0]


def test_what_stands_beside_a_module_is_ignored_and_odd() -> None:
    nap = "measurements: [{method: Sleep, identifier: s}]"
    files = {"m.yaml": f"steps:\n- {nap}\n"}
    found = loaded(f"steps:\n- module: {{path: m.yaml}}\n  {nap}\n", files)
    assert len(found.config.steps) == 1
    assert found.warnings == (
        (
            "main.yaml: steps[0].measurements: is ignored beside a module "
            "(make a step of its own of it)"
        ),
    )


def test_a_module_that_cannot_be_read_is_the_only_problem() -> None:
    [said] = problems("steps:\n- module: {path: m.yaml}\n", {"m.yaml": "steps: {{range .x}}\n"})
    assert said.startswith("m.yaml: ")
    [said] = problems("steps:\n- module: {path: m.yaml}\n", {"m.yaml": ""})
    assert said == "main.yaml: steps: cannot be empty"


def test_nodes_fail_by_a_share_of_them() -> None:
    failure = "failureRate: 2, interval: 1s, jitterFactor: -1, simulatedDowntime: 1s"
    text = f"chaosMonkey: {{nodeFailure: {{{failure}}}}}\n" + steps(phase(1))
    assert loaded(text).warnings == (
        (
            "main.yaml: chaosMonkey.nodeFailure.failureRate: 2 is not a share of the nodes "
            "(use a number from 0 to 1)"
        ),
        "main.yaml: chaosMonkey.nodeFailure.jitterFactor: -1: must be non-negative",
    )
