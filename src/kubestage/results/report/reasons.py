"""Why pods are pending: each message of the scheduler once, with the pods that it is about.

Pods of one sort are refused in words that differ by a number here and there, so messages that are
alike but for their digits are taken together.
"""

from __future__ import annotations

import collections
import re
from typing import TYPE_CHECKING, Final

from kubestage.results.report.markup import Html, count, element

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.results.analysis import PodState

_DIGITS: Final = re.compile(r"\d+")
_NAMED: Final = 6
_GROUPS: Final = 25
_HEADLINES: Final = 3


def reasons(pods: Iterable[PodState]) -> Html:
    """The pods that wait at the end, by reason, the most frequent first."""
    groups: dict[str, list[PodState]] = collections.defaultdict(list)
    for pod in pods:
        if pod.is_waiting:
            groups[_DIGITS.sub("#", reason(pod))].append(pod)
    if not groups:
        return element("div", "Every pod has a node.", class_="fine card")
    largest = sorted(groups.values(), key=len, reverse=True)
    rows = [_group_row(group) for group in largest[:_GROUPS]]
    if len(largest) > _GROUPS:
        left = sum(map(len, largest[_GROUPS:]))
        more = f"{len(largest) - _GROUPS:,} more reasons; the table of pods has them all."
        rows.append(_row(f"{left:,}", more, ""))
    return element("div", *rows, class_="card")


def callout(pods: Iterable[PodState]) -> Html:
    """The most frequent reasons in short, for the head of the page."""
    counts = collections.Counter(_DIGITS.sub("#", reason(pod)) for pod in pods if pod.is_waiting)
    words = {_DIGITS.sub("#", reason(pod)): reason(pod) for pod in pods if pod.is_waiting}
    frequent = [(number, words[key]) for key, number in counts.most_common(_HEADLINES)]
    return alert(frequent, len(counts) - len(frequent))


def alert(reasons_found: Iterable[tuple[int, str]], more: int) -> Html:
    """Numbers of pods and why they wait, at the top of the page."""
    lines = [
        element("li", element("b", count(number, "pod")), f": {words}")
        for number, words in reasons_found
    ]
    if more:
        lines.append(element("li", f"and {count(more, 'more reason')}"))
    return element("ul", *lines, class_="callout alert")


def reason(pod: PodState) -> str:
    """Why a pod has no node."""
    if pod.is_gated:
        gates = (pod.object.get("spec") or {}).get("schedulingGates") or ()
        return f"Held back by its gates: {', '.join(str(each.get('name')) for each in gates)}"
    return pod.message or f"{pod.untried[0].upper()}{pod.untried[1:]}"


def _group_row(group: list[PodState]) -> Html:
    [(most_frequent, _)] = collections.Counter(map(reason, group)).most_common(1)
    names = ", ".join(pod.key for pod in group[:_NAMED])
    more = len(group) - _NAMED
    return _row(
        f"{len(group):,}", most_frequent, f"{names} and {more:,} more" if more > 0 else names
    )


def _row(number: str, reason_text: str, who: str) -> Html:
    return element(
        "div",
        element("div", number, class_="number"),
        element(
            "div",
            element("div", reason_text, class_="text"),
            element("div", who, class_="who name"),
        ),
        class_="reason",
    )
