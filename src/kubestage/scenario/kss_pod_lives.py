"""How long recorded pods ran, as the annotations by which pods on a stage say it.

A pod ends because its work is done, which no component decides. That is recorded as a duration
rather than a moment: here the pod may start earlier or later than it did there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.golang import durations
from kubestage.objects import timestamps
from kubestage.scenario.kss_events import RUN_DURATION, part

if TYPE_CHECKING:
    from kubestage.aliases import Json

EXIT_CODE: Final = "kubestage.dev/exit-code"


def recorded_annotations(pod: Json, first: Json, seen_ns: int, now_ns: int) -> dict[str, str]:
    """What makes a pod end as this one, which has just ended.

    `first` is the pod as it was first seen. What ran already then has only the rest before it.
    """
    status = part(pod, "status")
    since_ns = seen_ns if part(first, "status").get("phase") == "Running" else 0
    pod_start_ns = _time(status.get("startTime")) or seen_ns
    runs: dict[str, int] = {}
    codes: dict[str, int] = {}
    containers = status.get("containerStatuses")
    for each in containers if isinstance(containers, list) else ():
        ended, name = part(each, "state", "terminated"), str(part(each).get("name"))
        started_ns, ended_ns = _time(ended.get("startedAt")), _time(ended.get("finishedAt"))
        if started_ns is None or ended_ns is None:
            continue
        if part(each).get("restartCount"):
            started_ns = pod_start_ns
        runs[name] = max(ended_ns - max(started_ns, since_ns), 0)
        codes[name] = ended.get("exitCode") or 0
    longest_ns = max(runs.values(), default=max(now_ns - max(pod_start_ns, since_ns), 0))
    annotations = {RUN_DURATION: durations.go_string(longest_ns)}
    for name, ran_ns in runs.items():
        if ran_ns != longest_ns:
            annotations[f"{RUN_DURATION}.{name}"] = durations.go_string(ran_ns)
    annotations |= {f"{EXIT_CODE}.{name}": str(code) for name, code in codes.items() if code}
    if status.get("phase") == "Failed" and not any(codes.values()):
        annotations[EXIT_CODE] = "1"
    return annotations


def _time(text: Any) -> int | None:
    try:
        return timestamps.parse_time(text) if isinstance(text, str) else None
    except ValueError:
        return None


def is_victim(pod: Json) -> bool:
    """Whether a scheduler has chosen a pod to make room for another."""
    conditions = part(pod, "status").get("conditions")
    return isinstance(conditions, list) and any(
        part(each).get("type") == "DisruptionTarget"
        and part(each).get("status") == "True"
        and part(each).get("reason") == "PreemptionByScheduler"
        for each in conditions
    )
