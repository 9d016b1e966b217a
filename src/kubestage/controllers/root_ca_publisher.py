"""The root CA certificate publisher: in each namespace, what pods trust the API server by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.errors import Forbidden, NotFound
from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


NAME: Final = "kube-root-ca.crt"
_ABOUT: Final = "kubernetes.io/description"
_DESCRIPTION: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters."
)


def certificate_of(cluster: Cluster) -> str:
    """What is published in a cluster: as it is set, else that of its API server, if any."""
    bootstrap = cluster.store.bootstrap
    return cluster.settings.root_ca_cert or (bootstrap.certificate if bootstrap else "")


class RootCACertPublisher(Controller):
    """Keeps one ConfigMap in every namespace. Keys are names of namespaces."""

    name = "root-ca-certificate-publisher-controller"

    def handlers(self) -> Handlers:
        """Namespaces, and what is published in them."""
        return {("", "Namespace"): self._on_namespace, ("", "ConfigMap"): self._on_config_map}

    def _on_namespace(self, change: Change) -> None:
        if not certificate_of(self.cluster):
            return
        phase = (change.new.get("status") or {}).get("phase")
        if change.type == ADDED or (change.type != DELETED and phase == "Active"):
            self.queue.add(change.key)

    def _on_config_map(self, change: Change) -> None:
        metadata = change.new["metadata"]
        is_ours = metadata["name"] == NAME and change.type != ADDED
        if is_ours and certificate_of(self.cluster):
            self.queue.add(metadata["namespace"])

    def sync(self, key: str) -> None:
        """Publish in one namespace, or restore what was changed."""
        certificate = certificate_of(self.cluster)
        if not certificate or self.lister.get(gvk.NAMESPACE, key) is None:
            return
        data = {"ca.crt": certificate}
        found = self.lister.get(gvk.CONFIG_MAP, f"{key}/{NAME}")
        if found is None:
            self._create(key, data)
            return
        annotations = found["metadata"].get("annotations") or {}
        if found.get("data") == data and annotations.get(_ABOUT):
            return
        metadata = {**found["metadata"], "annotations": {**annotations, _ABOUT: _DESCRIPTION}}
        self.store.update({**found, "metadata": metadata, "data": data})

    def _create(self, namespace: str, data: Json) -> None:
        metadata = {"name": NAME, "namespace": namespace, "annotations": {_ABOUT: _DESCRIPTION}}
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
        try:
            self.store.create(config_map)
        except NotFound:
            # The namespace is gone.
            return
        except Forbidden as refusal:
            causes = refusal.details.get("causes") or ()
            if not any(each.get("reason") == "NamespaceTerminating" for each in causes):
                raise
