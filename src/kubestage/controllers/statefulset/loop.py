"""The loop that looks after StatefulSets."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from kubestage.controllers import history
from kubestage.controllers.controller import Controller, Retry
from kubestage.controllers.ownership import Claims
from kubestage.controllers.pods import POD
from kubestage.controllers.rosters import Rosters
from kubestage.controllers.statefulset import identity, revisions, status
from kubestage.controllers.statefulset.members import Members
from kubestage.controllers.statefulset.stateful_pod_control import StatefulPodControl
from kubestage.controllers.statefulset.update import Update
from kubestage.errors import ApiError
from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.statefulset.revisions import Choice
    from kubestage.store.log import Change


# Upstream hears nothing of claims. It sees that one is out of the way when something else
# happens, or when its informers tell everything again.
_RESYNC_NS: Final = 12 * 3_600 * 1_000_000_000


class StatefulSetController(Controller):
    """Makes the pods of StatefulSets, one after another or all at once, and renews them."""

    name: ClassVar[str] = "statefulset-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._control = StatefulPodControl(self.store, self.events)
        self._pods = Rosters(self.lister, POD)
        self._revisions = Rosters(self.lister, history.REVISION)
        self._chance = cluster.streams.stream("controllers/statefulset")
        self._members: dict[str, Members] = {}
        self._sets_by_claim: dict[str, str] = {}

    def handlers(self) -> Handlers:
        """Sets and their pods; claims and revisions are noted for the next look."""
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
        for roster in self._pods.hear(change):
            self.queue.add(roster.key)

    def _on_revision(self, change: Change) -> None:
        self._revisions.hear(change)

    def _on_claim(self, change: Change) -> None:
        prefix, _, ordinal = change.key.rpartition("-")
        key = self._sets_by_claim.get(prefix)
        if key is not None and ordinal.isdecimal():
            self._members[key].unverified.add(int(ordinal))

    def sync(self, key: str) -> None:
        """Look at one set: take the steps that can be taken, and report."""
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
        update = Update(self._control, members, found, choice, self._chance, self.allowance)
        failure: ApiError | Retry | None = None
        if "deletionTimestamp" not in found["metadata"]:
            try:
                update.run()
            except (ApiError, Retry) as error:
                failure = error
        self._report(key, found, status.of(found, members, choice, update.replaced))
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

    def _choose(self, found: Json, members: Members) -> Choice:
        state = found.get("status") or {}
        generation = found["metadata"].get("generation")
        key = generation, state.get("collisionCount"), state.get("currentRevision")
        if members.choice is None or members.choice_key != key:
            members.choice = revisions.choose(self.store, found, members.listed)
            members.choice_key = key
        return members.choice

    def _report(self, key: str, found: Json, new: Json) -> None:
        if status.differs(new, found.get("status") or {}):
            self.store.record_status(gvk.STATEFUL_SET, key, new)


def _claim_prefixes(stateful_set: Json) -> list[str]:
    """What the keys of a set's claims begin with, but for the ordinal."""
    metadata = stateful_set["metadata"]
    return [
        f"{metadata['namespace']}/{template['metadata']['name']}-{metadata['name']}"
        for template in identity.claim_templates(stateful_set)
    ]
