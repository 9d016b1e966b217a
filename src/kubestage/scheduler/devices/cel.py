"""Device selectors in CEL, by way of the `cel-expr-python` library.

The library is loaded when the first selector is compiled. It knows no values but its own kinds,
so quantities and versions travel through it as tagged maps (see `cel_library`). An expression is
therefore compiled twice: once with the types that Kubernetes gives a device, which finds mistakes,
and once without types, to be run.
"""

from __future__ import annotations

import functools
import importlib
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.scheduler.devices import cel_library, semver
from kubestage.scheduler.devices.failures import CelError

if TYPE_CHECKING:
    from kubestage.scheduler.devices.slices import Attribute, Facts

Json = dict[str, Any]

_MAX_EXPRESSIONS: Final = 1024
_CONFIGURATION: Final = "name: devices\nextensions:\n" + "".join(
    f"- name: {name}\n"
    for name in ("bindings", "lists", "optional", "sets", "strings", "two-var-comprehensions")
)
_BOOLEAN: Final = "BOOL"
_FAILURE: Final = "ERROR"
# An attribute's type shows only when it is looked at; the library calls such a type an error.
_MAY_BE_BOOLEAN: Final = (_BOOLEAN, _FAILURE, "DYN")
# The same problems in the library's words and in those of the API server.
_NO_KEY: Final = re.compile(r'^Key not found in map : "?(?P<key>.*?)"?$', re.DOTALL)
_UNKNOWN_FIELD: Final = re.compile(
    r"expression of type 'kubernetes\.DRADevice' cannot be the operand of a select operation"
    r"(?P<where>\n \| (?P<line>.*)\n \| (?P<dots>\.*)\^)"
)
_NO_FIELDS: Final = re.compile(
    r"expression of type ('[^']*') cannot be the operand of a select operation"
)
_NO_OVERLOAD: Final = re.compile(
    r"for '(?P<name>\w+)' applied to '\((?P<target>[^,']*)(?:, )?(?P<rest>[^']*)\)'"
    r"(?P<where>\n \| (?P<line>.*)\n \| (?P<dots>\.*)\^)"
)
_CODE: Final = re.compile(r"^[A-Z_]+: |(?: \[[A-Z_]+\])$")
_NAME: Final = re.compile(r"\w*")


@functools.lru_cache(maxsize=_MAX_EXPRESSIONS)
def compiled(expression: str) -> Selector:
    """A selector, ready to use; `CelError` if it cannot be."""
    _check(expression)
    return Selector(_runner().compile(expression, disable_check=True))


class Selector:
    """An expression that says of a device whether it will do."""

    def __init__(self, program: Any) -> None:
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
            problem = _CODE.sub("", value)
            key = _NO_KEY.match(problem)
            known = device if key is None else _with_domain(device, key["key"])
            if known is device:
                raise CelError("runtime", _runtime_words(problem))
            device = known

    def _evaluate(self, device: Json) -> tuple[str, Any]:
        try:
            result = self._program.eval(data={"device": device})
            return result.type().name(), result.plain_value()
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
        amounts[own_name] = cel_library.encoded(each.value)
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
        return cel_library.encoded(semver.parse(attribute.value))
    except semver.SemverError as problem:
        raise CelError(
            "runtime", f"attribute {name}: parse semantic version: {problem}"
        ) from problem


def _check(expression: str) -> None:
    try:
        kind = _checker().compile(expression).return_type().name()
    except RuntimeError as problem:
        raise CelError("compile", f"compilation failed: {_compiler_words(str(problem))}") from None
    if kind not in _MAY_BE_BOOLEAN:
        raise CelError(
            "compile", f"must evaluate to bool or the unknown type, not {_type_name(kind)}"
        )


def _compiler_words(problem: str) -> str:
    text = _UNKNOWN_FIELD.sub(_undefined_field, _CODE.sub("", problem))
    text = _NO_OVERLOAD.sub(_call_on_a_value, text)
    return _NO_FIELDS.sub(r"type \1 does not support field selection", text)


