"""Pods as rows: where a slice of their lives begins, and what happened to them at one instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.history import slices_phases
from kubestage.results.history.slices_names import Rows
from kubestage.results.history.slices_phases import GONE, PULLING, STARTING
from kubestage.results.life.workloads import is_same
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.history.slices_names import Numbered, Templates

_PREEMPTED_BY: Final = "Preempted by pod "


class _Pod:
    """A pod as its newest row has it: phase, node and text."""

    __slots__ = ("disruption", "number", "restarts", "row", "template")

    def __init__(self, number: int, template: int, pod: Json) -> None:
        self.number = number
        self.template = template
        self.row = (GONE, -1, -1)
        self.restarts = slices_phases.restarts_of(pod)
        self.disruption = slices_phases.disruption_of(pod)


class PodSlices:
    """All pods that ever were, by number; one that comes again under its name is another one."""

    def __init__(self, templates: Templates, nodes: Numbered, texts: Numbered) -> None:
        self.templates = templates
        self.pods, self.slices, self.instants = Rows(), Rows(), Rows()
        self._nodes = nodes
        self._texts = texts
        self._known: dict[str, _Pod] = {}
        self._numbers: dict[str, int] = {}

    def on_pod(self, number: int, ms: float, type_: str, pod: Json, old: Json | None) -> None:
        """Take in a pod that came, changed or went."""
        uid = pod["metadata"]["uid"]
        known = self._known.get(uid)
        if type_ == DELETED:
            if known is not None:
                self.slices.add(number, (ms, known.number, GONE, known.row[1], -1))
                del self._known[uid]
            return
        if known is None:
            template = self.templates.of(number, pod)
            known = self._known[uid] = _Pod(len(self.pods.rows), template, pod)
            self.pods.add(number, (pod["metadata"]["name"], template))
            self._numbers[uid] = known.number
        template = known.template
        if old is not None and not _is_alike(pod, old):
            template = self.templates.of(number, pod)
        row = self._row(number, pod, known)
        if row != known.row or template != known.template:
            changed = () if template == known.template else (template,)
            self.slices.add(number, (ms, known.number, *row, *changed))
            known.row, known.template = row, template
        if old is not None:
            self._on_status(number, ms, pod, known)

    def on_event(self, number: int, ms: float, event: Json) -> None:
        """Attempts that failed, preemptions and pulls, which are known by Events alone."""
        reason = event.get("reason")
        if reason not in _REASONS:
            return
        about = event.get("involvedObject") or event.get("regarding") or {}
        known = self._known.get(about.get("uid") or "")
        if known is None:
            return
        message = event.get("message") or event.get("note") or ""
        if reason == "FailedScheduling":
            self._instant(number, ms, "unschedulable", known, message)
        elif reason == "Preempted":
            uid = message.removeprefix(_PREEMPTED_BY).partition(" ")[0]
            self._instant(number, ms, "preemption", known, message, self._numbers.get(uid, -1))
        else:
            self._on_image(number, ms, known, message if reason == "Pulling" else "")

    def _row(self, number: int, pod: Json, known: _Pod) -> tuple[int, int, int]:
        phase, reason = slices_phases.phase_of(pod)
        node = pod["spec"].get("nodeName")
        place = self._nodes.place(number, node) if node else -1
        if phase == STARTING and known.row[0] == PULLING:
            return PULLING, place, known.row[2]
        return phase, place, self._texts.place(number, reason) if reason else -1

    def _on_status(self, number: int, ms: float, pod: Json, known: _Pod) -> None:
        """Restarts and evictions: the status of a pod has them."""
        restarts = slices_phases.restarts_of(pod)
        if restarts > known.restarts:
            self._instant(number, ms, "restart", known, f"restart {restarts}")
        disruption = slices_phases.disruption_of(pod)
        if disruption and disruption != known.disruption:
            self._instant(number, ms, "eviction", known, disruption)
        known.restarts, known.disruption = restarts, disruption

    def _on_image(self, number: int, ms: float, known: _Pod, pulling: str) -> None:
        """An image is being pulled, or was."""
        phase, node, _ = known.row
        if phase != (STARTING if pulling else PULLING):
            return
        text = self._texts.place(number, pulling) if pulling else -1
        known.row = (PULLING if pulling else STARTING, node, text)
        self.slices.add(number, (ms, known.number, *known.row))

    def _instant(
        self, number: int, ms: float, kind: str, known: _Pod, text: str, other: int = -1
    ) -> None:
        place = self._texts.place(number, text)
        self.instants.add(number, (ms, kind, known.number, place, other))


_REASONS: Final = frozenset(("FailedScheduling", "Preempted", "Pulling", "Pulled"))


def _is_alike(pod: Json, old: Json) -> bool:
    """Whether the template of a pod cannot have changed."""
    labels, before = pod["metadata"].get("labels"), old["metadata"].get("labels")
    return (labels is before or labels == before) and is_same(pod, old)
