from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import own_definitions
from kubestage.objects.tables import custom
from kubestage.objects.validation import rules

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _group(template: Json | None = None, **spec: Any) -> Json:
    if template is None:
        template = {"capacity": {"cpu": "4", "memory": "16Gi"}}
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "NodeGroup",
        "metadata": {"name": "pool"},
        "spec": {"maxSize": 3, "template": template, **spec},
    }


def _problems(obj: Json) -> list[str]:
    return [str(error) for error in rules.validate_create(obj)]


def test_a_group_needs_no_more_than_a_size_and_a_template() -> None:
    assert _problems(_group()) == []


def test_all_that_can_be_said_is_allowed() -> None:
    template = {
        "metadata": {"labels": {"disk": "ssd"}, "annotations": {"note": "yes"}},
        "spec": {"taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}]},
        "capacity": {"cpu": 8, "memory": "32Gi", "nvidia.com/gpu": "1"},
        "allocatable": {"cpu": "7500m"},
    }
    spec: dict[str, Any] = {
        "minSize": 1,
        "initialSize": 2,
        "price": 0.4,
        "priority": 5,
        "available": 2,
    }
    options = {
        "scaleDownUnneededTime": "2m",
        "scaleDownUtilizationThreshold": 0.3,
        "zeroOrMaxNodeScaling": True,
    }
    spec |= {"readyDelay": "uniform(10s,20s)", "shortage": "error", "options": options}
    assert _problems(_group(template, provisionDelay="normal(60s,10s)", **spec)) == []


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"minSize": 4}, "spec.minSize: Invalid value: 4: must not be above maxSize (3)"),
        (
            {"initialSize": 5},
            "spec.initialSize: Invalid value: 5: must be from minSize (0) to maxSize (3)",
        ),
        ({"minSise": 1}, "spec.minSise: Forbidden: unknown field; did you mean minSize?"),
        ({"provisionDelay": "soon"}, "spec.provisionDelay: Invalid value"),
        ({"readyDelay": "soon"}, "spec.readyDelay: Invalid value"),
        ({"shortage": "often"}, "spec.shortage: Unsupported value"),
        ({"options": {"patience": "1m"}}, "spec.options.patience: Forbidden: unknown field"),
        (
            {"options": {"scaleDownUnneededTime": "soon"}},
            'spec.options.scaleDownUnneededTime: Invalid value: "soon": time: invalid duration',
        ),
        ({"price": -1}, "spec.price: Invalid value: -1"),
        ({"maxSize": "3"}, "spec.maxSize: Invalid value"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(spec: Json, problem: str) -> None:
    (found,) = _problems(_group(**spec))
    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ({}, "spec.template.capacity.cpu: Required value"),
        ({"capacity": {"cpu": "4"}}, "spec.template.capacity.memory: Required value"),
        (
            {"capacity": {"cpu": "four", "memory": "1Gi"}},
            'spec.template.capacity.cpu: Invalid value: "four"',
        ),
        (
            {"capacity": {"cpu": "-4", "memory": "1Gi"}},
            'spec.template.capacity.cpu: Invalid value: "-4"',
        ),
        (
            {
                "capacity": {"cpu": "4", "memory": "1Gi"},
                "spec": {"taints": [{"key": "a", "effect": "Never"}]},
            },
            "spec.template.spec.taints[0].effect: Unsupported value",
        ),
        (
            {"capacity": {"cpu": "4", "memory": "1Gi"}, "metadata": {"labels": {"a b": "c"}}},
            'spec.template.metadata.labels: Invalid value: "a b"',
        ),
    ],
)
def test_a_template_must_make_a_node(template: Json, problem: str) -> None:
    assert _problems(_group(template))[0].startswith(problem)


def test_a_group_without_a_spec_is_told_what_to_say() -> None:
    obj = _group()
    del obj["spec"]
    assert _problems(obj) == ["spec: Required value: state at least maxSize and template"]


def test_a_changed_group_is_judged_as_a_new_one_and_its_status_by_its_shape() -> None:
    obj = {**_group(), "metadata": {"name": "pool", "resourceVersion": "1"}}
    changed = {**obj, "spec": {**obj["spec"], "minSize": 9}}
    assert len(rules.validate_update(changed, obj)) == 1
    told = {**obj, "status": {"size": "many"}}
    assert len(rules.validate_update(told, obj, "status")) == 1


def test_the_columns_of_the_table_are_those_of_the_definition() -> None:
    (version,) = own_definitions.definition("nodegroups")["spec"]["versions"]
    stated = [{"priority": 0, **each} for each in version["additionalPrinterColumns"]]
    assert custom.OWN["kubestage.dev/v1alpha1", "NodeGroup"] == stated


def test_sizes_of_a_group_that_has_begun_need_not_suit_its_initial_size() -> None:
    obj = {**_group(initialSize=1), "metadata": {"name": "pool", "resourceVersion": "1"}}
    raised = {**obj, "spec": {**obj["spec"], "minSize": 2}}
    assert rules.validate_update(raised, obj) == []
    also_changed = {**raised, "spec": {**raised["spec"], "initialSize": 0}}
    assert [each.field for each in rules.validate_update(also_changed, obj)] == ["spec.initialSize"]
