"""What a failing expectation prints: objects as kubectl shows them, Events, and why a pod waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.golang import durations
from kubestage.objects import ages, gvk, tables, timestamps
from kubestage.objects.tables import text
from kubestage.runs import fit
from kubestage.runs.explain import pod_attempts
from kubestage.server.pacing_work import WorkAhead
from kubestage.store.collection import key_of
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.stage import Stage
    from kubestage.store.store import Store
    from kubestage.testing.clusters.naming import ObjectName

_MOST_ROWS: Final = 10
_MOST_EVENTS: Final = 6
_WIDEST: Final = 160
_MOST_ADVICE: Final = 12
# Of the wide columns of a pod, the one that tests are about.
_NODE: Final = "Node"


class Problem(NamedTuple):
    """Why an expectation does not hold, and what a person would look at next."""

    expected: str
    found: str
    objects: Sequence[Json] = ()
    """They are shown as kubectl shows them, with their last Events."""
    lines: Sequence[str] = ()
    """What else there is to say."""


def failure(stage: Stage, problem: Problem, within: str | int | None = None) -> str:
    """The whole message: the problem, objects, Events, and the explanation of one pod."""
    waited = "" if within is None else f" within {shown_duration(within)}"
    blocks = [[f"expected {problem.expected}{waited}: {problem.found}"], list(problem.lines)]
    blocks += [_table(stage, kind, objects) for kind, objects in _by_kind(problem.objects)]
    blocks.append(_event_lines(stage, problem.objects))
    waiting = next((each for each in problem.objects if _is_waiting_pod(each)), None)
    if waiting is not None:
        metadata = waiting["metadata"]
        key = key_of(metadata["namespace"], metadata["name"])
        blocks.append(explanation(stage, key).splitlines())
    blocks.append([_clock_line(stage, is_now=within is None)])
    return "\n\n".join("\n".join(lines) for lines in blocks if any(lines))


def not_within(stage: Stage, within: str | int) -> str:
    """The message when something has not come in time."""
    pods = [pod for pod in stage.store.read(gvk.POD).values() if not _is_well(pod)]
    problem = Problem("the condition to hold", "it does not", pods)
    return failure(stage, problem, within)


def explanation(stage: Stage, key: str) -> str:
    """Why a pod is where it is, or waits, and what would make it fit."""
    pod = stage.store.read(gvk.POD).get(key)
    if pod is None:
        return f"there is no pod {key}"
    node = pod["spec"].get("nodeName")
    if node:
        return f"{key} is on {node}"
    if not pod_attempts.is_pending(pod):
        return f"{key} is over: it needs no node"
    advice = fit.advise(stage, pod)
    lines = [f"{key} has no node: {advice.message}" if advice.message else f"{key} has no node"]
    lines += [f"  {line}" for line in advice.lines()[:_MOST_ADVICE]]
    return "\n".join(lines)


def events_of(store: Store, named: ObjectName | None, reason: str = "") -> list[Json]:
    """Events in the order of their last occurrence: all, or those about an object."""
    found = [
        event
        for event in store.read(gvk.EVENT).values()
        if (not reason or event.get("reason") == reason)
        and (named is None or _is_about(event, named))
    ]
    return sorted(found, key=_last_time)


def event_line(event: Json, now_ns: int) -> str:
    """An Event in a line."""
    subject = event.get("involvedObject") or {}
    about = f"{(subject.get('kind') or '').lower()}/{subject.get('name')}"
    count = event.get("count") or (event.get("series") or {}).get("count") or 1
    times = f" (x{count})" if count > 1 else ""
    age = ages.human(now_ns - timestamps.parse_time(_last_time(event)))
    line = f"  {age} ago  {event.get('reason')} {about}: {event.get('message')}{times}"
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 3]}..."


def shown_duration(duration: str | int) -> str:
    """A duration as people write it."""
    return duration if isinstance(duration, str) else durations.go_string(duration)


def _last_time(event: Json) -> str:
    series = (event.get("series") or {}).get("lastObservedTime")
    known = series or event.get("lastTimestamp") or event.get("eventTime")
    return str(known or event["metadata"]["creationTimestamp"])


def _is_about(event: Json, named: ObjectName) -> bool:
    subject = event.get("involvedObject") or {}
    if subject.get("kind") != named.kind.kind or subject.get("name") != named.name:
        return False
    return named.namespace is None or subject.get("namespace") == named.namespace


def _event_lines(stage: Stage, objects: Iterable[Json]) -> list[str]:
    """The last warnings about objects, else their last Events; without objects, any warnings."""
    uids = {each["metadata"].get("uid") for each in objects}
    every = events_of(stage.store, None)
    own = [each for each in every if (each.get("involvedObject") or {}).get("uid") in uids]
    warnings = [each for each in own or every if each.get("type") == "Warning"]
    shown = (warnings or own)[-_MOST_EVENTS:]
    if not shown:
        return []
    now_ns = stage.clock.unix_ns
    head = "Last warnings:" if warnings else "Last Events:"
    return [head, *(event_line(each, now_ns) for each in shown)]


def _by_kind(objects: Iterable[Json]) -> list[tuple[tuple[str, str], list[Json]]]:
    found: dict[tuple[str, str], list[Json]] = {}
    for each in objects:
        found.setdefault((each["apiVersion"], each["kind"]), []).append(each)
    return list(found.items())


def _table(stage: Stage, kind: tuple[str, str], objects: Sequence[Json]) -> list[str]:
    row = stage.store.kind(kind)
    shown = objects[:_MOST_ROWS]
    table = tables.table(
        shown,
        stage.clock.unix_ns,
        api_version=kind[0],
        kind=kind[1],
        definition=row.definition,
    )
    has_others = any(each["metadata"].get("namespace") not in (None, "default") for each in shown)
    columns = [
        msgspec.structs.replace(each, priority=0) if each.name == _NODE else each
        for each in table.columns
    ]
    lines = text.render(
        columns, table.rows, with_namespace=row.namespaced and has_others, kind=row.singular
    ).splitlines()
    if len(objects) > len(shown):
        lines.append(f"and {plural(len(objects) - len(shown), 'more')}".removesuffix("s"))
    return [f"  {line}" for line in lines]


def _clock_line(stage: Stage, *, is_now: bool) -> str:
    """What time it is, and whether a test may have looked too early."""
    line = f"It is {stage.now} in the cluster"
    if not is_now:
        return f"{line}."
    work = WorkAhead(stage)
    due_ns = work.goal_ns()
    work.close()
    if due_ns is None:
        return f"{line}, and nothing is under way."
    return (
        f"{line}, and work is under way: let time pass by settle() or run(), or expect it "
        'within="5m".'
    )


def _is_waiting_pod(obj: Json) -> bool:
    return (obj["apiVersion"], obj["kind"]) == gvk.POD and pod_attempts.is_pending(obj)


def _is_well(pod: Json) -> bool:
    status = pod.get("status") or {}
    if status.get("phase") == "Succeeded":
        return True
    conditions = status.get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
