"""The admission plugins by upstream's names, for those who run a cluster without some of them."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.store import admission
from kubestage.store.admission import (
    claim_resize,
    default_ingress_class,
    default_storage_class,
    default_tolerations,
    limit_ranger,
    node_declared_features,
    node_restriction,
    pod_resize,
    pod_security,
    pod_topology_labels,
    priority,
    resource_quota,
    runtime_class,
    service_account,
    storage_protection,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.store.admission.admission_request import Check, Step

_PLUGINS: Final[dict[str, tuple[Any, ...]]] = {
    "DefaultIngressClass": (default_ingress_class.admit,),
    "DefaultStorageClass": (default_storage_class.admit,),
    "DefaultTolerationSeconds": (default_tolerations.admit,),
    "LimitRanger": (limit_ranger.admit, limit_ranger.check),
    "NodeDeclaredFeatureValidator": (node_declared_features.check,),
    "NodeRestriction": (node_restriction.check,),
    "PersistentVolumeClaimResize": (claim_resize.check,),
    "PodResizeValidator": (pod_resize.check,),
    "PodSecurity": (pod_security.check,),
    "PodTopologyLabels": (pod_topology_labels.admit,),
    "Priority": (priority.admit,),
    "ResourceQuota": (resource_quota.check,),
    "RuntimeClass": (runtime_class.admit, runtime_class.check),
    "ServiceAccount": (service_account.admit, service_account.check),
    "StorageObjectInUseProtection": (storage_protection.admit,),
}
NAMES: Final = tuple(_PLUGINS)
"""The plugins that can be switched off."""


class ChosenPlugins(NamedTuple):
    """Steps and checks, for a `Store` to be made with."""

    admission: tuple[Step, ...]
    checks: tuple[Check, ...]


def without(names: Iterable[str]) -> ChosenPlugins:
    """All plugins but some; an unknown name is refused with the nearest one."""
    left_out: set[Any] = set()
    for name in names:
        if name not in _PLUGINS:
            near = difflib.get_close_matches(name, NAMES, n=1)
            fix = f"did you mean {near[0]}?" if near else f"there are {', '.join(NAMES)}"
            raise InputError(f'no admission plugin "{name}" that can be switched off', fix=fix)
        left_out.update(_PLUGINS[name])
    return ChosenPlugins(
        tuple(step for step in admission.DEFAULT if step not in left_out),
        tuple(check for check in admission.CHECKS if check not in left_out),
    )
