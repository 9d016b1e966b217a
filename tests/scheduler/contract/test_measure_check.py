"""A measure that cannot work is refused before anything runs, a wrong value when it is returned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kubestage.errors import InputError
from kubestage.scheduler.contract import measure_check
from kubestage.scheduler.framework import measure
from kubestage.scheduler.measures import MeasureDefinition


def plain(moment: Any) -> float:
    return 1.0


class Classy:
    def __init__(self, args: Any, handle: Any) -> None: ...

    def measure(self, moment: Any) -> float:
        return 2.0


def _two(moment: Any, more: Any) -> float:
    return 1.0


class _Silent:
    def __init__(self, args: Any, handle: Any) -> None: ...


class _Unmade:
    def measure(self, moment: Any) -> float:
        return 1.0


class _Narrow(Classy):
    def measure(self) -> float:  # type: ignore[override]
        return 1.0


def test_a_function_and_a_class_are_named_after_themselves_unless_they_say_otherwise() -> None:
    assert measure_check.definition_of(plain) == MeasureDefinition(name="plain")
    assert measure_check.definition_of(Classy) == MeasureDefinition(name="Classy")
    declared = measure("free", at="step", better="less", unit="share")(lambda moment: 0)
    expected = MeasureDefinition(name="free", at="step", better="less", unit="share")
    assert measure_check.definition_of(declared) == expected


@pytest.mark.parametrize(
    ("measured", "problem", "fix"),
    [
        (7, "is 7, not a function or class", "a measure is a function"),
        (measure("two")(_two), "missing a required argument: 'more'", "one parameter, the moment"),
        (measure("silent")(_Silent), "has no method measure", "define measure(self, moment)"),
        (measure("unmade")(_Unmade), "cannot be called", "define __init__(self, args, handle)"),
        (measure("narrow")(_Narrow), "cannot be called", "define measure(self, moment)"),
    ],
)
def test_what_cannot_be_called_is_refused(measured: Any, problem: str, fix: str) -> None:
    with pytest.raises(InputError) as refused:
        measure_check.definition_of(measured)
    assert problem in refused.value.problem
    assert fix in (refused.value.fix or "")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"name": "a.b"}, "'a.b' is no name of a measure"),
        ({"name": ""}, "'' is no name of a measure"),
        ({"name": "x", "at": "pod"}, "at is 'pod'"),
        ({"name": "x", "better": "higher"}, "better is 'higher'"),
        ({"name": "x", "unit": 3}, "unit is 3"),
    ],
)
def test_a_wrong_declaration_is_refused(options: Any, problem: str) -> None:
    declared = measure(**options)(lambda moment: 0)
    with pytest.raises(InputError, match=problem):
        measure_check.definition_of(declared)


def test_equal_names_are_refused() -> None:
    first, second = (measure("same")(lambda moment: 0) for _ in range(2))
    with pytest.raises(InputError, match='another measure is called "same" already'):
        measure_check.definitions_of([first, second])


@pytest.mark.parametrize(
    ("returned", "expected"),
    [(3, 3), (2.5, 2.5), (np.int64(4), 4), (np.float32(0.5), 0.5), (np.float64(1), 1.0)],
)
def test_values_areplain_numbers(returned: Any, expected: float) -> None:
    found = measure_check.value_of(MeasureDefinition(name="x"), plain, returned)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "returned", [None, "1", True, float("nan"), float("inf"), np.float64("nan"), np.ones(2), [1]]
)
def test_other_values_are_refused_at_the_place_of_the_function(returned: Any) -> None:
    with pytest.raises(InputError) as refused:
        measure_check.value_of(MeasureDefinition(name="x"), plain, returned)
    assert "not a number" in refused.value.problem
    assert refused.value.path == "measure x"
    assert (refused.value.file or "").endswith("test_measure_check.py")
