"""The explanation of a pod of a cluster that has no steps, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cli import explain_node, explain_text, explaining
from kubestage.cli.explaining import count
from kubestage.errors import InputError
from kubestage.runs.explain import found_pod

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.cli.explain_text import ExplainLayout
    from kubestage.runs.explain import PodAttempts
    from kubestage.runs.explain.found_pod import AttemptGroup


def lines(explained: PodAttempts, layout: ExplainLayout, attempt: int | None) -> Iterator[str]:
    """The pod, its attempts in groups of one outcome, and what would make it fit."""
    yield f"{explained.headline()} ({count(len(explained.attempts), 'attempt')})"
    if explained.reason:
        yield f"  {explained.reason}"
    for group in _groups(explained, attempt):
        yield ""
        yield from _attempt(group, explained, layout)
        if len(group.attempts) > 1:
            yield ""
            yield f"{explain_text.numbers(group)}: the same."
    if explained.advice is not None and attempt is None and layout.node is None:
        if not explained.attempts and explained.advice["message"]:
            yield f"  {explained.advice['message']}"
        yield ""
        yield from explained.advice["lines"]


def _groups(explained: PodAttempts, attempt: int | None) -> list[AttemptGroup]:
    tried = explained.tried()
    if attempt is None:
        return found_pod.group(tried)
    if not 1 <= attempt <= len(tried):
        fix = f"there are {count(len(tried), 'attempt')} at {explained.pod}"
        raise InputError(f"there is no attempt {attempt}", path="--attempt", fix=fix)
    return [found_pod.AttemptGroup(attempt, [tried[attempt - 1]])]


def _attempt(group: AttemptGroup, explained: PodAttempts, layout: ExplainLayout) -> Iterator[str]:
    """One attempt: its result, and why."""
    row: Json = explained.attempts[group.place - 1]
    name = f"Attempt {group.place} ({row['time']}, number {row['number']})"
    yield explain_text.headline(group.first, name)
    details = row.get("explanation")
    if not group.in_full:
        return
    if details is None:
        yield ""
        yield explain_text.UNKNOWN
    elif layout.node is not None:
        yield ""
        yield from explain_node.lines(details, layout.node, is_there=True)
    else:
        yield from explaining.details(details, explain_text.view(details, explained.nodes, layout))
