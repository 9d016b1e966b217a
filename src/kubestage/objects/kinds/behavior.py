"""What the API does to the objects of one kind.

Every field has the value that most kinds need, so that a plain kind declares next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects.validation import names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.ownership.filters import Filter
    from kubestage.objects.quota.evaluator import Evaluator
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

    Complete = Callable[[Json], None]
    Convert = Callable[[Json], Json]
    PrepareUpdate = Callable[[Json, Json, str | None], None]
    ValidateUpdate = Callable[[Json, Json], list[FieldError]]
    WarnUpdate = Callable[[Json, Json], list[str]]

CREATE: Final = "create"
"""The name of a creation among subresources, see `Behavior.validates_metadata`."""


class Behavior(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """How objects of a kind are completed, prepared, validated, printed and counted.

    Mappings have a subresource as key; the empty one is the object itself. Functions that return
    None change the object in place; it is normalized, and shares nothing with what was sent.
    """

    # Defaults and storage (`defaulting`, `conversion`).

    default: Complete | None = None
    """Completes an object: an optional field that is empty is absent, a mandatory one is there."""
    default_from_sent: Callable[[Json, Json, str | None], None] | None = None
    """As `default`, if defaults also depend on the object as it was sent, or on the time."""
    round_trip: Complete | None = None
    """What the server's internal version changes in a completed object: both spellings of a field
    are filled from the one that is there."""
    stored_as_sent: bool = False
    """Whether objects are stored as they were sent, as custom resources are, although the type
    table declares the kind."""
    to_stored: Convert | None = None
    """Converts a served object, if the kind is stored as another one."""
    to_served: Convert | None = None
    """Converts a stored object, if the kind is stored as another one."""

    # Preparation (`strategy`).

    prepare_create: Callable[[Json, str | None], None] | None = None
    """Prepares a new object for validation; the time comes with it."""
    prepare_update: Mapping[str, PrepareUpdate] = {}
    """Prepares a changed object: what the request may not change is taken from the old one."""
    generation_fields: tuple[str, ...] | None = None
    """The fields that count: a change of one is a new generation. None: there are none."""
    generation_metadata: str = ""
    """The part of the metadata that counts as well."""
    generation_at_create: bool = True
    """Whether a new object has generation 1 already."""
    clears_status: bool = True
    """Whether a new object loses its status, if that is a subresource."""
    empty_lists: tuple[tuple[str, ...], ...] = ()
    """Paths of lists that are stored as null if they are empty; ``*`` is every item of a list."""
    canonicalize: Convert | None = None
    """The last change before an object is stored, after validation."""
    read_back: Convert | None = None
    """The object as it is read after it was stored, which completes it once more."""

    # Validation (`validation.rules`).

    name_rule: names.NameRule = names.name_is_dns_subdomain
    """What a name must look like."""
    validate: Callable[[Json], list[FieldError]] | None = None
    """The rules for a new object, after those for its metadata."""
    validate_update: Mapping[str, ValidateUpdate] = {}
    """The rules for a changed object, after those for its metadata."""
    validates_metadata: tuple[str, ...] = ()
    """The rules that validate the metadata themselves, because they do so in another order or in
    another way: subresources, and `CREATE`."""

    # Warnings (`warnings`).

    warn_sent: Callable[[Json], list[str]] | None = None
    """Warnings about a new object as it was sent."""
    warn: Callable[[Json], list[str]] | None = None
    """Warnings about a new object, and about every changed one."""
    warn_create: Callable[[Json], list[str]] | None = None
    """Warnings about a new object, if they are not `warn`."""
    warn_update: Mapping[str, WarnUpdate] = {}
    """Warnings about a changed object, if they are not `warn`."""

    # Tables (`tables`).

    cells: Callable[[Json, int], list[Cell]] | None = None
    """The row of an object at a time; its columns are in ``tables/columns.txt``. None: the name
    and the creation date, or the columns of the definition of a custom resource."""
    row_conditions: Callable[[Json], list[dict[str, str]]] | None = None
    """Conditions of the row of an object as a whole."""
    served_plain: bool = False
    """Whether the API server shows name and creation date only, although there are cells."""

    # Requests (`ownership`, `quota`, the store).

    reset_fields: Mapping[str, Filter] = {}
    """Fields that a request cannot change, where it is not the usual: the object itself does not
    reach its status, and the status nothing else."""
    status_resets_metadata: bool = False
    """Whether the metadata, too, stays as it was when the status is written."""
    quota: Evaluator | None = None
    """How objects are charged to a ResourceQuota. None: they are counted."""
    is_counted: bool = True
    """Whether a ResourceQuota can limit objects of this kind at all."""
    quota_name: str = ""
    """A name by which quotas count objects besides ``count/<resource>``."""
    unconditional_update: bool = True
    """Whether an update without a resourceVersion replaces whatever version there is."""
    create_on_update: bool = False
    """Whether an update creates an object that does not exist."""
    generates_name: bool = False
    """Whether a new object without any name gets one."""
    completed_when_read: Callable[[Json], bool] | None = None
    """Whether a new object is stored without defaults that it is then read with."""
    orphans_dependents: bool = False
    """Whether dependents stay if a deletion names no propagation policy."""
    has_dependents: bool = True
    """Whether objects can own others, so that deletion policies mean something."""
    is_cached: bool = True
    """Whether the real API server reads objects from its cache."""
    outlasts_reset: bool = False
    """Whether objects stay when a Scenario empties the cluster."""
    storage_prefix: str = ""
    """The prefix of storage keys below ``/registry``, if it is not the plural name."""


CUSTOM_RESOURCE: Final = Behavior(unconditional_update=False)
"""The behavior of kinds that are not built in; `custom` knows their schemas."""
