"""The service account controller: every namespace has an account that pods use by default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.errors import AlreadyExists, Forbidden, NotFound
from kubestage.objects import gvk
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.controllers.controller import Handlers
    from kubestage.store.log import Change

ACCOUNT: Final = ("v1", "ServiceAccount")
NAME: Final = "default"


class ServiceAccountsController(Controller):
    """Keeps the account `default` in every active namespace. Keys are names of namespaces."""

    name = "service-account-controller"

    def handlers(self) -> Handlers:
        """Namespaces, and accounts that are deleted."""
        return {("", "Namespace"): self._on_namespace, ("", "ServiceAccount"): self._on_account}

    def _on_namespace(self, change: Change) -> None:
        if change.type != DELETED and self.store.bootstrap is not None:
            self.queue.add(change.key)

    def _on_account(self, change: Change) -> None:
        if change.type == DELETED and self.store.bootstrap is not None:
            self.queue.add(change.new["metadata"]["namespace"])

    def sync(self, key: str) -> None:
        """Create the account of one namespace if it is missing."""
        namespace = self.lister.get(gvk.NAMESPACE, key)
        if self.store.bootstrap is None or namespace is None:
            return
        if (namespace.get("status") or {}).get("phase") != "Active":
            return
        if self.lister.get(ACCOUNT, f"{key}/{NAME}") is not None:
            return
        metadata = {"name": NAME, "namespace": key}
        try:
            self.store.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
        except (AlreadyExists, NotFound):
            # Somebody was faster, or the namespace is gone.
            return
        except Forbidden as refusal:
            causes = refusal.details.get("causes") or ()
            if not any(each.get("reason") == "NamespaceTerminating" for each in causes):
                raise
