"""Extenders: services outside the scheduler that filter, prioritize, bind and preempt with it.

Nothing here opens a connection: a transport is handed in, which takes the extender's
configuration, a verb and the body of a request, and returns the body of the answer or raises
ExtenderError (`extender_http` has the real one).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.errors import InputError
from kubestage.scheduler import extender_wire
from kubestage.scheduler.config.model import Extender as ExtenderConfig
from kubestage.scheduler.extender_wire import ExtenderError
from kubestage.scheduler.framework import MAX_NODE_SCORE
from kubestage.scheduler.preemption.candidates import Candidate
from kubestage.scheduler.status import unresolvable, unschedulable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.node_info import NodeInfo

__all__ = [
    "Extender", "ExtenderConfig", "ExtenderError", "Transport", "bind", "of_configuration",
]  # fmt: skip

MAX_EXTENDER_PRIORITY: Final = 10

Transport = Callable[[ExtenderConfig, str, bytes], bytes]


class Extender:
    """One extender, called as its configuration states."""

    def __init__(self, config: ExtenderConfig, transport: Transport) -> None:
        self.config = config
        self._transport = transport
        self._managed = frozenset(each.name for each in config.managed_resources)

    @property
    def name(self) -> str:
        """Its address, which is what upstream calls it by."""
        return self.config.url_prefix

    @property
    def is_filter(self) -> bool:
        """Whether it rejects nodes."""
        return bool(self.config.filter_verb)

    @property
    def is_prioritizer(self) -> bool:
        """Whether it scores nodes."""
        return bool(self.config.prioritize_verb)

    @property
    def is_binder(self) -> bool:
        """Whether it binds pods."""
        return bool(self.config.bind_verb)

    @property
    def supports_preemption(self) -> bool:
        """Whether it takes part in preemption."""
        return bool(self.config.preempt_verb)

    @property
    def is_ignorable(self) -> bool:
        """Whether scheduling goes on when it fails."""
        return self.config.ignorable

    def is_interested(self, pod: PodView) -> bool:
        """Whether a pod requests a resource that it manages; without such, in every pod."""
        if not self._managed:
            return True
        spec = pod.raw.get("spec") or {}
        return any(
            not self._managed.isdisjoint(resources.get(kind) or ())
            for group in ("containers", "initContainers")
            for container in spec.get(group) or ()
            if (resources := container.get("resources"))
            for kind in ("requests", "limits")
        )

    def filter(self, attempt: Attempt) -> None:
        """Let it remove feasible nodes; its reasons go to the diagnosis.

        Raises ExtenderError if it fails and must not.
        """
        try:
            feasible, answer = self._filter(attempt)
        except ExtenderError:
            if self.is_ignorable:
                return
            raise
        named = attempt.diagnosis.named
        for name, reason in answer.failed.items():
            named[name] = unschedulable(reason)
        for name, reason in answer.failed_and_unresolvable.items():
            named[name] = unresolvable(reason)
        attempt.feasible = feasible

    def prioritize(self, attempt: Attempt) -> Ints:
        """Its scores of the feasible nodes, weighted and brought to the scale of plugins.

        An extender that fails gives no scores.
        """
        totals: Ints = np.zeros(len(attempt.feasible), np.int64)
        try:
            body = self._call_about(attempt, self.config.prioritize_verb)
            scores = extender_wire.priorities(body)
        except ExtenderError:
            return totals
        names = attempt.columns.names
        place_of = {names[row]: place for place, row in enumerate(attempt.feasible.tolist())}
        for host, score in scores:
            if host in place_of:
                totals[place_of[host]] += score
        return totals * self.config.weight * (MAX_NODE_SCORE // MAX_EXTENDER_PRIORITY)

    def bind(self, pod: PodView, node_name: str) -> None:
        """Have it bind a pod; raises ExtenderError if it does not."""
        body = extender_wire.binding_arguments(pod, node_name)
        problem = extender_wire.binding_error(self._send(self.config.bind_verb, body))
        if problem:
            raise ExtenderError(problem)

    def process_preemption(
        self, pod: PodView, candidates: Sequence[Candidate], columns: Columns
    ) -> list[Candidate]:
        """The candidates that it leaves, with the victims that it chose."""
        body = extender_wire.preemption_arguments(pod, candidates, self.config.node_cache_capable)
        answer = extender_wire.meta_victims(self._send(self.config.preempt_verb, body))
        return [
            Candidate(node_name, self._pods(node_name, uids, columns), violations)
            for node_name, (uids, violations) in answer.items()
        ]

    def _pods(self, node_name: str, uids: Iterable[str], columns: Columns) -> tuple[PodView, ...]:
        row = columns.row_of.get(node_name)
        if row is None:
            raise ExtenderError(f'nodeinfo not found for node name "{node_name}"')
        return tuple(self._pod(uid, columns.infos[row]) for uid in uids)

    def _pod(self, uid: str, info: NodeInfo) -> PodView:
        pod = info.pods.get(uid)
        if pod is None:
            raise ExtenderError(
                f"extender: {self.name} claims to preempt pod (UID: &{{{uid}}}) on node: "
                f"{info.name}, but the pod is not found on that node"
            )
        return pod

    def _filter(self, attempt: Attempt) -> tuple[Ints, extender_wire.FilterAnswer]:
        answer = extender_wire.filter_answer(self._call_about(attempt, self.config.filter_verb))
        if answer.error:
            raise ExtenderError(answer.error)
        remaining: list[str] = []
        if self.config.node_cache_capable and answer.names is not None:
            remaining = answer.names
        elif answer.nodes is not None:
            remaining = [extender_wire.name_of(node) for node in answer.nodes]
        names = attempt.columns.names
        row_of = {names[row]: row for row in attempt.feasible.tolist()}
        for name in remaining:
            if name not in row_of:
                raise ExtenderError(
                    f'extender "{self.name}" claims a filtered node "{name}" which is not found '
                    "in the input node list"
                )
        return np.array([row_of[name] for name in remaining], np.int64), answer

    def _call_about(self, attempt: Attempt, verb: str) -> bytes:
        columns, rows = attempt.columns, attempt.feasible.tolist()
        names = [columns.names[row] for row in rows]
        nodes: list[dict[str, Any]] | None = None
        if not self.config.node_cache_capable:
            nodes = [columns.infos[row].view.raw for row in rows]
        return self._send(verb, extender_wire.node_arguments(attempt.pod, names, nodes))

    def _send(self, verb: str, body: bytes) -> bytes:
        return self._transport(self.config, verb, body)


def bind(extenders: Iterable[Extender], pod: PodView, node_name: str) -> bool:
    """Have the first extender that binds such pods do it; whether one has.

    An ignorable one that fails is passed over; any other raises ExtenderError.
    """
    for extender in extenders:
        if not extender.is_binder or not extender.is_interested(pod):
            continue
        try:
            extender.bind(pod, node_name)
        except ExtenderError:
            if extender.is_ignorable:
                continue
            raise
        return True
    return False


def of_configuration(
    configuration: SchedulerConfiguration, transport: Transport | None
) -> Sequence[Extender]:
    """The extenders that a configuration names, those that may be ignored last."""
    if not configuration.extenders:
        return ()
    if transport is None:
        raise InputError(
            "the configuration names extenders, and there is no way to ask them",
            path="extenders",
            fix="hand in a transport, or leave them out",
        )
    extenders = [Extender(each, transport) for each in configuration.extenders]
    return sorted(extenders, key=lambda each: each.is_ignorable)
