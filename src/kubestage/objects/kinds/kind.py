"""One kind of the API: how it is named, scoped and addressed, and how its objects are treated."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from kubestage import lazy

with lazy.imports():
    from kubestage.objects.kinds import loader

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds.behavior import Behavior


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """One row of the kind table; rows are equal if their names are."""

    group: str
    """The API group, empty for the core group."""
    version: str
    """The version within the group: ``v1``."""
    kind: str
    """The name of the kind: ``Deployment``."""
    plural: str
    """The name in URLs: ``deployments``."""
    singular: str = ""
    """The name that people type for one object; the kind in lower case if empty."""
    namespaced: bool = True
    """Whether objects live in namespaces."""
    short_names: tuple[str, ...] = ()
    """Abbreviations: ``deploy``."""
    categories: tuple[str, ...] = ()
    """Groups of kinds that people type: ``all``."""
    subresources: frozenset[str] = frozenset()
    """Parts with an address of their own: ``status``, ``scale``."""
    definition: Json | None = dataclasses.field(default=None, compare=False)
    """The version entry of the CustomResourceDefinition that added the row, with its schema,
    subresources and printer columns; None for built-in kinds."""
    stored_as: tuple[str, str] | None = None
    """The apiVersion and kind of the row whose objects this one shows, if it has none of its own
    (see ``conversion``)."""
    conversion_webhook: Json | None = dataclasses.field(default=None, compare=False)
    """The webhook by which a CustomResourceDefinition has its objects converted between versions;
    None if they only get another apiVersion. Objects are then stored in the version of their last
    write, which need not be the one that is stored now."""
    old_versions: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    """API versions that are still decoded, though no longer served."""
    declared: Behavior | None = dataclasses.field(default=None, compare=False, repr=False)
    """The behavior that the module of a built-in kind declares. A row of the table gets it with
    the first use of `behavior`."""

    def __post_init__(self) -> None:
        if not self.singular:
            object.__setattr__(self, "singular", self.kind.lower())

    @property
    def api_version(self) -> str:
        """``apps/v1``, or ``v1`` for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def resource(self) -> str:
        """``deployments.apps``, as error messages and kubectl name a kind."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def list_kind(self) -> str:
        """The kind of a list of these."""
        return f"{self.kind}List"

    @property
    def behavior(self) -> Behavior:
        """How the API treats objects of this kind; its module is loaded at the first use."""
        found = self.declared
        if found is None:
            found = loader.behavior(self.api_version, self.kind)
            object.__setattr__(self, "declared", found)
        return found

    def __getstate__(self) -> list[Any]:
        """What is pickled: names only, because a behavior is code."""
        names = (each.name for each in dataclasses.fields(self))
        return [None if name == "declared" else getattr(self, name) for name in names]
