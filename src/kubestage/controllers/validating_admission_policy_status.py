"""The ValidatingAdmissionPolicy status controller: whether expressions fit their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.controller import Controller
from kubestage.objects.admission import type_check
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.controllers.controller import Handlers
    from kubestage.store.log import Change

GROUP: Final = "admissionregistration.k8s.io"
POLICY: Final = (f"{GROUP}/v1", "ValidatingAdmissionPolicy")


class ValidatingAdmissionPolicyStatusController(Controller):
    """Keys are names of policies."""

    name = "validatingadmissionpolicy-status"

    def handlers(self) -> Handlers:
        """Policies."""
        return {(GROUP, POLICY[1]): self._on_policy}

    def _on_policy(self, change: Change) -> None:
        if change.type != DELETED:
            self.queue.add(change.key)

    def sync(self, key: str) -> None:
        """Check the types of a policy that is new or changed, and report what does not fit."""
        policy = self.lister.get(POLICY, key)
        if policy is None:
            return
        generation = policy["metadata"].get("generation") or 0
        if generation <= ((policy.get("status") or {}).get("observedGeneration") or 0):
            return
        warnings = type_check.check(policy, self.store.kinds)
        checked = {"expressionWarnings": warnings} if warnings else {}
        status = {"observedGeneration": generation, "typeChecking": checked}
        config = {
            "apiVersion": POLICY[0],
            "kind": POLICY[1],
            "metadata": {"name": key},
            "status": status,
        }
        self.store.apply(POLICY, key, config, manager=self.name, force=True, subresource="status")
