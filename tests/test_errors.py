"""The error tree: what a person or a client reads."""

from __future__ import annotations

import ast
import builtins
import pathlib

import pytest

from kubestage import errors
from kubestage.objects import quantity
from kubestage.objects.quantity_text import QuantityError

PACKAGE = pathlib.Path(errors.__file__).parent


def test_an_input_error_says_where_what_and_how_to_mend_it() -> None:
    error = errors.InputError("no such kind", file="a.yaml", line=3, path="kind", fix="try Pod")
    assert str(error) == "a.yaml:3: kind: no such kind (try Pod)"
    assert str(errors.InputError("just this")) == "just this"


def test_an_api_error_is_a_status() -> None:
    status = errors.NotFound('pods "x" not found', {"name": "x", "kind": "pods"}).status
    assert status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'pods "x" not found',
        "reason": "NotFound",
        "details": {"name": "x", "kind": "pods"},
        "code": 404,
    }


def test_every_refusal_has_a_code_and_a_reason_of_its_own_kind() -> None:
    known = errors.ApiError.__subclasses__()
    refusals = [each for each in known if each.__module__ == errors.__name__]
    assert len(refusals) >= 11
    assert all(400 <= each.code < 600 for each in refusals)
    assert [each for each in refusals if not each.reason] == [errors.SeveralBudgets]
    assert len({each.reason for each in refusals}) == len(refusals)


def test_every_error_of_the_package_is_in_the_tree() -> None:
    """Private classes are no errors that a caller meets; an interrupt is no error."""
    builtin = {name for name in dir(builtins) if name.endswith(("Error", "Exception"))}
    outside = [
        f"{path.relative_to(PACKAGE)}: {node.name}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        if {base.id for base in node.bases if isinstance(base, ast.Name)} & builtin
        if node.name not in ("KubestageError", "MalformedValue", "ExpectationFailed", "Interrupted")
    ]
    assert outside == []


def test_a_malformed_value_is_a_value_error_too() -> None:
    with pytest.raises(ValueError, match="quantities must match"):
        quantity.parse("1x")
    assert issubclass(QuantityError, errors.MalformedValue)
    assert issubclass(errors.MalformedValue, errors.KubestageError)
