"""Why a pod of a cluster that has no steps is where it is: its attempts, by number and time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.objects import gvk, timestamps
from kubestage.results import charts
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.comparison import attempts
from kubestage.results.comparison.attempts import Tried
from kubestage.runs import fit
from kubestage.runs.notebook import TableResult
from kubestage.scheduler.record import WAITING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from altair.typing import ChartType

    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage
    from kubestage.store.store import Store

_PREEMPTED: Final = re.compile(r"Preempted by pod (?P<uid>\S+) on node (?P<node>\S+)")
_COLUMNS: Final = columns(
    attempt=Kind.INT,
    number=Kind.INT,
    time=Kind.TEXT,
    profile=Kind.TEXT,
    result=Kind.TEXT,
    node=Kind.TEXT,
    evaluatedNodes=Kind.INT,
    feasibleNodes=Kind.INT,
    message=Kind.TEXT,
)


class PodAttempts(TableResult, msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of a pod, each attempt at it, and what would make it fit.

    This is what a server answers, too. An attempt has its ``explanation`` if that is known.
    """

    pod: str
    uid: str | None
    status: str
    node: str | None
    attempts: list[Json]
    nodes: int = 0
    """How many nodes there are."""
    advice: Json | None = None
    """What would make it fit, if it waits: `FitAdvice.to_dict`."""
    notes: list[str] = []
    reason: str = ""
    """Why it is gone, or why there is no attempt at it, as far as that is known."""

    @property
    def differs(self) -> str | None:
        """In what a repetition differs from the run: nothing was recorded to compare it with."""
        return None

    def headline(self) -> str:
        """The pod, its status and its node."""
        return f"{self.pod}: {self.status}{f' on {self.node}' if self.node else ''}"

    def tried(self) -> list[Tried]:
        """The attempts without their explanations."""
        return [msgspec.convert({**each, "step": 0}, Tried) for each in self.attempts]

    def table(self) -> Table:
        """A row for each attempt."""
        rows: list[tuple[Any, ...]] = [
            tuple(each.get(column.name) for column in _COLUMNS) for each in self.attempts
        ]
        return Table(_COLUMNS, rows)

    def to_dict(self) -> Json:
        """All verdicts and scores; docs/explain.md describes it."""
        found: Json = msgspec.to_builtins(self)
        return found

    def chart(self) -> ChartType:
        """The weighted scores of the best nodes in the last attempt that scored any."""
        for each in reversed(self.attempts):
            if (each.get("explanation") or {}).get("score"):
                return charts.scores(each["explanation"], self.pod, 10)
        raise InputError(f"nothing was scored for {self.pod}")


def attempts_at(
    key: str, stage: Stage, scheduler: Scheduler, explanations: Mapping[int, Json]
) -> PodAttempts:
    """What a stage and its scheduler's record have on a pod of this key, and the advice on it."""
    pod = stage.store.read(gvk.POD).get(key)
    start_ns = stage.clock.unix_ns - stage.clock.now_ns
    rows = [row for row in scheduler.record.decisions if row.pod == key and row.result != WAITING]
    found = []
    for place, row in enumerate(rows, 1):
        tried: Json = msgspec.to_builtins(attempts.of_decision(row, 0))
        del tried["step"]
        time = timestamps.format_time(start_ns + row.at_ns)
        explained = explanations.get(row.number)
        found.append({"attempt": place, "time": time, **tried, "explanation": explained})
    node = None if pod is None else pod["spec"].get("nodeName") or None
    return PodAttempts(
        pod=key,
        uid=None if pod is None else pod["metadata"]["uid"],
        status=status_of(pod),
        node=node,
        attempts=found,
        nodes=len(stage.store.read(gvk.NODE)),
        advice=advice_on(stage, pod),
        reason=reason_of(stage.store, key, None if found else node),
    )


def reason_of(store: Store, key: str, untried_on: str | None) -> str:
    """Who preempted a pod, or that it was created on a node, so that no attempt was needed."""
    if key not in store.read(gvk.POD):
        return _preemptor(store, key)
    if untried_on is not None:
        return f"it was created on {untried_on}, so nothing was decided about it"
    return ""


def _preemptor(store: Store, key: str) -> str:
    """By whom a pod was preempted: the scheduler's Event has the uid."""
    namespace, _, name = key.partition("/")
    for event in store.read(gvk.EVENT).values():
        subject = event.get("involvedObject") or {}
        is_about = (subject.get("namespace"), subject.get("name")) == (namespace, name)
        found = _PREEMPTED.match(event.get("message") or "")
        if event.get("reason") == "Preempted" and is_about and found is not None:
            pods = store.read(gvk.POD).items()
            names = {pod["metadata"]["uid"]: other for other, pod in pods}
            return f"preempted by {names.get(found['uid'], found['uid'])} on {found['node']}"
    return ""


def status_of(pod: Json | None) -> str:
    """What became of a pod, in a word."""
    if pod is None:
        return "Deleted"
    return "Scheduled" if pod["spec"].get("nodeName") else "Pending"


def advice_on(stage: Stage, pod: Json | None) -> Json | None:
    """What would make a pod fit; None unless it waits for a node."""
    if pod is None or not is_pending(pod):
        return None
    return fit.advise(stage, pod).to_dict()


def is_pending(pod: Json) -> bool:
    """Whether a pod waits for a node."""
    if pod["spec"].get("nodeName") or "deletionTimestamp" in pod["metadata"]:
        return False
    return (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
