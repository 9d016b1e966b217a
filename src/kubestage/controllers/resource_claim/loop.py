"""The resource claim controller: handles the claims of pods for devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.controller import Cluster, Controller, Retry
from kubestage.controllers.ownership import is_controlled_by
from kubestage.controllers.resource_claim import pod_claims
from kubestage.controllers.resource_claim.making import Maker
from kubestage.controllers.resource_claim.pod_claims import (
    CLAIM,
    CLAIM_KIND,
    FINALIZER,
    TEMPLATE_KIND,
    PodIndex,
)
from kubestage.errors import NotFound
from kubestage.store.event_recorder import WARNING
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Handlers
    from kubestage.controllers.lister import Lister
    from kubestage.store.log import Change
    from kubestage.store.store import Store


class Releaser:
    """Removes users that are no more; without any, devices are given back.

    A claim that was made for a pod goes when the pod is done, though the pod may stay.
    """

    def __init__(self, store: Store, lister: Lister) -> None:
        self._store = store
        self._lister = lister

    def sync(self, key: str) -> None:
        """See whether a claim's users are there, and what follows if they are not."""
        claim = self._lister.get(CLAIM, key)
        if claim is None:
            return
        namespace = claim["metadata"]["namespace"]
        status = claim.get("status") or {}
        users = status.get("reservedFor") or []
        left = [each for each in users if self._is_user(namespace, each)]
        is_protected = FINALIZER in (claim["metadata"].get("finalizers") or ())
        if len(left) < len(users):
            new_status = {**status, "reservedFor": left}
            if not left:
                del new_status["reservedFor"]
                if is_protected:
                    new_status = _deallocated(new_status)
            claim = self._store.record_status(CLAIM, key, new_status)
            if is_protected and "allocation" not in new_status:
                self._unprotect(key, claim)
        elif is_protected and "deletionTimestamp" in claim["metadata"] and not left:
            claim = self._store.record_status(CLAIM, key, _deallocated(status))
            self._unprotect(key, claim)
        if not left:
            self._delete_if_unused(claim)

    def _is_user(self, namespace: str, user: Json) -> bool:
        """Whether a user may still use the claim; of others than pods nothing is known."""
        if user.get("apiGroup") or user.get("resource") != "pods":
            return True
        pod = self._lister.get(pods.POD, f"{namespace}/{user.get('name', '')}")
        if pod is None or pod["metadata"]["uid"] != user.get("uid"):
            return False
        return not pod_claims.is_done(pod)

    def _unprotect(self, key: str, claim: Json) -> None:
        metadata: Json = dict(claim["metadata"])
        metadata["finalizers"] = [each for each in metadata["finalizers"] if each != FINALIZER]
        if not metadata["finalizers"]:
            del metadata["finalizers"]
        self._store.record_metadata(CLAIM, key, metadata)

    def _delete_if_unused(self, claim: Json) -> None:
        """The pod's end is enough; the garbage collector waits until the pod is gone."""
        metadata = claim["metadata"]
        for owner in metadata.get("ownerReferences") or ():
            if owner.get("controller") and (owner["apiVersion"], owner["kind"]) == pods.POD:
                pod = self._lister.get(pods.POD, f"{metadata['namespace']}/{owner['name']}")
                if pod is None:
                    return
                if pod["metadata"]["uid"] != owner["uid"] or pod_claims.is_done(pod):
                    self._delete(metadata["name"], metadata["namespace"])
                return

    def _delete(self, name: str, namespace: str) -> None:
        try:
            self._store.delete(CLAIM, name, namespace)
        except NotFound:
            # It was to be deleted anyway, and went with its last finalizer.
            return


def _deallocated(status: Json) -> Json:
    """A status without devices; what drivers wrote about them goes with them."""
    return {name: each for name, each in status.items() if name not in ("allocation", "devices")}


_CLAIM: Final = "claim:"
_POD: Final = "pod:"


