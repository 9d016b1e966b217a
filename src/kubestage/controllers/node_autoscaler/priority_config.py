"""The priorities of groups, as a ConfigMap states them for the priority expander."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.golang import floats
from kubestage.golang.regexp import Regexp, RegexpError
from kubestage.store.event_recorder import WARNING

# NOTE: YAML is slow to load, and rarely needed.
with lazy.imports():
    import yaml

    from kubestage.objects import yaml_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings

NAME: Final = "cluster-autoscaler-priority-expander"
_KEY: Final = "priorities"
_CONFIG_MAP: Final = ("v1", "ConfigMap")
_Scalar: TypeAlias = "str | float | bool | None"
_JSON_KINDS: Final = ((str, "string"), (bool, "bool"), ((int, float), "number"), (list, "array"))
_DECODING: Final = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal"
_TYPE: Final = "map[int][]string"


class _Unusable(InputError):
    """A ConfigMap that states no priorities."""


class PriorityConfig:
    """Reads the ConfigMap for each choice; what is wrong with it is reported about it."""

    def __init__(self, lister: Lister, reports: Reports, settings: NodeAutoscalerSettings) -> None:
        self._lister = lister
        self._reports = reports
        self._key = f"{settings.namespace}/{NAME}"

    @property
    def exists(self) -> bool:
        """Whether there is such a ConfigMap."""
        return self._lister.get(_CONFIG_MAP, self._key) is not None

    def best(self, names: Sequence[str]) -> list[int]:
        """Which of the groups have the highest priority, by their places."""
        config = self._lister.get(_CONFIG_MAP, self._key)
        everything = list(range(len(names)))
        if config is None:
            return everything
        try:
            priorities = _read(config)
        except _Unusable as error:
            self._warn(config, "PriorityConfigMapInvalid", error.problem)
            return everything
        highest, best = -1, list[int]()
        for number, name in enumerate(names):
            stated = [each for each, patterns in priorities.items() if _match(patterns, name)]
            if not stated:
                text = (
                    f"Priority expander: node group {name} not found in priority expander "
                    "configuration. The group won't be used."
                )
                self._warn(config, "PriorityConfigMapNotMatchedGroup", text)
            elif max(stated) >= highest:
                best = best if max(stated) == highest else []
                highest = max(stated)
                best.append(number)
        if best:
            return best
        text = (
            "Priority expander: no priorities info found for any of the expansion options. "
            "No options filtered."
        )
        self._warn(config, "PriorityConfigMapNoGroupMatched", text)
        return everything

    def _warn(self, config: Json, reason: str, text: str) -> None:
        self._reports.report(config, WARNING, reason, text)


def _match(patterns: Sequence[Regexp], name: str) -> bool:
    return any(pattern.is_found_in(name) for pattern in patterns)


def _read(config: Json) -> dict[int, list[Regexp]]:
    text = (config.get("data") or {}).get(_KEY)
    if text is None:
        problem = f"Wrong configmap for priority expander, doesn't contain {_KEY} key."
        raise _Unusable(f"{problem} Ignoring update.")
    try:
        return _patterns(_decoded(text))
    except _Unusable as error:
        problem = f"Wrong configuration for priority expander: {error.problem}. Ignoring update."
        raise _Unusable(problem) from None


def _decoded(text: str) -> Any:
    if not text:
        raise _Unusable(
            f"priority configuration in {NAME} configmap is empty; please provide valid "
            "configuration"
        )
    problem, decoded = _syntax_error(text), None
    if not problem:
        try:
            (decoded, *_) = *yaml_documents.values(text, None), None
        except InputError as error:
            problem = f"error converting YAML to JSON: yaml: {error.problem}"
    problem = problem or _type_error(decoded)
    if problem:
        raise _Unusable(f"Can't parse YAML with priorities in the configmap: {problem}")
    return decoded or {}


def _syntax_error(text: str) -> str:
    """What Go's reader, which is libyaml's, says of a text that is no YAML."""
    try:
        for _ in yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
    except yaml.MarkedYAMLError as error:
        at = [mark.line for mark in (error.context_mark, error.problem_mark) if mark is not None]
        line = next((each for each in at if each), 0)
        line += bool(line) and isinstance(error, yaml.scanner.ScannerError)
        where = f"line {line}: " if line else ""
        return f"error converting YAML to JSON: yaml: {where}{error.problem}"
    return ""


def _type_error(decoded: Any) -> str:
    if decoded is None:
        return ""
    if not isinstance(decoded, dict):
        return f"{_DECODING} {_json_kind(decoded)} into Go value of type {_TYPE}"
    for key, patterns in decoded.items():
        if not str(key).removeprefix("-").isdecimal():
            return f"{_DECODING} number {key} into Go value of type int"
        if patterns is not None and not isinstance(patterns, list):
            return f"{_DECODING} {_json_kind(patterns)} into Go value of type []string"
        for each in patterns or ():
            if isinstance(each, (dict, list)):
                return f"{_DECODING} {_json_kind(each)} into Go value of type string"
    return ""


def _json_kind(value: Any) -> str:
    return next((name for kind, name in _JSON_KINDS if isinstance(value, kind)), "object")


def _patterns(decoded: dict[str, list[_Scalar] | None]) -> dict[int, list[Regexp]]:
    found: dict[int, list[Regexp]] = {}
    for key, patterns in decoded.items():
        for each in map(_text, patterns or ()):
            try:
                found.setdefault(int(key), []).append(Regexp(each))
            except RegexpError as error:
                raise _Unusable(
                    f"Can't compile regexp rule for priority {key} and rule {each}: {error}"
                ) from None
    return found


def _text(scalar: _Scalar) -> str:
    """A pattern; numbers and booleans are read as such where a string is to be."""
    if scalar is None:
        return ""
    if isinstance(scalar, bool):
        return str(scalar).lower()
    return floats.text(scalar) if isinstance(scalar, float) else str(scalar)
