"""The messages between the scheduler and an extender, as JSON.

The names of fields are those of Go's structs. Answers are read as Go reads them: a field is found
whatever the case of its name, and null stands for nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage import errors
from kubestage.aliases import Json
from kubestage.objects import go_scanner

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.preemption.candidates import Candidate


_TYPE_FIELDS: Final = ("apiVersion", "kind")


class ExtenderError(errors.KubestageError):
    """An extender could not be called, or its answer is not valid; in upstream's words."""


class FilterAnswer(msgspec.Struct, frozen=True):
    """Nodes that are left, by name or as objects (None: not stated), and why others are not."""

    names: list[str] | None
    nodes: list[Json] | None
    failed: dict[str, str]
    failed_and_unresolvable: dict[str, str]
    error: str


def node_arguments(pod: PodView, names: Sequence[str], nodes: Iterable[Json] | None) -> bytes:
    """ExtenderArgs: a pod and its candidates, whole objects unless the extender knows them."""
    items = None if nodes is None else [_untyped(node) for node in nodes]
    return msgspec.json.encode(
        {
            "Pod": _untyped(pod.raw),
            "Nodes": None if items is None else {"metadata": {}, "items": items or None},
            "NodeNames": names if items is None else None,
        }
    )


def filter_answer(body: bytes) -> FilterAnswer:
    """ExtenderFilterResult."""
    answer = _struct(_decoded(body), "ExtenderFilterResult")
    nodes = _get(answer, "Nodes")
    return FilterAnswer(
        _list(_get(answer, "NodeNames")),
        None if nodes is None else _list(_get(_struct(nodes, "NodeList"), "items")) or [],
        _texts(_get(answer, "FailedNodes")),
        _texts(_get(answer, "FailedAndUnresolvableNodes")),
        _text(_get(answer, "Error")),
    )


def priorities(body: bytes) -> list[tuple[str, int]]:
    """HostPriorityList: hosts with their scores."""
    hosts = [_struct(each, "HostPriority") for each in _list(_decoded(body)) or ()]
    return [(_text(_get(each, "Host")), _int64(_get(each, "Score"))) for each in hosts]


def binding_arguments(pod: PodView, node_name: str) -> bytes:
    """ExtenderBindingArgs."""
    return msgspec.json.encode(
        {
            "PodName": pod.name,
            "PodNamespace": pod.namespace,
            "PodUID": pod.uid,
            "Node": node_name,
        }
    )


def binding_error(body: bytes) -> str:
    """Why the pod was not bound, as ExtenderBindingResult states; nothing if it was."""
    return _text(_get(_struct(_decoded(body), "ExtenderBindingResult"), "Error"))


def preemption_arguments(pod: PodView, candidates: Iterable[Candidate], by_uid: bool) -> bytes:
    """ExtenderPreemptionArgs: whole victims, or their UIDs if the extender knows the pods."""
    victims = {
        each.node_name: {
            "Pods": [
                {"UID": victim.uid} if by_uid else _untyped(victim.raw) for victim in each.victims
            ],
            "NumPDBViolations": each.pdb_violations,
        }
        for each in candidates
    }
    return msgspec.json.encode(
        {
            "Pod": _untyped(pod.raw),
            "NodeNameToVictims": None if by_uid else victims,
            "NodeNameToMetaVictims": victims if by_uid else None,
        }
    )


def meta_victims(body: bytes) -> dict[str, tuple[list[str], int]]:
    """ExtenderPreemptionResult: for each node the UIDs of victims and the broken budgets."""
    answer = _struct(_decoded(body), "ExtenderPreemptionResult")
    found = {}
    for name, stated in _struct(_get(answer, "NodeNameToMetaVictims"), "map").items():
        victims = _struct(stated, "MetaVictims")
        pods = [_struct(each, "MetaPod") for each in _list(_get(victims, "Pods")) or ()]
        uids = [_text(_get(each, "UID")) for each in pods]
        found[name] = uids, _int64(_get(victims, "NumPDBViolations"))
    return found


def name_of(node: Json) -> str:
    """The name of a node in an answer."""
    return _text(_get(_struct(_get(_struct(node, "Node"), "metadata"), "ObjectMeta"), "name"))


def _untyped(obj: Json) -> Json:
    """An object as Go's typed clients hold it, without the names of its type."""
    return {key: value for key, value in obj.items() if key not in _TYPE_FIELDS}


def _decoded(body: bytes) -> Any:
    """The first value of an answer; whatever follows it is ignored."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = body.decode("utf-8", "replace").lstrip()
    if not text:
        raise ExtenderError("EOF")
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except ValueError:
        problem = _syntax_problem(body)
    raise ExtenderError(problem)


def _syntax_problem(body: bytes) -> str:
    try:
        go_scanner.scan(body)
    except go_scanner.SyntaxProblem as problem:
        return str(problem)
    return "invalid JSON"


def _get(obj: Json, name: str) -> Any:
    if name in obj:
        return obj[name]
    for key, value in obj.items():
        if key.lower() == name.lower():
            return value
    return None


def _struct(value: Any, what: str) -> Json:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _misfit(value, what)
    return value


def _list(value: Any) -> list[Any] | None:
    if value is not None and not isinstance(value, list):
        raise _misfit(value, "list")
    return value


def _texts(value: Any) -> dict[str, str]:
    return {key: _text(text) for key, text in _struct(value, "FailedNodesMap").items()}


def _text(value: Any) -> str:
    if value is not None and not isinstance(value, str):
        raise _misfit(value, "string")
    return value or ""


def _int64(value: Any) -> int:
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or not -(1 << 63) <= value < 1 << 63:
        raise _misfit(value, "int64")
    return value


def _misfit(value: Any, expected: str) -> ExtenderError:
    kind = {dict: "object", list: "array", str: "string", bool: "bool"}.get(type(value), "number")
    return ExtenderError(f"json: cannot unmarshal {kind} into Go value of type {expected}")
