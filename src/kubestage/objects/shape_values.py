"""How single values are converted when an object is brought into shape.

A quantity, a time or a number has one spelling; what its field cannot hold is a `Misfit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import KubestageError
from kubestage.objects import quantity, timestamps

if TYPE_CHECKING:
    from collections.abc import Callable

    Convert = Callable[[Any], Any]
    Zero = Callable[[], Any]

# 0001-01-01T00:00:00Z
_ZERO_TIME_NS: Final = -62_135_596_800 * 10**9


class Misfit(KubestageError):
    """A value that its field cannot hold; the path grows while the call stack unwinds."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path: list[str] = []


_NAMES: Final = {
    dict: "an object", list: "a list", str: "a string", bool: "true or false",
    int: "a whole number", float: "a number", type(None): "null",
}  # fmt: skip


def wrong_type(expected: str, value: Any) -> Misfit:
    """The misfit of a value of another type than its field's."""
    return Misfit(f"expected {expected}, got {_NAMES.get(type(value), type(value).__name__)}")


def copy_json(value: Any) -> Any:
    """A deep copy of plain JSON, several times faster than `copy.deepcopy`."""
    if type(value) is dict:
        return {key: copy_json(item) for key, item in value.items()}
    if type(value) is list:
        return [copy_json(item) for item in value]
    return value


def as_scalar(value: Any, expected: type | None) -> Any:
    """A number of the expected type; manifests may say ``1.0`` for 1."""
    if expected is float and type(value) is int:
        return value
    if expected is int and type(value) is float and value.is_integer():
        return int(value)
    assert expected is not None
    raise wrong_type(_NAMES[expected], value)


def to_base64(value: Any) -> str:
    """Encoded bytes without the line breaks that are allowed in them."""
    if type(value) is not str:
        raise wrong_type("a base64 string", value)
    return value.replace("\n", "").replace("\r", "")


def _quantity(value: Any) -> str:
    try:
        return str(quantity.of(value))
    except quantity.QuantityError as error:
        raise Misfit(str(error)) from None


def _time(value: Any) -> str | None:
    return _moment(value, timestamps.parse_time, timestamps.format_time)


def _micro_time(value: Any) -> str | None:
    return _moment(value, timestamps.parse_micro_time, timestamps.format_micro_time)


def _moment(text: Any, read: Callable[[str], int], write: Callable[[int], str]) -> str | None:
    """In UTC and at the precision of the field; null for the zero time."""
    if type(text) is not str:
        raise wrong_type("a time", text)
    try:
        time_ns = read(text)
        return None if time_ns == _ZERO_TIME_NS else write(time_ns)
    except (ValueError, OverflowError) as error:
        raise Misfit(str(error)) from None


def _int_or_string(value: Any) -> int | str:
    if type(value) is str:
        return value
    number: int = value if type(value) is int else as_scalar(value, int)
    return number


def nothing() -> None:
    """The zero value of all that is null when it is not set."""
    return


# How types that are more than their JSON are written, and what they are when not set.
OPAQUE: Final[dict[str, tuple[Convert, Zero]]] = {
    "resource.Quantity": (_quantity, lambda: "0"),
    "meta/v1.Time": (_time, nothing),
    "meta/v1.MicroTime": (_micro_time, nothing),
    "meta/v1.Duration": (copy_json, lambda: "0s"),
    "meta/v1.FieldsV1": (copy_json, nothing),
    "intstr.IntOrString": (_int_or_string, lambda: 0),
    "runtime.Object": (copy_json, nothing),
    "runtime.RawExtension": (copy_json, nothing),
    "apiextensions/v1.JSON": (copy_json, nothing),
}
