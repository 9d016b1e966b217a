"""What went wrong in a living run, in a few sentences: the news, most severe first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.life import wording
from kubestage.results.life.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

_LISTED: Final = 2
"""So many workloads are listed with their evictions."""

_NAMED: Final = 5
"""So many subjects of one problem have a sentence of their own, or are named in one."""


def headline(life: Life) -> list[str]:
    """All that went wrong; nothing if all was well."""
    return of(life.summary)


def of(summary: Json) -> list[str]:
    """The same of a summary; a run that an earlier version has kept says nothing of it."""
    health = summary.get("health")
    if health is None:
        return [*_traffic(summary)]
    return [
        *_below(health["workloads"]),
        *_never_ready(health["workloads"]),
        *_traffic(summary),
        *_nodes(health["nodesNotReady"]),
        *_jobs(health["jobsFailed"]),
        *_pending(health["pending"]),
        *_restarts(health["restarts"]),
        *_evictions(health["evictions"]),
        *_refused(health["budgetsRefused"]),
    ]


def _below(rows: Sequence[Json]) -> Iterator[str]:
    """Workloads that lost replicas, or that were scaled and never got there."""
    found = [row for row in rows if row["everReady"] and (row["lostSeconds"] or _is_short(row))]
    found.sort(key=lambda row: (not _is_short(row), row["readyLowest"] > 0, -_below_s(row)))
    for row in found[:_NAMED]:
        yield _sentence(row)
    if len(found) > _NAMED:
        more = found[_NAMED:]
        longest = wording.span(max(_below_s(row) for row in more))
        were = plural(len(more), "other workload")
        verb = "was" if len(more) == 1 else "were"
        yield f"{were} {verb} below the desired replicas, for {longest} at most"


def _sentence(row: Json) -> str:
    desired, lowest = wording.replicas(row["desiredAtLowest"]), str(row["readyLowest"])
    if row["desired"] != row["desiredAtLowest"]:
        # It was scaled: what was below desired had not always the same number to reach.
        desired, lowest = "desired replicas", f"{lowest} of {row['desiredAtLowest']}"
    at = wording.span(row["readyLowestAtSeconds"])
    when = ", while it was rolled out" if _is_rollout(row) else ""
    text = (
        f"{row['workload']} was below its {desired} for {wording.span(_below_s(row))} "
        f"(lowest {lowest}, at {at}){when}"
    )
    if _is_short(row):
        text += f", and has {row['readyAtEnd']} of {row['desired']} at the end"
    return text


def _never_ready(rows: Sequence[Json]) -> Iterator[str]:
    found = [row for row in rows if not row["everReady"]]
    for row in found[:_NAMED]:
        desired = wording.replicas(row["desired"])
        yield f"{row['workload']} never had its {desired} ready ({row['readyAtEnd']} at the end)"
    if len(found) > _NAMED:
        others = plural(len(found) - _NAMED, "other workload")
        yield f"{others} never had all replicas ready"


def _traffic(summary: Json) -> Iterator[str]:
    for each in summary["traffic"]:
        if each["failed"]:
            share = wording.share(each["failed"], each["requests"])
            why = wording.reasons(each["failedByReason"])
            requests = plural(each["requests"], "request")
            yield f"{share} of {requests} of {each['traffic']} failed ({why})"


def _nodes(rows: Sequence[Json]) -> Iterator[str]:
    if len(rows) == 1:
        span = wording.span(rows[0]["seconds"])
        if rows[0]["everReady"]:
            yield f"node {rows[0]['node']} was NotReady for {span}"
        else:
            yield f"node {rows[0]['node']} never was Ready ({span})"
    elif rows:
        longest = wording.span(max(row["seconds"] for row in rows))
        names = wording.named([row["node"] for row in rows], _NAMED)
        yield f"{len(rows):,} nodes were NotReady, for {longest} at most: {names}"


def _jobs(rows: Sequence[Json]) -> Iterator[str]:
    if len(rows) == 1:
        reason = f" ({rows[0]['reason']})" if rows[0]["reason"] else ""
        yield f"{rows[0]['workload']} failed{reason}"
    elif rows:
        yield f"{len(rows):,} Jobs failed: {wording.named([row['workload'] for row in rows])}"


def _pending(pending: Json) -> Iterator[str]:
    if not pending["peak"]:
        return
    at, wait = (wording.span(pending[each]) for each in ("peakAtSeconds", "longestWaitSeconds"))
    if pending["peak"] == 1:
        yield f"pod {pending['longestWaitPod']} had no node for {wait}"
    else:
        pods, longest = plural(pending["peak"], "pod"), pending["longestWaitPod"]
        yield f"up to {pods} had no node (at {at}), the longest wait {wait} ({longest})"


def _restarts(rows: Sequence[Json]) -> Iterator[str]:
    if rows:
        most = sorted(rows, key=lambda row: -row["restarts"])
        total = plural(sum(row["restarts"] for row in rows), "container restart")
        names = [f"{row['restarts']:,} of {row['workload']}" for row in most]
        yield f"{total}: {wording.named(names, _NAMED)}"


def _evictions(rows: Sequence[Json]) -> Iterator[str]:
    if not rows:
        return
    number = sum(row["pods"] for row in rows)
    pods, verb = plural(number, "pod"), "was" if number == 1 else "were"
    if len(rows) == 1:
        row = rows[0]
        yield f"{pods} of {row['workload']} {verb} evicted ({', '.join(row['reasons'])})"
    elif len(rows) > _LISTED:
        reasons = dict.fromkeys(reason for row in rows for reason in row["reasons"])
        of = plural(len(rows), "workload")
        yield f"{pods} of {of} {verb} evicted ({', '.join(reasons)})"
    else:
        most = sorted(rows, key=lambda row: -row["pods"])
        names = [
            f"{row['pods']:,} of {row['workload']} ({', '.join(row['reasons'])})" for row in most
        ]
        yield f"{pods} {verb} evicted: {', '.join(names)}"


def _refused(rows: Sequence[Json]) -> Iterator[str]:
    for row in rows[:_NAMED]:
        first, last = (wording.span(row[each]) for each in ("firstAtSeconds", "lastAtSeconds"))
        when = f"at {first}" if first == last else f"from {first} to {last}"
        refused = plural(row["refusals"], "eviction")
        yield f"budget {row['budget']} refused {refused} ({when})"
    if len(rows) > _NAMED:
        refused = plural(sum(row["refusals"] for row in rows[_NAMED:]), "eviction")
        yield f"{plural(len(rows) - _NAMED, 'other budget')} refused {refused}"


def _below_s(row: Json) -> float:
    seconds: float = row["belowDesiredSeconds"]
    return seconds


def _is_short(row: Json) -> bool:
    return bool(row["windows"]) and row["readyAtEnd"] < row["desired"]


def _is_rollout(row: Json) -> bool:
    """Whether replicas were missing only while new ones took their place."""
    return all(
        any(begin <= each[0] <= end for begin, end in row["rollouts"]) for each in row["windows"]
    )
