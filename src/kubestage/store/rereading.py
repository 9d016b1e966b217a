"""Custom resources as they are read from storage: by the definition of now, not of their writing.

A changed definition changes what is read of the objects that are stored: defaults that it adds are
there, fields that it drops are not. Their versions do not change, no subscriber is notified, and
what was written is kept: a default that is taken back is gone again, unless the object was written
meanwhile.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.errors import BadRequest
from kubestage.objects import kinds
from kubestage.objects.custom import rows

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core


def reread(core: Core, row: Kind, spec: Json) -> None:
    """Read all objects of a kind again, each by the schema of the version that it is stored in."""
    stored = kinds.stored(row)
    if not rows.are_custom(stored):
        return
    by_version = _version_rows(stored, spec)
    collection = core.ledger.collection(row)
    for key in collection.keys(None):
        present = collection.objects[key]
        written = _as_written(core, present)
        own = by_version.get(written["apiVersion"])
        try:
            shown = written if own is None else rows.compiled(own).read(written)[0]
        except BadRequest:
            # Only metadata can be unreadable, and that was read before.
            shown = written
        _remember(core, written, is_same=shown == written)
        if shown != present:
            collection.put(key, written if shown == written else shown, present)


def _version_rows(stored: Kind, spec: Json) -> dict[str, Kind]:
    """A row for each version of a definition, served or not, by apiVersion."""
    found = [
        dataclasses.replace(stored, version=each["name"], definition=each, declared=None)
        for each in spec["versions"]
    ]
    return {row.api_version: row for row in found}


def _as_written(core: Core, present: Json) -> Json:
    metadata = present["metadata"]
    written = core.as_written.get(metadata["uid"])
    is_of_present = (
        written is not None
        and written["metadata"]["resourceVersion"] == metadata["resourceVersion"]
    )
    return written if written is not None and is_of_present else present


def _remember(core: Core, written: Json, *, is_same: bool) -> None:
    uid = written["metadata"]["uid"]
    if is_same:
        core.as_written.pop(uid, None)
    else:
        core.as_written[uid] = written
        # A write of what is read is no repetition.
        core.unread[uid] = written["metadata"]["resourceVersion"]
