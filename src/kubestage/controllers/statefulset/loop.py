"""The loop of StatefulSets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import history
from kubestage.controllers.controller import Controller, Retry
from kubestage.controllers.ownership import Claims
from kubestage.controllers.pods import POD
from kubestage.controllers.rosters import Rosters
from kubestage.controllers.statefulset import identity, revisions
from kubestage.controllers.statefulset.members import Members
from kubestage.controllers.statefulset.stateful_pod_control import StatefulPodControl
from kubestage.controllers.statefulset.update import Update
from kubestage.errors import ApiError
from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.statefulset.revisions import RevisionChoice
    from kubestage.store.log import Change

_COMPARED: Final = (
    "replicas",
    "currentReplicas",
    "readyReplicas",
    "updatedReplicas",
    "availableReplicas",
    "currentRevision",
    "updateRevision",
)


# Upstream is not notified of claims. It finds that one is gone at the next sync for another
# reason, or when its informers resync.
_RESYNC_NS: Final = 12 * 3_600 * 1_000_000_000


class StatefulSetController(Controller):
    """Makes the pods of StatefulSets, one after another or all at once, and renews them."""

    name = "statefulset-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._control = StatefulPodControl(self.store, self.events)
        self._pods = Rosters(self.lister, POD)
        self._revisions = Rosters(self.lister, history.REVISION)
        self._rng = cluster.streams.stream("controllers/statefulset")
        self._members: dict[str, Members] = {}
        self._sets_by_claim: dict[str, str] = {}

    def handlers(self) -> Handlers:
        """Sets and their pods; claims and revisions are recorded for the next sync."""
        return {
            ("apps", "StatefulSet"): self._on_stateful_set,
            ("", "Pod"): self._on_pod,
            ("", "PersistentVolumeClaim"): self._on_claim,
            ("apps", "ControllerRevision"): self._on_revision,
        }

    def _on_stateful_set(self, change: Change) -> None:
        key, found = change.key, change.new
        if change.type == ADDED:
            rosters = self._pods.open(key, found), self._revisions.open(key, found)
            self._members[key] = Members(*rosters)
            for prefix in _claim_prefixes(found):
                self._sets_by_claim[prefix] = key
        elif change.type == DELETED:
            self._pods.close(key)
            self._revisions.close(key)
            del self._members[key]
            for prefix in _claim_prefixes(found):
                self._sets_by_claim.pop(prefix, None)
        self.queue.add(key)

    def _on_pod(self, change: Change) -> None:
        for roster in self._pods.on_change(change):
            self.queue.add(roster.key)

    def _on_revision(self, change: Change) -> None:
        self._revisions.on_change(change)

    def _on_claim(self, change: Change) -> None:
        prefix, _, ordinal = change.key.rpartition("-")
        key = self._sets_by_claim.get(prefix)
        if key is not None and ordinal.isdecimal():
            self._members[key].unverified.add(int(ordinal))

    def sync(self, key: str) -> None:
        """Take the steps for one set that can be taken, and write its status."""
        found = self.lister.get(gvk.STATEFUL_SET, key)
        if found is None:
            return
        now_ns, members = self.clock.unix_ns, self._members[key]
        self._settle_revisions(found, members)
        owner = identity.Owner(found["metadata"]["name"])
        claims = Claims(self.store, found, members.roster.selector, accepts=owner.is_named_by)
        members.settle(self.lister.collection(POD).objects, claims, now_ns)
        choice = self._choose(found, members)
        members.arrange(found, choice.update, now_ns)
        members.verify(found, self._control.claims)
        update = Update(self._control, members, found, choice, self._rng, self.allowance)
        failure: ApiError | Retry | None = None
        if "deletionTimestamp" not in found["metadata"]:
            try:
                update.run()
            except (ApiError, Retry) as error:
                failure = error
        self._report(key, found, _new_status(found, members, choice, update.replaced))
        live = {health.revision for health in members.counts} | {choice.current, choice.update}
        revisions.truncate(self.store, found, members.listed, live)
        if failure is not None:
            raise failure
        if update.waits_for_claims:
            self.queue.add_after(key, _RESYNC_NS)
        if members.next_due_ns is not None:
            self.queue.add_at(key, members.next_due_ns)

    def _settle_revisions(self, found: Json, members: Members) -> None:
        roster = members.revisions
        claim = revisions.RevisionClaims(self.store, found, roster.selector)
        objects = self.lister.collection(history.REVISION).objects
        for _ in roster.settle(objects, claim):
            members.choice = None
        if members.choice is None:
            members.listed = history.in_order(roster.members.values())

    def _choose(self, found: Json, members: Members) -> RevisionChoice:
        state = found.get("status") or {}
        generation = found["metadata"].get("generation")
        key = generation, state.get("collisionCount"), state.get("currentRevision")
        if members.choice is None or members.choice_key != key:
            members.choice = revisions.choose(self.store, found, members.listed)
            members.choice_key = key
        return members.choice

    def _report(self, key: str, found: Json, new: Json) -> None:
        if _differs(new, found.get("status") or {}):
            self.store.record_status(gvk.STATEFUL_SET, key, new)


def _claim_prefixes(stateful_set: Json) -> list[str]:
    """The keys of a set's claims without the ordinal."""
    metadata = stateful_set["metadata"]
    return [
        f"{metadata['namespace']}/{template['metadata']['name']}-{metadata['name']}"
        for template in identity.claim_templates(stateful_set)
    ]


def _new_status(
    stateful_set: Json, members: Members, choice: RevisionChoice, replaced: int
) -> Json:
    """The status of a set; pods that were just deleted to be replaced are current no more."""
    replicas = ready = available = current = updated = 0
    for health, count in members.counts.items():
        replicas += count
        if health.is_ready:
            ready += count
            if health.is_available:
                available += count
        if not health.is_terminating:
            if health.revision == choice.current:
                current += count
            if health.revision == choice.update:
                updated += count
    current -= replaced
    current_revision = choice.current
    spec = stateful_set["spec"]
    is_rolling = (spec.get("updateStrategy") or {}).get("type") == "RollingUpdate"
    if is_rolling and updated == ready == replicas == spec["replicas"]:
        current, current_revision = updated, choice.update
    counts = {
        "observedGeneration": stateful_set["metadata"].get("generation"),
        "readyReplicas": ready,
        "currentReplicas": current,
        "updatedReplicas": updated,
        "currentRevision": current_revision,
        "updateRevision": choice.update,
    }
    status: Json = {name: value for name, value in counts.items() if value}
    status["replicas"] = replicas
    status["availableReplicas"] = available
    status["collisionCount"] = choice.collision_count
    return status


def _differs(new: Json, old: Json) -> bool:
    """Whether a status differs from the one before."""
    if (new.get("observedGeneration") or 0) > (old.get("observedGeneration") or 0):
        return True
    return any((new.get(name) or 0) != (old.get(name) or 0) for name in _COMPARED)
