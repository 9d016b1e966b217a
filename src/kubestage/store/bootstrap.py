"""What a cluster with an API server of its own knows of that server.

A simulation has none. A store that is served has one, and with it accounts, certificates and
recorded addresses in its namespaces; while a Scenario runs there is none either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects import names, strategy, timestamps
from kubestage.store import creating, custom_resources, field_managers
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.core import Core


class Bootstrap(msgspec.Struct, frozen=True, kw_only=True):
    """Where the API server of a cluster is reached, and by which certificate it is trusted."""

    address: str
    """An IP address, without brackets."""

    port: int

    certificate: str
    """The certificate of its authority, in PEM."""


def add(core: Core, obj: Json, manager: str, alike: Json | None = None) -> Json:
    """Store an object that the API server itself makes: defaulted, with fields of the manager.

    `alike` is one that was stored before in this way and has the same fields, whatever is in them.

    NOTE: nothing is admitted or checked, which would take as long again, and to find out what the
    fields are takes two thirds of the time; there are 160 objects.
    """
    kind = core.kinds.of(obj)
    now = timestamps.format_time(core.clock.unix_ns)
    shaped = strategy.wipe_system_fields(creating.defaulted(kind, obj, now))
    if alike is None:
        shaped = field_managers.created(core, kind, shaped, None, manager, now)
    else:
        shaped = field_managers.with_entries(shaped, alike["metadata"]["managedFields"])
    metadata: Json = shaped["metadata"]
    namespace = creating.request_namespace(kind, metadata, None)
    creating.place(metadata, namespace)
    metadata["uid"] = names.uid(core.uids_for(kind))
    metadata["creationTimestamp"] = now
    prepared = strategy.stored(custom_resources.prepare_for_create(kind, shaped, now))
    key = key_of(namespace, metadata["name"])
    return core.put(kind, key, {**prepared, "metadata": dict(prepared["metadata"])})
