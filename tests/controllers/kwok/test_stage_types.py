from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.kwok import stage_check, stage_types
from kubestage.errors import InputError
from tests.controllers.kwok import stages

if TYPE_CHECKING:
    from kubestage.aliases import Json


@pytest.mark.parametrize(
    ("spec", "path", "problem"),
    [
        ({"delay": {"durationMiliseconds": 1}}, "spec.delay.durationMiliseconds", "unknown field"),
        ({"weight": "x"}, "spec.weight", "Expected `int`, got `str`"),
        ({"steps": [{"patch": {"type": "odd"}}]}, "spec.steps[0].patch.type", "Invalid enum"),
        (
            {"selector": {"matchExpressions": [{"key": ".a[", "operator": "Exists"}]}},
            "spec.selector.matchExpressions[0].key",
            "not a jq expression: syntax error",
        ),
        (
            {"selector": {"matchExpressions": [{"key": ".a", "operator": "Has"}]}},
            "spec.selector.matchExpressions[0].operator",
            'operator "Has" is not supported',
        ),
        (
            {"selector": {"matchExpressions": [{"key": ".a", "operator": "In"}]}},
            "spec.selector.matchExpressions[0].values",
            "values set can't be empty",
        ),
        (
            {"selector": {"matchExpressions": [{}]}},
            "spec.selector.matchExpressions[0]",
            "invalid expression",
        ),
        (
            {"selector": {"matchExpressions": [{"cel": {"expression": "self."}}]}},
            "spec.selector.matchExpressions[0].cel.expression",
            "not a CEL expression",
        ),
        ({"weightFrom": {"jq": {"expression": "|"}}}, "spec.weightFrom.jq.expression", "jq"),
        (
            {"next": {"statusTemplate": "{{ nope }}"}},
            "spec.next.statusTemplate",
            'template: _:1: function "nope" not defined',
        ),
        (
            {"steps": [{"apply": {"template": "{{"}}]},
            "spec.steps[0].apply.template",
            "unclosed action",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place(spec: Json, path: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        stage_check.load(stages.raw(spec), "stage.yaml")
    assert (refused.value.path, refused.value.file) == (path, "stage.yaml")
    assert problem in refused.value.problem


def test_a_misspelt_field_brings_the_likely_one() -> None:
    with pytest.raises(InputError, match='did you mean "immediateNextStage"'):
        stage_check.load(stages.raw({"imediateNextStage": True}))


def test_another_version_is_refused() -> None:
    with pytest.raises(InputError):
        stage_types.read({**stages.raw({}), "apiVersion": "kwok.x-k8s.io/v2"})


def test_the_old_form_becomes_steps_in_a_fixed_order() -> None:
    found = stages.stage(
        {
            "next": {
                "delete": True,
                "statusTemplate": "a: 1",
                "finalizers": {"empty": True},
                "event": {"reason": "r"},
                "statusSubresource": "scale",
                "statusPatchAs": {"username": "u"},
            }
        }
    )
    event, finalizers, patch, delete = found.steps
    assert event.event is not None
    assert finalizers.finalizers is not None
    assert patch.patch is not None
    assert (patch.patch.root, patch.patch.subresource) == ("status", "scale")
    assert patch.patch.impersonation == stage_types.Impersonation(username="u")
    assert delete.delete


def test_steps_go_before_the_old_form() -> None:
    found = stages.stage({"steps": [{"delete": True}], "next": {"statusTemplate": "a: 1"}})
    assert [step.delete for step in found.steps] == [True]
