"""``--overwrite-test-config``: single values of a configuration, by the names of Go's fields."""

from __future__ import annotations

import difflib
import re
from typing import Any, Final

from kubestage.clusterloader.reading.fields import folded
from kubestage.clusterloader.templating import numbers
from kubestage.errors import InputError
from kubestage.golang import durations, integers

_TEXT: Final = "text"
_INT32: Final = "int32"
_BOOL: Final = "bool"
_DURATION: Final = "duration"
_FIELDS: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "Name": (("name",), _TEXT),
    "AutomanagedNamespaces": (("automanagedNamespaces",), _INT32),
    "Namespace.Number": (("namespace", "number"), _INT32),
    "Namespace.Prefix": (("namespace", "prefix"), _TEXT),
    "Namespace.DeleteStaleNamespaces": (("namespace", "deleteStaleNamespaces"), _BOOL),
    "Namespace.DeleteAutomanagedNamespaces": (("namespace", "deleteAutomanagedNamespaces"), _BOOL),
    "Namespace.EnableExistingNamespaces": (("namespace", "enableExistingNamespaces"), _BOOL),
    "Namespace.DeleteNamespaceTimeout": (("namespace", "deleteNamespaceTimeout"), _DURATION),
    "ChaosMonkey.NodeFailure.Interval": (("chaosMonkey", "nodeFailure", "interval"), _DURATION),
    "ChaosMonkey.NodeFailure.SimulatedDowntime": (
        ("chaosMonkey", "nodeFailure", "simulatedDowntime"),
        _DURATION,
    ),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]+")


def overwritten(value: dict[str, Any], overwrite: str) -> dict[str, Any]:
    """A configuration with one value set, as in ``Namespace.Prefix=custom``."""
    parts = overwrite.split("=")
    if len(parts) != 2:
        raise _wrong(overwrite, "not a key=value pair", "write Namespace.Prefix=custom")
    key, text = parts
    field = _FIELDS.get(key)
    if field is None:
        close = difflib.get_close_matches(key, list(_FIELDS), 1)
        fix = f"did you mean {close[0]}?" if close else f"known: {', '.join(_FIELDS)}"
        raise _wrong(overwrite, f"cannot overwrite config for key '{key}'", fix)
    path, kind = field
    return _set(value, path, _typed(overwrite, text, kind))


def _set(value: Any, path: tuple[str, ...], new: Any) -> dict[str, Any]:
    """A copy with one key set; other spellings of it are dropped."""
    first, *rest = path
    outer = value if isinstance(value, dict) else {}
    spelled = {key: outer[key] for key in outer if folded(key) == folded(first)}
    others = {key: outer[key] for key in outer if key not in spelled}
    if rest:
        inner: dict[str, Any] = {}
        for key in sorted(spelled):
            inner.update(spelled[key] if isinstance(spelled[key], dict) else {})
        new = _set(inner, tuple(rest), new)
    return {**others, first: new}


def _typed(overwrite: str, text: str, kind: str) -> Any:
    if kind == _TEXT:
        return text
    if kind == _BOOL:
        found = {"1": True, "0": False}.get(text, numbers.unpacked(text))
        if isinstance(found, bool):
            return found
        raise _wrong(overwrite, f"cannot parse '{text}' to bool", "write true or false")
    bits = 32 if kind == _INT32 else 64
    if _INTEGER.fullmatch(text) is None or not -(2 ** (bits - 1)) <= integers.parse(text) < 2 ** (
        bits - 1
    ):
        raise _wrong(overwrite, f"cannot parse '{text}' to int", None)
    return durations.go_string(integers.parse(text)) if kind == _DURATION else integers.parse(text)


def _wrong(overwrite: str, problem: str, fix: str | None) -> InputError:
    return InputError(problem, path=f"--overwrite-test-config {overwrite}", fix=fix)
