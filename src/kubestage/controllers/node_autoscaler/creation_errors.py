"""Machines that could not be created, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler.cloud_provider import InstanceError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.controllers.node_autoscaler.cloud_provider import Instance

_MANY: Final = 3


def failed(instances: Iterable[Instance]) -> list[str]:
    """The machines that have failed, those with the same kind of error together."""
    return [each for _, ids in _by_error(instances) for each in ids]


def unseen(
    instances: Iterable[Instance], before: Iterable[Instance]
) -> list[tuple[InstanceError, list[str]]]:
    """The machines that have failed since, by their errors, whose messages are joined."""
    known = set(failed(before))
    found = []
    for error, ids in _by_error(instances):
        new = [each for each in ids if each not in known]
        if new:
            found.append((error, new))
    return found


def _by_error(instances: Iterable[Instance]) -> list[tuple[InstanceError, list[str]]]:
    ids: dict[tuple[str, str], list[str]] = {}
    messages: dict[tuple[str, str], dict[str, None]] = {}
    for each in instances:
        if each.error is not None:
            key = each.error.kind, each.error.code
            ids.setdefault(key, []).append(each.id)
            messages.setdefault(key, {})[each.error.message] = None
    return [
        (InstanceError(*key, _joined(list(messages[key]))), found) for key, found in ids.items()
    ]


def _joined(messages: list[str]) -> str:
    more = ", ..." if len(messages) > _MANY else ""
    return ", ".join(messages) + more
