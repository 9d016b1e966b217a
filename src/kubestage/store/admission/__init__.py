"""Admission: what the cluster adds to a request, and what it refuses though it is well-formed.

One plugin of the API server a file, under its name. A *step* ``(core, kind, obj, old) -> obj`` may
change an object before it is validated (it returns a new dict, never the same one mutated); a
*check* ``(core, request)`` may refuse it afterwards. `old` is None on create. A store runs the
tuples that it was made with; recorded clusters are loaded with none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store import service_addresses
from kubestage.store.admission import (
    admin_access,
    claim_resize,
    default_ingress_class,
    default_storage_class,
    default_tolerations,
    dynamic,
    limit_ranger,
    node_declared_features,
    node_restriction,
    pod_resize,
    pod_security,
    pod_topology_labels,
    priority,
    rbac_escalation,
    resource_quota,
    runtime_class,
    service_account,
    storage_protection,
)
from kubestage.store.admission.admission_request import AdmissionRequest

if TYPE_CHECKING:
    from kubestage.store.admission.admission_request import Check, Step

__all__ = ["CHECKS", "DEFAULT", "LAST", "READS", "AdmissionRequest"]

READS: Final = frozenset(
    {priority.PRIORITY_CLASS, runtime_class.RUNTIME_CLASS, limit_ranger.LIMIT_RANGE}
)
"""The kinds that the steps look at besides a pod itself."""

DEFAULT: Final[tuple[Step, ...]] = (
    limit_ranger.admit,
    service_account.admit,
    priority.admit,
    default_tolerations.admit,
    default_storage_class.admit,
    storage_protection.admit,
    runtime_class.admit,
    default_ingress_class.admit,
    pod_topology_labels.admit,
    admin_access.admit,
    service_addresses.allocate,
)
"""The steps of a store by default, in upstream's order."""

LAST: Final[tuple[Step, ...]] = (service_addresses.allocate,)
"""The steps after all that policies and webhooks change."""

CHECKS: Final[tuple[Check, ...]] = (
    rbac_escalation.check,
    limit_ranger.check,
    service_account.check,
    node_restriction.check,
    pod_security.check,
    claim_resize.check,
    runtime_class.check,
    node_declared_features.check,
    pod_resize.check,
    admin_access.check,
    dynamic.check,
    resource_quota.check,
)
"""The checks, likewise. The quota comes last: it charges for what all others let pass."""
