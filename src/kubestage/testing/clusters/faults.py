"""What may go wrong in a cluster, on purpose: nodes, zones, requests, watches, webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

from kubestage.controllers.kubelet.annotations import HEARTBEAT
from kubestage.controllers.kubelet.outages import STOPPED
from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.runs.inputs import node_words
from kubestage.server.request_faults import CODES, VERBS, WRITES, FaultRule
from kubestage.store.admission import failing_webhook
from kubestage.testing.clusters import naming, webhooks, zones

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.server.fanout import CutMode
    from kubestage.testing.clusters.cluster import Cluster

_VERBS: Final = {**{verb: frozenset({verb}) for verb in VERBS}, "write": WRITES, "*": frozenset()}


class Fault:
    """A fault that lasts until `end` is called, or the block ends that it opens."""

    def __init__(self, end: Callable[[], None], rule: FaultRule | None = None) -> None:
        self._end: Callable[[], None] | None = end
        self._rule = rule

    @property
    def met(self) -> int:
        """How many requests have met it."""
        return 0 if self._rule is None else self._rule.met

    def end(self) -> None:
        """Have all be well again; once is enough."""
        end, self._end = self._end, None
        if end is not None:
            end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


class Faults:
    """Breaks a cluster. Every fault may be a block: ``with cluster.faults.zone_down("a"): ...``"""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._open: dict[Fault, None] = {}

    def node_down(self, *names: str) -> Fault:
        """Have nodes fall silent: kubelets report nothing, pods there answer nothing.

        As time passes the node is NotReady (40 s), and its pods are evicted (300 s more).
        """
        nodes = self._nodes([f"node/{name}" for name in names])
        return self._silence(nodes)

    def zone_down(self, zone: str) -> Fault:
        """Have all nodes of a zone fall silent."""
        found = self._cluster.do(lambda: zones.nodes_of(self._cluster.store, zone, None))
        return self._silence(found)

    def refuse(
        self,
        code: int,
        *,
        verb: str = "*",
        kind: str | None = None,
        name: str | None = None,
        namespace: str | None = None,
        times: int | None = 1,
        message: str = "",
    ) -> Fault:
        """Refuse the next requests of that verb, kind and name with 409, 429, 500 or another code.

        `verb` is get, list, watch, create, update, patch, delete or deletecollection, ``write`` for
        all that change something, ``*`` for all. `times` is how many requests; None: all.
        """
        if code not in CODES:
            known = ", ".join(map(str, CODES))
            raise InputError(f"{code} is no code of a refusal", path="refuse", fix=f"use {known}")
        rule = self._rule(verb, kind, name, namespace, times)
        rule.code, rule.message = code, message
        return self._add(rule)

    def slow(
        self,
        seconds: float,
        *,
        verb: str = "*",
        kind: str | None = None,
        name: str | None = None,
        namespace: str | None = None,
        times: int | None = None,
    ) -> Fault:
        """Have requests answered late: over HTTP in real time, in this process in virtual time."""
        if seconds <= 0:
            raise InputError(f"{seconds} is no delay", path="slow", fix="write a number above 0")
        rule = self._rule(verb, kind, name, namespace, times)
        rule.delay_s = float(seconds)
        return self._add(rule)

    def cut_watches(self, kind: str | None = None, *, how: CutMode = "end") -> int:
        """End open watches: ``end`` as if their time were up, ``drop`` by a lost connection,
        ``expired`` with 410, after which a client lists again. Returns how many there were.

        Watches are open over HTTP, so this is for `cluster_server`.
        """
        return self._cluster.cut_watches(kind, how)

    def fail_webhook(
        self,
        name: str,
        *,
        kinds: Iterable[str] = (),
        operations: Iterable[str] = ("CREATE", "UPDATE"),
        cause: str = failing_webhook.REFUSED,
    ) -> Fault:
        """Have a validating webhook fail without which nothing is admitted (failurePolicy Fail).

        Which requests it is called for is read from the configuration that has a webhook of this
        name; without one, it is called for all objects of these `kinds`. Clients and controllers
        are refused: ``failed calling webhook ...``.
        """
        store = self._cluster.store
        check = self._cluster.do(lambda: webhooks.failing(store, name, kinds, operations, cause))
        if check is None:
            return self._opened(lambda: None)
        self._cluster.do(lambda: store.add_check(check))
        return self._opened(lambda: self._cluster.do(lambda: store.remove_check(check)))

    def clear(self) -> None:
        """End all faults."""
        for fault in tuple(self._open):
            fault.end()

    def _silence(self, nodes: list[str]) -> Fault:
        self._annotate(nodes, STOPPED)
        return self._opened(lambda: self._annotate(nodes, None))

    def _annotate(self, nodes: list[str], value: str | None) -> None:
        store = self._cluster.store
        patch = {"metadata": {"annotations": {HEARTBEAT: value}}}

        def annotate() -> None:
            for name in nodes:
                if name in store.read(gvk.NODE):
                    store.patch(gvk.NODE, name, patch)

        # The clock of a server does not jump for it: the test says how long nodes are silent.
        self._cluster.do(annotate)

    def _nodes(self, words: list[str]) -> list[str]:
        if not words:
            raise InputError("no node is named", path="node_down", fix='write it as in "node-1"')
        known = self._cluster.store.read(gvk.NODE)
        return self._cluster.do(
            lambda: [name for word in words for name in node_words.of_word(known, word)]
        )

    def _rule(
        self,
        verb: str,
        kind: str | None,
        name: str | None,
        namespace: str | None,
        times: int | None,
    ) -> FaultRule:
        verbs = _VERBS.get(verb)
        if verbs is None:
            fix = f"use {', '.join(VERBS)}, write or *"
            raise InputError(f'"{verb}" is no verb', path="verb", fix=fix)
        if times is not None and times < 1:
            raise InputError(f"{times} is no number of requests", path="times", fix="use 1 or None")
        store = self._cluster.store
        row = None
        if kind is not None:
            row = self._cluster.do(lambda: naming.kind_of(store, kind))
        group_and_plural = None if row is None else (row.group, row.plural)
        return FaultRule(verbs, group_and_plural, namespace, name, times)

    def _add(self, rule: FaultRule) -> Fault:
        rules = self._cluster.request_faults.rules
        self._cluster.do(lambda: rules.append(rule))
        return self._opened(lambda: self._cluster.do(lambda: _remove(rules, rule)), rule)

    def _opened(self, end: Callable[[], Any], rule: FaultRule | None = None) -> Fault:
        def close() -> None:
            self._open.pop(fault, None)
            end()

        fault = Fault(close, rule)
        self._open[fault] = None
        return fault


def _remove(rules: list[FaultRule], rule: FaultRule) -> None:
    if rule in rules:
        rules.remove(rule)
