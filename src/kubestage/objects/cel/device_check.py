"""Whether a device selector is one, with the types that Kubernetes gives a device."""

from __future__ import annotations

import functools
import re
from typing import Any, Final

from kubestage.objects.cel import environments, functions

_REMEMBERED: Final = 1024
# An attribute's type shows only when it is looked at; the library calls such a type an error.
_MAY_BE_BOOLEAN: Final = ("BOOL", "ERROR", "DYN")
# The same problems in the library's words and in those of the API server.
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


@functools.lru_cache(maxsize=_REMEMBERED)
def problem(expression: str) -> str | None:
    """What is wrong with a selector, in the API server's words."""
    try:
        kind = _checker().compile(expression).return_type().name()
    except RuntimeError as error:
        return f"compilation failed: {_compiler_words(str(error))}"
    if kind in _MAY_BE_BOOLEAN:
        return None
    return f"must evaluate to bool or the unknown type, not {type_name(kind)}"


def plain(text: str) -> str:
    """The library's words without the codes around them."""
    return _CODE.sub("", text)


def type_name(kind: str) -> str:
    """The name of a type as the API server has it."""
    return kind if "." in kind else kind.partition("<")[0].lower()


def _compiler_words(error: str) -> str:
    text = _UNKNOWN_FIELD.sub(_undefined_field, plain(error))
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


@functools.cache
def _checker() -> Any:
    """The environment that knows the types of everything."""
    library = environments.library()
    types = library.Type
    types_by_name = {
        **environments.plain_types(),
        functions.QUANTITY: types.AbstractType(functions.QUANTITY),
        functions.SEMVER: types.AbstractType(functions.SEMVER),
    }
    declared = [
        library.FunctionDecl(
            each.name,
            [
                library.Overload(
                    overload,
                    types_by_name[each.result],
                    [types_by_name[part] for part in parts],
                    each.is_member,
                )
                for overload, parts in each.overloads
            ],
        )
        for each in functions.FUNCTIONS
    ]
    unknown, amount = types("google.protobuf.Any"), types_by_name[functions.QUANTITY]
    variables = {
        "device": types.AbstractType("kubernetes.DRADevice"),
        "device.driver": types.STRING,
        "device.allowMultipleAllocations": types.BOOL,
        "device.attributes": types.Map(types.STRING, types.Map(types.STRING, unknown)),
        "device.capacity": types.Map(types.STRING, types.Map(types.STRING, amount)),
    }
    return environments.environment(variables, declared)
