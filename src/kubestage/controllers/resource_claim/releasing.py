"""Takes claims back from pods that are done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import pods
from kubestage.controllers.resource_claim import pod_claims
from kubestage.controllers.resource_claim.pod_claims import CLAIM, FINALIZER
from kubestage.errors import NotFound

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.lister import Lister
    from kubestage.store.store import Store


class Releaser:
    """Removes users that are no more; without any, devices are given back.

    A claim that was made for a pod goes when the pod is done, though the pod may stay.
    """

    def __init__(self, store: Store, lister: Lister) -> None:
        self._store = store
        self._lister = lister

    def look_at(self, key: str) -> None:
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
            told = {**status, "reservedFor": left}
            if not left:
                del told["reservedFor"]
                if is_protected:
                    told = _deallocated(told)
            claim = self._store.record_status(CLAIM, key, told)
            if is_protected and "allocation" not in told:
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