def _undefined_field(found: re.Match[str]) -> str:
    name = _NAME.match(found["line"], len(found["dots"]) + 1)
    return f"undefined field '{name[0] if name else ''}'{found['where']}"


def _call_on_a_value(found: re.Match[str]) -> str:
    if not found["line"][: len(found["dots"])].endswith(f".{found['name']}"):
        return found[0]
    call = f"{found['target']}.({found['rest']})"
    return f"for '{found['name']}' applied to '{call}'{found['where']}"


def _runtime_words(problem: str) -> str:
    if problem.startswith("No matching overloads found"):
        return cel_library.NO_OVERLOAD
    if problem == "divide by zero":
        return "division by zero"
    return _NO_KEY.sub(r"no such key: \g<key>", problem)


def _not_boolean(kind: str, value: Any) -> str:
    name = cel_library.kind_of(value) or _type_name(kind)
    trouble = f"unsupported type conversion from '{name}' to bool"
    if name == "string":
        trouble = "unsupported native conversion from string to 'bool'"
    elif name.startswith("kubernetes."):
        trouble = f"type conversion error from '{name.rpartition('.')[2]}' to 'bool'"
    return f"CEL result of type {name} could not be converted to bool: {trouble}"


def _type_name(kind: str) -> str:
    return kind if "." in kind else kind.partition("<")[0].lower()


@functools.cache
def _library() -> Any:
    try:
        return importlib.import_module("cel_expr_python.cel")
    except ImportError as missing:
        raise InputError(
            "device selectors need the package cel-expr-python",
            fix="pip install 'kubestage[devices]'",
        ) from missing


@functools.cache
def _checker() -> Any:
    """The environment that knows the types of everything."""
    library = _library()
    types = library.Type
    of = {
        **_plain_types(types),
        cel_library.QUANTITY: types.AbstractType(cel_library.QUANTITY),
        cel_library.SEMVER: types.AbstractType(cel_library.SEMVER),
    }
    functions = [
        library.FunctionDecl(
            each.name,
            [
                library.Overload(
                    overload, of[each.result], [of[part] for part in parts], each.is_member
                )
                for overload, parts in each.overloads
            ],
        )
        for each in cel_library.FUNCTIONS
    ]
    unknown, amount = types("google.protobuf.Any"), of[cel_library.QUANTITY]
    variables = {
        "device": types.AbstractType("kubernetes.DRADevice"),
        "device.driver": types.STRING,
        "device.allowMultipleAllocations": types.BOOL,
        "device.attributes": types.Map(types.STRING, types.Map(types.STRING, unknown)),
        "device.capacity": types.Map(types.STRING, types.Map(types.STRING, amount)),
    }
    return _environment(variables, functions)


@functools.cache
def _runner() -> Any:
    """The environment that knows how to call functions."""
    library = _library()
    types = library.Type
    of = {**_plain_types(types), cel_library.QUANTITY: types.MAP, cel_library.SEMVER: types.MAP}
    functions = []
    for each in cel_library.FUNCTIONS:
        # Quantities and versions are both maps here, and one overload serves them all.
        distinct = {tuple(of[part].name() for part in parts): parts for _, parts in each.overloads}
        overloads = [
            library.Overload(
                f"{each.name}/{number}",
                of[each.result],
                [of[part] for part in parts],
                each.is_member,
                each,
            )
            for number, parts in enumerate(distinct.values())
        ]
        functions.append(library.FunctionDecl(each.name, overloads))
    return _environment({"device": types.DYN}, functions)


def _plain_types(types: Any) -> dict[str, Any]:
    return {
        cel_library.STRING: types.STRING,
        cel_library.BOOL: types.BOOL,
        cel_library.INT: types.INT,
        cel_library.DOUBLE: types.DOUBLE,
        cel_library.STRINGS: types.List(types.STRING),
    }


def _environment(variables: dict[str, Any], functions: list[Any]) -> Any:
    library = _library()
    configuration = library.NewEnvConfigFromYaml(_CONFIGURATION)
    return library.NewEnv(config=configuration, variables=variables, functions=functions)
