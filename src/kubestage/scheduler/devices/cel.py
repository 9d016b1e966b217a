"""Device selectors in CEL, by way of the `cel-expr-python` library.

The library is loaded when the first selector is compiled. It knows no values but its own kinds,
so quantities and versions travel through it as tagged maps (see `objects.cel.functions`). An
expression is therefore compiled twice: once with the types that Kubernetes gives a device, which
finds mistakes, and once without types, to be run.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import LimitExceeded
from kubestage.objects.cel import device_check, environments, functions, semver
from kubestage.objects.cel.guard import Guarded
from kubestage.scheduler.devices.failures import CelError

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scheduler.devices.slices import Attribute, Facts


_MAX_EXPRESSIONS: Final = 1024
_BOOLEAN: Final = "BOOL"
_FAILURE: Final = "ERROR"
# The same problem in the library's words and in those of the API server.
_NO_KEY: Final = re.compile(r'^Key not found in map : "?(?P<key>.*?)"?$', re.DOTALL)


@functools.lru_cache(maxsize=_MAX_EXPRESSIONS)
def compiled(expression: str) -> Selector:
    """A selector, ready to use; `CelError` if it cannot be."""
    problem = device_check.problem(expression)
    if problem is not None:
        raise CelError("compile", problem)
    return Selector(Guarded(_runner().compile(expression, disable_check=True)))


class Selector:
    """An expression that selects devices."""

    def __init__(self, program: Guarded) -> None:
        self._program = program

    def matches(self, facts: Facts) -> bool:
        """Whether a device will do; `CelError` if the expression fails on it."""
        device = _device(facts)
        while True:
            kind, value = self._evaluate(device)
            if kind == _BOOLEAN:
                return bool(value)
            if kind != _FAILURE:
                raise CelError("runtime", _not_boolean(kind, value))
            problem = device_check.plain(value)
            key = _NO_KEY.match(problem)
            known = device if key is None else _with_domain(device, key["key"])
            if known is device:
                raise CelError("runtime", _runtime_words(problem))
            device = known

    def _evaluate(self, device: Json) -> tuple[str, Any]:
        try:
            return self._program.eval({"device": device})
        except LimitExceeded as problem:
            return _FAILURE, problem.problem
        except RuntimeError as problem:
            return _FAILURE, str(problem)
        except TypeError:
            # Only optional values have no counterpart in Python.
            return "optional_type", None


def _with_domain(device: Json, domain: str) -> Json:
    """A device that has the domain, if only with nothing in it; the same one if it has it."""
    parts = device["attributes"], device["capacity"]
    if all(domain in part for part in parts):
        return device
    attributes, capacity = ({domain: {}, **part} for part in parts)
    return {**device, "attributes": attributes, "capacity": capacity}


@functools.lru_cache(maxsize=1 << 14)
def _device(facts: Facts) -> Json:
    device: Json = {
        "driver": facts.driver,
        "allowMultipleAllocations": facts.allow_multiple,
        "attributes": {},
        "capacity": {},
    }
    for name, attribute in facts.attributes.items():
        domain, own_name = _qualified(name, facts.driver)
        device["attributes"].setdefault(domain, {})[own_name] = _value(name, attribute)
    for name, each in facts.capacity.items():
        domain, own_name = _qualified(name, facts.driver)
        amounts = device["capacity"].setdefault(domain, {})
        amounts[own_name] = functions.encoded(each.value)
    return device


def _qualified(name: str, driver: str) -> tuple[str, str]:
    domain, slash, own_name = name.partition("/")
    return (domain, own_name) if slash else (driver, name)


def _value(name: str, attribute: Attribute) -> Any:
    if not attribute.kind:
        raise CelError("runtime", f"attribute {name}: unsupported attribute value")
    if attribute.kind != "version":
        return attribute.value
    try:
        return functions.encoded(semver.parse(attribute.value))
    except semver.SemverError as problem:
        raise CelError(
            "runtime", f"attribute {name}: parse semantic version: {problem}"
        ) from problem


def _runtime_words(problem: str) -> str:
    if problem.startswith("No matching overloads found"):
        return functions.NO_OVERLOAD
    if problem == "divide by zero":
        return "division by zero"
    return _NO_KEY.sub(r"no such key: \g<key>", problem)


def _not_boolean(kind: str, value: Any) -> str:
    name = functions.kind_of(value) or device_check.type_name(kind)
    problem_text = f"unsupported type conversion from '{name}' to bool"
    if name == "string":
        problem_text = "unsupported native conversion from string to 'bool'"
    elif name.startswith("kubernetes."):
        problem_text = f"type conversion error from '{name.rpartition('.')[2]}' to 'bool'"
    return f"CEL result of type {name} could not be converted to bool: {problem_text}"


def _type_name(kind: str) -> str:
    return kind if "." in kind else kind.partition("<")[0].lower()


@functools.cache
def _runner() -> Any:
    """The environment that knows how to call functions."""
    types = environments.library().Type
    return environments.environment({"device": types.DYN}, environments.calls())
