"""Values against an OpenAPI schema, check by check as the API server's validator does it.

A `Check` is one schema, compiled. It counts the checks that a value passed, because of several
alternatives that all fail the server reports the one that came furthest.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.custom import formats, scalars
from kubestage.objects.custom.findings import CheckResult, FindingCode, SchemaFinding, type_mismatch
from kubestage.objects.custom.nodes import INT_OR_STRING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.custom.correlation import Correlated


_TYPES: Final[dict[type, tuple[str, str]]] = {
    dict: ("object", ""),
    list: ("array", ""),
    str: ("string", ""),
    bool: ("boolean", ""),
    int: ("integer", "int64"),
    float: ("number", "float64"),
}
_INT64: Final = 1 << 63
_CONSTRAINTS: Final = frozenset({
    "format", "enum", "pattern", "minLength", "maxLength", "minProperties", "maxProperties",
    "required",
})  # fmt: skip
# As many checks as such a text or object passes; it is shared, and never changed.
_PASSED: Final = CheckResult()
_PASSED.matches = 7


class Check:
    """One schema and all that lie in it.

    With `exact_integers`, 1.0 is no integer: that is for objects whose numbers are not normalized.
    """

    __slots__ = (
        "additional",
        "all_of",
        "any_of",
        "combines",
        "enum",
        "exact_integers",
        "forbids_others",
        "format",
        "is_open",
        "items",
        "nullable",
        "one_of",
        "passes",
        "properties",
        "required",
        "schema",
        "test",
        "types",
        "unwanted",
    )  # fmt: skip

    def __init__(self, schema: Json, *, exact_integers: bool = False) -> None:
        self.schema = schema
        self.exact_integers = exact_integers
        compiled = functools.partial(Check, exact_integers=exact_integers)
        named = schema.get("type") or ""
        self.types = [named] if named else []
        if schema.get(INT_OR_STRING):
            self.types = ["integer", "string"]
        only = self.types[0] if len(self.types) == 1 else ""
        self.format = formats.known(only, schema.get("format") or "")
        self.test = formats.test_of(self.format) if self.format else None
        self.nullable = bool(schema.get("nullable"))
        self.enum: list[Any] = schema.get("enum") or []
        self.required: list[str] = schema.get("required") or []
        self.properties = {
            name: compiled(each) for name, each in sorted((schema.get("properties") or {}).items())
        }
        additional = schema.get("additionalProperties")
        self.forbids_others = additional is False
        self.additional = compiled(additional) if isinstance(additional, dict) else None
        items = schema.get("items")
        self.items = compiled(items) if isinstance(items, dict) else None
        self.all_of = [compiled(each) for each in schema.get("allOf") or ()]
        self.any_of = [compiled(each) for each in schema.get("anyOf") or ()]
        self.one_of = [compiled(each) for each in schema.get("oneOf") or ()]
        unwanted = schema.get("not")
        self.unwanted = compiled(unwanted) if unwanted is not None else None
        self.combines = bool(self.all_of or self.any_of or self.one_of or unwanted is not None)
        self.is_open = not self.properties and self.additional is None and not self.forbids_others
        # NOTE: texts and objects without other constraints pass by their type alone; they are
        # most values of a Scenario of many events.
        self.passes: type | None = None
        if self.is_open and not self.combines and not _CONSTRAINTS.intersection(schema):
            self.passes = {"string": str, "object": dict}.get(only)

    def validate(self, value: Any, path: str, paired: Correlated | None = None) -> CheckResult:
        """Look at a value and all that it holds; what did not change is let pass."""
        if type(value) is self.passes:
            return _PASSED
        result = self._validate(value, path, paired)
        if result.found and paired is not None and paired.is_unchanged:
            result.found = {}
        return result

    def _validate(self, value: Any, path: str, paired: Correlated | None) -> CheckResult:
        result = CheckResult()
        if value is None:
            self._check_null(result, path)
            return result
        kind = type(value)
        # The checks of all values: their combination, their enumeration, and an end mark.
        result.matches = 4
        if self.types or self.format:
            result.matches += 1
            self._check_type(value, kind, path, result)
        if self.combines:
            self._check_combinations(value, path, result)
        if kind is str:
            result.matches += 1
            self._check_string(value, path, result)
        elif kind is int or kind is float:
            result.matches += 1
            result.merge(scalars.check_number(self.schema, self.types, self.format, value, path))
        elif kind is list:
            result.matches += 2
            self._check_list(value, path, result, paired)
        if self.enum and not any(scalars.is_choice(value, each) for each in self.enum):
            result.add(scalars.not_a_choice(path, value, self.enum))
        if kind is dict:
            result.matches += 1
            self._check_object(value, path, result, paired)
        return result

    def _check_null(self, result: CheckResult, path: str) -> None:
        if self.types and not self.nullable:
            result.add(type_mismatch(path, ",".join(self.types), "null"))
        else:
            result.matches = 1
        if self.enum:
            result.add(scalars.not_a_choice(path, None, self.enum))

    def _check_type(self, value: Any, kind: type, path: str, result: CheckResult) -> None:
        found, form = _TYPES[kind]
        if kind is int and not -_INT64 <= value < _INT64:
            found, form = "number", "float64"
        types = self.types
        fits = (
            found in types
            or (found == "integer" and "number" in types)
            or (
                found == "number"
                and "integer" in types
                and not self.exact_integers
                and scalars.is_whole(value)
            )
        )
        is_texts = kind is str or kind is list
        if self.format and not is_texts and not fits and form != self.format:
            result.add(type_mismatch(path, self.format, form))
        elif self.format and is_texts and not ("number" in types or "integer" in types):
            result.matches += 1
        elif not fits:
            result.add(type_mismatch(path, ",".join(types), found))
        else:
            result.matches += 1

    def _check_string(self, value: str, path: str, result: CheckResult) -> None:
        problem = scalars.text_problem(self.schema, value, path)
        if problem is not None:
            result.add(problem)
        if self.test is not None:
            result.matches += 1
            if not self.test(value):
                result.add(type_mismatch(path, self.format, value))

    def _check_list(
        self, value: list[Any], path: str, result: CheckResult, paired: Correlated | None
    ) -> None:
        if self.items is not None:
            for index, item in enumerate(value):
                pair = None if paired is None else paired.index(index)
                result.merge(self.items.validate(item, f"{path}[{index}]", pair))
        size = len(value)
        low, high = self.schema.get("minItems"), self.schema.get("maxItems")
        if low is not None and size < low:
            text = f"{path} in body should have at least {low} items"
            result.add(SchemaFinding(FindingCode.VALUE, text, path, size))
        if high is not None and size > high:
            text = f"{path} in body should have at most {high} items"
            result.add(SchemaFinding(FindingCode.TOO_MANY, text, path, size, high))

    def _check_object(
        self, value: Json, path: str, result: CheckResult, paired: Correlated | None
    ) -> None:
        size = len(value)
        low, high = self.schema.get("minProperties"), self.schema.get("maxProperties")
        if low is not None and size < low:
            text = f"{path} in body should have at least {low} properties"
            result.add(SchemaFinding(FindingCode.VALUE, text, path, size))
        if high is not None and size > high:
            text = f"{path} in body should have at most {high} properties"
            result.add(SchemaFinding(FindingCode.TOO_MANY, text, path, size, high))
        if not self.is_open:
            self._check_fields(value, path, result, paired)
        for name in self.required:
            if name not in value:
                text = f"{path}.{name} in body is required"
                result.add(SchemaFinding(FindingCode.REQUIRED, text, f"{path}.{name}"))

    def _check_fields(
        self, value: Json, path: str, result: CheckResult, paired: Correlated | None
    ) -> None:
        properties = self.properties
        if self.forbids_others or self.additional is not None:
            for name, item in value.items():
                if name in properties:
                    continue
                if self.additional is None:
                    text = f"{path}.{name} in body is a forbidden property"
                    result.add(SchemaFinding(FindingCode.VALUE, text, path, name))
                else:
                    pair = _pair(paired, name, path)
                    result.merge(self.additional.validate(item, f"{path}.{name}", pair))
        for name, check in properties.items():
            if name in value:
                where = f"{path}.{name}" if path else name
                pair = None if paired is None else _pair(paired, name, path)
                result.merge(check.validate(value[name], where, pair))

    def _check_combinations(self, value: Any, path: str, result: CheckResult) -> None:
        if self.any_of:
            _check_any(self.any_of, value, path, result)
        if self.one_of:
            _check_one(self.one_of, value, path, result)
        if self.all_of:
            valid = 0
            for check in self.all_of:
                found = check.validate(value, path)
                valid += not found.found
                result.merge(found)
            if valid != len(self.all_of):
                none = "" if valid else ". None validated"
                _complain(result, path, f"must validate all the schemas (allOf){none}")
        if self.unwanted is not None and not self.unwanted.validate(value, path).found:
            _complain(result, path, "must not validate the schema (not)")


def _pair(paired: Correlated | None, name: str, path: str) -> Correlated | None:
    """The old field of that name; the type of an object is always validated."""
    if paired is None or (not path and name in ("apiVersion", "kind")):
        return None
    return paired.key(name)


def _complain(result: CheckResult, path: str, text: str) -> None:
    result.add(SchemaFinding(FindingCode.GENERAL, f'"{path}" {text}'))


def _check_any(checks: list[Check], value: Any, path: str, result: CheckResult) -> None:
    best: CheckResult | None = None
    for check in checks:
        found = check.validate(value, path)
        if not found.found:
            result.merge(found)
            return
        if best is None or found.matches > best.matches:
            best = found
    _complain(result, path, "must validate at least one schema (anyOf)")
    if best is not None:
        result.merge(best)


def _check_one(checks: list[Check], value: Any, path: str, result: CheckResult) -> None:
    best: CheckResult | None = None
    first: CheckResult | None = None
    valid = 0
    for check in checks:
        found = check.validate(value, path)
        if not found.found:
            valid += 1
            best = None
            first = found if first is None else first
        elif not valid and (best is None or found.matches > best.matches):
            best = found
    if valid == 1:
        assert first is not None
        result.merge(first)
        return
    count = f"Found {valid} valid alternatives" if valid else "Found none valid"
    _complain(result, path, f"must validate one and only one schema (oneOf). {count}")
    if best is not None:
        result.merge(best)