class ResourceClaimController(Controller):
    """Makes claims from templates, reserves them for pods on nodes, and takes them back."""

    name = "resource_claim"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._pods = PodIndex()
        self._maker = Maker(self.store, self.lister)
        self._releaser = Releaser(self.store, self.lister)

    def handlers(self) -> Handlers:
        """Pods with claims, claims, and the templates that they are made from."""
        return {
            ("", "Pod"): self._on_pod,
            CLAIM_KIND: self._on_claim,
            TEMPLATE_KIND: self._on_template,
        }

    def _on_pod(self, change: Change) -> None:
        pod = change.new
        if not pod_claims.concerns(pod):
            return
        self._pods.on_pod(change)
        if change.type == DELETED:
            self._release(pod)
        else:
            self._consider(pod, change.key)

    def _on_claim(self, change: Change) -> None:
        if change.type != DELETED:
            self.queue.add(_CLAIM + change.key)
        for key in self._pods.of_claim(change.key):
            self._consider_key(key)

    def _on_template(self, change: Change) -> None:
        if change.type != DELETED:
            for key in self._pods.of_template(change.key):
                self._consider_key(key)

    def _consider_key(self, key: str) -> None:
        pod = self.lister.get(pods.POD, key)
        if pod is not None:
            self._consider(pod, key)

    def _consider(self, pod: Json, key: str) -> None:
        if pod_claims.is_done(pod):
            self._release(pod)
        if self._needs_work(pod):
            self.queue.add(_POD + key)

    def _release(self, pod: Json) -> None:
        for claim in pod_claims.keys_of(pod):
            self.queue.add(_CLAIM + claim)
        extended = pod_claims.extended_key(pod)
        if extended is not None:
            self.queue.add(_CLAIM + extended)

    def _needs_work(self, pod: Json) -> bool:
        """Whether a pod has a claim that is to be made, or to be reserved for it.

        Upstream leaves out pods that have ended only because it remembers their claims for an hour.
        """
        if not pods.is_active(pod):
            return False
        namespace, is_placed = pod["metadata"]["namespace"], bool(pod["spec"].get("nodeName"))
        for each in pod_claims.stated(pod):
            name, problem = pod_claims.name_of(pod, each)
            if problem:
                return True
            if name is None:
                continue
            claim = self.lister.get(CLAIM, f"{namespace}/{name}")
            if claim is None:
                if each.get("resourceClaimTemplateName") is not None:
                    return True
            elif pod_claims.is_generated(each) and not is_controlled_by(claim, pod):
                continue
            elif is_placed and pod_claims.is_unreserved(pod, claim):
                return True
        return False

    def sync(self, key: str) -> None:
        """Sync a pod, or a claim."""
        if key.startswith(_CLAIM):
            self._releaser.sync(key.removeprefix(_CLAIM))
            return
        key = key.removeprefix(_POD)
        pod = self.lister.get(pods.POD, key)
        if pod is not None and pods.is_active(pod):
            pod = self._with_claims(key, pod)
            if pod["spec"].get("nodeName"):
                self._reserve(pod)

    def _with_claims(self, key: str, pod: Json) -> Json:
        """See that all claims of a pod are there; the pod as it is then."""
        created: dict[str, str] = {}
        for each in pod_claims.stated(pod):
            try:
                name = self._maker.make(pod, each)
            except Retry as problem:
                text = f"PodResourceClaim {each['name']}: {problem}"
                self.events.event(pod, WARNING, "FailedResourceClaimCreation", text)
                raise Retry(f"pod {key}, {text}") from problem
            if name is not None:
                created[each["name"]] = name
        return self._maker.record(key, pod, created) if created else pod

    def _reserve(self, pod: Json) -> None:
        """Reserve its claims for a pod that was bound without the scheduler."""
        metadata = pod["metadata"]
        for each in pod_claims.stated(pod):
            name, problem = pod_claims.name_of(pod, each)
            if problem:
                raise Retry(problem)
            if name is None:
                continue
            claim_key = f"{metadata['namespace']}/{name}"
            claim = self.lister.get(CLAIM, claim_key)
            if claim is None:
                return
            if pod_claims.is_generated(each) and not is_controlled_by(claim, pod):
                raise Retry(pod_claims.not_owner(pod, claim))
            if pod_claims.is_unreserved(pod, claim):
                status = claim["status"]
                user = {"resource": "pods", "name": metadata["name"], "uid": metadata["uid"]}
                users = [*(status.get("reservedFor") or ()), user]
                self.store.record_status(CLAIM, claim_key, {**status, "reservedFor": users})
