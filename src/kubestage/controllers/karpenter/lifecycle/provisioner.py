"""The provisioner at work: it collects pods that fit nowhere, and makes NodeClaims for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels, provisioning
from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.disruption import starting
from kubestage.controllers.karpenter.lifecycle.at_work import is_going
from kubestage.controllers.karpenter.lifecycle.batches import Batch
from kubestage.controllers.karpenter.scheduling.options import Options
from kubestage.controllers.karpenter.state import pod_state
from kubestage.sim.periodic_timer import PeriodicTimer
from kubestage.store.event_recorder import WARNING
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.events import Event
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.controllers.karpenter.lifecycle.node_claim_makers import NodeClaimMaker
    from kubestage.sim.environment import Environment

KEY: Final = "provision"
_AGAIN_NS: Final = 10 * SECOND_NS
_UNSYNCED_NS: Final = SECOND_NS


class Provisioner:
    """Runs a pass when its batch of pods is complete, if anything has changed since the last."""

    def __init__(
        self,
        at_work: AtWork,
        context: Context,
        maker: NodeClaimMaker,
        environment: Environment,
    ) -> None:
        self._at_work = at_work
        self._timer = PeriodicTimer(
            environment, "Provisioner", "karpenter_pods_wait", _AGAIN_NS, self._look_again
        )
        self._context = context
        self._maker = maker
        self._batch = Batch(at_work.settings)
        self._waiting: dict[str, None] = {}
        self._has_changed = True
        self._warnings: list[Event] = []

    def notice(self) -> None:
        """Something has changed that a pass depends on."""
        self._has_changed = True

    def on_pod(self, pod: Json, *, gone: bool) -> None:
        """A pod may wait for a node, or not any more."""
        uid = pod["metadata"]["uid"]
        if gone or not pod_state.is_provisionable(pod):
            self._waiting.pop(uid, None)
            return
        self._wait(uid)

    def on_node(self, node: Json, *, gone: bool) -> None:
        """The pods of a node that goes wait for another."""
        uid = node["metadata"]["uid"]
        taint = labels.DISRUPTED_TAINT
        taints = (node.get("spec") or {}).get("taints") or ()
        is_disrupted = any((each["key"], each["effect"]) == (taint.key, taint.effect)
                           for each in taints)  # fmt: skip
        if gone or not is_disrupted:
            self._waiting.pop(uid, None)
            return
        self._wait(uid)

    def _look_again(self) -> None:
        """What still waits triggers once more."""
        if not self._waiting:
            self._timer.stop()
        for uid in self._waiting:
            self._trigger(uid)

    def sync(self) -> None:
        """Run a pass, if the window has closed."""
        if not self._batch.is_open:
            return
        left_ns = self._batch.left_ns(self._at_work.clock.now_ns)
        if left_ns > 0:
            self._at_work.wake(KEY, left_ns)
            return
        if not self._at_work.cluster.synced:
            self._at_work.wake(KEY, _UNSYNCED_NS)
            return
        self._batch.close()
        if self._has_changed:
            self._has_changed = False
            self._warnings = []
            self._run()
        else:
            # Another pass would find what the last one found.
            for each in self._warnings:
                self._at_work.publish(each)

    def _wait(self, uid: str) -> None:
        self._timer.start()
        if uid not in self._waiting:
            self._waiting[uid] = None
            self._trigger(uid)

    def _trigger(self, uid: str) -> None:
        now_ns = self._at_work.clock.now_ns
        if self._batch.trigger(uid, now_ns):
            self._at_work.wake(KEY, self._batch.left_ns(now_ns))

    def _run(self) -> None:
        at_work, context = self._at_work, self._context
        cluster = at_work.cluster
        cluster.now_ns = at_work.now_ns
        pools = [
            each
            for each in context.node_pools
            if each["spec"].get("replicas") is None
            and not is_going(each)
            and status.is_true(each, "Ready")
        ]
        found = provisioning.schedule(
            cluster,
            pools,
            {each["metadata"]["name"]: at_work.cloud.types_of(each) for each in pools},
            self._options(),
            placeholders=context.placeholders,
            publish=self._publish,
            cache=context.pools,
        )
        until_ns = at_work.now_ns + starting.nomination_ns(context)
        for placed in found.existing_nodes:
            if placed.pods:
                cluster.nominate(placed.node.provider_id, until_ns)
        self._maker.make(found.new_node_claims, nominates=True)

    def _publish(self, event: Event) -> None:
        if event.type == WARNING:
            self._warnings.append(event)
        self._at_work.publish(event)

    def _options(self) -> Options:
        settings, cloud = self._at_work.settings, self._at_work.cloud
        return Options(
            preference_policy=settings.preference_policy,
            min_values_policy=settings.min_values_policy,
            reserved_capacity=settings.reserved_capacity,
            strict_reservations=True,
            well_known=cloud.well_known,
            reservation_label=cloud.reservation_label,
        )
