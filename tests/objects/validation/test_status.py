from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import kinds
from kubestage.objects.validation import field, status

if TYPE_CHECKING:
    from kubestage import errors

TABLE = kinds.KindTable()
POD = next(row for row in TABLE if row.kind == "Pod")
DEPLOYMENT = next(row for row in TABLE if row.kind == "Deployment")
OBJ = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}


def test_one_broken_rule_is_told_alone() -> None:
    error = status.invalid(OBJ, [field.required("spec.selector")])
    assert error.message == 'Deployment.apps "d" is invalid: spec.selector: Required value'
    assert error.status["code"] == 422
    assert error.details == {
        "name": "d",
        "group": "apps",
        "kind": "Deployment",
        "causes": [
            {
                "reason": "FieldValueRequired",
                "message": "Required value",
                "field": "spec.selector",
            }
        ],
    }


def test_many_are_told_in_brackets_and_each_once() -> None:
    problems = [field.required("a"), field.required("a"), field.forbidden("b", "no")]
    error = status.invalid(OBJ, problems)
    assert error.message.endswith("is invalid: [a: Required value, b: Forbidden: no]")
    assert len(error.details["causes"]) == 3


def test_refusals_read_as_those_of_the_api() -> None:
    details = {"name": "p", "kind": "pods"}
    cases: list[tuple[errors.ApiError, str, int]] = [
        (status.not_found(POD, "p"), 'pods "p" not found', 404),
        (status.already_exists(POD, "p"), 'pods "p" already exists', 409),
        (
            status.conflict(POD, "p"),
            (
                'Operation cannot be fulfilled on pods "p": the object has been modified; please '
                "apply your changes to the latest version and try again"
            ),
            409,
        ),
        (status.forbidden(POD, "p", "no"), 'pods "p" is forbidden: no', 403),
    ]
    for error, message, code in cases:
        assert (error.message, error.status["code"]) == (message, code)
        assert error.details == details


def test_a_group_is_part_of_a_resource_name() -> None:
    assert status.not_found(DEPLOYMENT, "d").message == 'deployments.apps "d" not found'
    assert status.method_not_supported(DEPLOYMENT, "patch").message == (
        'patch is not supported on resources of kind "deployments.apps"'
    )
    assert status.forbidden(DEPLOYMENT, "", "no").message == "deployments.apps is forbidden: no"


def test_a_name_that_the_server_made_up_can_be_tried_again() -> None:
    error = status.generate_name_conflict(POD, "p-x")
    assert error.details["retryAfterSeconds"] == 1
    assert "was not able to generate a unique name" in error.message
