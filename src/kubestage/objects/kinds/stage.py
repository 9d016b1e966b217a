"""What the API does to a Stage."""

from __future__ import annotations

from typing import Final

from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind

KIND: Final = Kind(
    group="kwok.x-k8s.io",
    version="v1alpha1",
    kind="Stage",
    plural="stages",
    namespaced=False,
    subresources=frozenset({"status"}),
    declared=Behavior(
        unconditional_update=False,
    ),
)
