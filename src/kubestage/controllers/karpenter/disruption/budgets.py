"""How many nodes of a NodePool may be disrupted at once, for a reason, at a moment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import events
from kubestage.golang import durations, integers
from kubestage.objects import cron_schedule
from kubestage.objects.cron_schedule import ScheduleError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.controllers.karpenter.state.state_node import StateNode

UNBOUNDED: Final = (1 << 31) - 1

_PERCENT: Final = re.compile(r"([+-]?[0-9]+)%", re.ASCII)
_INTEGER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)


def remaining(
    nodes: Iterable[StateNode],
    node_pools: Iterable[Json],
    reason: str,
    now_ns: int,
    publish: Publish = events.ignore,
) -> dict[str, int]:
    """How many more nodes of each NodePool may be disrupted now.

    Only initialized nodes count; those that are unready or on their way out use up the budget.
    """
    counts: dict[str, int] = {}
    disrupting: dict[str, int] = {}
    for node in nodes:
        if not node.managed or not node.initialized or node.is_terminating:
            continue
        name = node.node_pool
        counts[name] = counts.get(name, 0) + 1
        if not node.is_ready or node.marked_for_deletion:
            disrupting[name] = disrupting.get(name, 0) + 1
    found: dict[str, int] = {}
    for node_pool in node_pools:
        name = node_pool["metadata"]["name"]
        most = allowed(node_pool, counts.get(name, 0), reason, now_ns)
        found[name] = max(most - disrupting.get(name, 0), 0)
        if counts.get(name) and most == 0:
            message = (
                f"No allowed disruptions for disruption reason {reason} due to blocking budget"
            )
            publish(events.about("NodePool", node_pool, "DisruptionBlocked", message))
    return found


def unreadable(node_pool: Json) -> list[str]:
    """Why no budget of a NodePool counts, and nothing is disrupted: a schedule that is none."""
    found = []
    for position, budget in enumerate(
        (node_pool["spec"].get("disruption") or {}).get("budgets") or ()
    ):
        try:
            _allowed_by(budget, 1, 0)
        except ValueError as error:
            found.append(f"spec.disruption.budgets[{position}]: {error}")
    return found


def allowed(node_pool: Json, count: int, reason: str, now_ns: int) -> int:
    """The least that the budgets for a reason allow; none if any budget cannot be read."""
    most = UNBOUNDED
    for budget in (node_pool["spec"].get("disruption") or {}).get("budgets") or ():
        try:
            found = _allowed_by(budget, count, now_ns)
        except ValueError:
            return 0
        reasons = budget.get("reasons")
        if reasons is None or reason in reasons:
            most = min(most, found)
    return most


def _allowed_by(budget: Json, count: int, now_ns: int) -> int:
    if not is_active(budget, now_ns):
        return UNBOUNDED
    text = str(budget.get("nodes") or "")
    if _INTEGER.fullmatch(text):
        return integers.parse(text)
    percent = _PERCENT.fullmatch(text)
    if percent is None:
        raise ValueError("invalid value for IntOrString: invalid type: string is not a percentage")
    return -(-integers.parse(percent[1]) * count // 100)


def is_active(budget: Json, now_ns: int) -> bool:
    """Whether a budget counts: always without a schedule, else for its duration after each hit."""
    schedule, duration = budget.get("schedule"), budget.get("duration")
    if schedule is None and duration is None:
        return True
    try:
        parsed = cron_schedule.parse(f"TZ=UTC {schedule or ''}")
    except ScheduleError as error:
        raise ValueError(f"invariant violated, invalid cron, {error}") from None
    duration_ns = 0 if duration is None else durations.parse_duration(duration)
    hit_ns = parsed.next_ns(now_ns - duration_ns)
    return hit_ns is None or hit_ns <= now_ns
