"""Why pods have no node: each reason once, with the pods that it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.results.analysis import Digest

_GROUPS: Final = 10
_NAMED: Final = 3


def lines(digest: Digest, hint: str) -> Iterable[str]:
    """What a terminal shows below a table; nothing if every pod has a node.

    `hint` is how to ask about one of them.
    """
    groups: dict[str, list[str]] = {}
    for pod in digest.pods:
        if pod.is_waiting:
            groups.setdefault(pod.message or pod.untried, []).append(pod.key)
    if groups:
        yield ""
        yield f"Without a node ({hint} tells more):"
    for message, pods in list(groups.items())[:_GROUPS]:
        more = len(pods) - _NAMED
        names = ", ".join(pods[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        yield f"  {names}"
        yield f"    {message}"
    if len(groups) > _GROUPS:
        yield f"  and {len(groups) - _GROUPS} more reasons"
