"""What Karpenter wants to know of a cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types.types import InstanceType


class InstanceTypeProvider(Protocol):
    """Lists instance types and notices when a machine is no longer as its class wants it."""

    @property
    def well_known(self) -> frozenset[str]:
        """Labels that pods may ask for without a NodePool that defines them."""

    @property
    def reserved_labels(self) -> frozenset[str]:
        """Labels that only reserved machines have."""

    @property
    def reservation_label(self) -> str:
        """The label that names a reservation; empty if there are none."""

    def types_of(self, node_pool: Json) -> Sequence[InstanceType]:
        """The instance types of a NodePool."""

    def drift_reason(self, node_claim: Json) -> str:
        """Why a NodeClaim has drifted from its NodeClass; empty if it has not."""
