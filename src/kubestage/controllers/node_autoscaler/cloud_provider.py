"""What the autoscaler needs of a provider of machines: target sizes, instances, more and fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.groups import Group

OUT_OF_RESOURCES: Final = "OutOfResource"
OTHER: Final = "Other"


class InstanceError(msgspec.Struct, frozen=True):
    """Why a machine could not be created; `kind` is the class of the error."""

    kind: str
    code: str
    message: str

    @property
    def reason(self) -> str:
        """Class and code, as Events name them."""
        return f"{self.kind}.{self.code}"


class Instance(msgspec.Struct, frozen=True):
    """A machine of a group; its `id` is the providerID of its node once it has registered."""

    id: str
    is_deleting: bool = False
    error: InstanceError | None = None

    @property
    def may_register(self) -> bool:
        """Whether a node is to be expected of it."""
        return not self.is_deleting and self.error is None


class CloudProvider(Protocol):
    """Knows groups and machines.

    A provider may refuse: `increase`, `decrease` and `delete` return why, or nothing
    if it is done. Groups are listed in an order that stays.
    """

    def groups(self) -> list[Group]:
        """All groups."""
        ...

    def group_of(self, node: Json) -> str:
        """The name of a node's group; empty if it belongs to none."""
        ...

    def target_size(self, name: str) -> int:
        """How many machines a group is to have."""
        ...

    def instances(self, name: str) -> list[Instance]:
        """The machines that a group has, in an order that stays."""
        ...

    def gpu_of(self, node: Json) -> str | None:
        """The resource of the GPUs that a node is to offer; None if it is to have none."""
        ...

    def increase(self, group: Group, count: int) -> str:
        """Request more machines."""
        ...

    def decrease(self, group: Group, count: int) -> str:
        """Request fewer machines than before; those that are there stay."""
        ...

    def delete(self, group: Group, ids: Sequence[str]) -> str:
        """Take machines away, their nodes with them, and want as many fewer."""
        ...


def instance_id(node: Json) -> str:
    """The machine of a node; a node that names none is its own."""
    found: str = (node.get("spec") or {}).get("providerID") or node["metadata"]["name"]
    return found
