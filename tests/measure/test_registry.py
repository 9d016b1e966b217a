"""Every registered name leads to a measurement."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kubestage.errors import InputError
from kubestage.measure import registry
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.registry import Registry


@pytest.mark.parametrize("method", sorted(registry.METHODS))
def test_every_name_is_a_measurement_with_parameters(method: str) -> None:
    found = Registry().find(method)
    assert issubclass(found, Measurement)
    assert issubclass(found.params_type, Params)
    assert all(field.encode_name for field in msgspec.structs.fields(found.params_type))
    assert found.__doc__


class _Own(Measurement[Params]):
    """A user's."""


def test_a_users_own_comes_before_one_of_ours() -> None:
    own: dict[str, type[Measurement[Any]]] = {"Sleep": _Own, "Mine": _Own}
    users = Registry(own)
    assert users.find("Sleep") is _Own
    assert "Mine" in users
    assert "Mine" not in Registry()
    assert {"Mine", "Sleep", "Timer"} <= set(users.names())
    assert list(users.names()) == sorted(users.names())


def test_an_unknown_name_is_an_error_that_names_the_likely_one() -> None:
    with pytest.raises(InputError, match="did you mean 'PodStartupLatency'"):
        Registry().find("PodStartUpLatency")
    with pytest.raises(InputError, match="--list-methods"):
        Registry().find("zzzzzz")
