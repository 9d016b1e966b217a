"""What a step waited for, in the few words that recordings use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store


_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "a second": 2, "two": 2, "a third": 3, "three": 3}
_BEARERS: Final = ("job", "deployment", "replicaset", "pod", "node", "namespace")
_EXISTS: Final = re.compile(
    r"(?:(\d+)|((?:an?|one|two|three)(?: second| third)?)) (\w+?)s? exists?"
)
_GONE: Final = re.compile(r"(?:the |all )?(\w+?)s?(?: is| are)? gone")
_CONDITION: Final = re.compile(r"condition (\w+)(?:=(\w+))?")


def is_known(text: str) -> bool:
    """Whether it can be told when what the text says is so."""
    return any(each.fullmatch(text) for each in (_EXISTS, _GONE, _CONDITION))


def holds(text: str, store: Store, namespace: str) -> bool:
    """Whether what the text says is so; what cannot be told is taken to be."""
    if found := _EXISTS.fullmatch(text):
        number = int(found[1]) if found[1] else _NUMBERS[found[2]]
        return len(_objects(found[3], store, namespace)) >= number
    if found := _GONE.fullmatch(text):
        return not _objects(found[1], store, namespace)
    if found := _CONDITION.fullmatch(text):
        return _has_condition(found[1], found[2] or "True", store, namespace)
    return True


def _objects(name: str, store: Store, namespace: str) -> list[Json]:
    kind = store.kinds.find(name)[0]
    return [
        each
        for each in store.read(kind).values()
        if each["metadata"].get("namespace", namespace) == namespace
        and (kind.kind != "Namespace" or each["metadata"]["name"] == namespace)
    ]


def _has_condition(kind: str, status: str, store: Store, namespace: str) -> bool:
    return any(
        each["type"] == kind and each["status"] == status
        for bearer in _BEARERS
        for obj in _objects(bearer, store, namespace)
        for each in (obj.get("status") or {}).get("conditions") or ()
    )
