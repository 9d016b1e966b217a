"""What the API server accepts, but warns about.

Here belongs advice that travels in ``Warning`` headers; what is refused belongs to
``validation``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects import schema
from kubestage.objects.custom import advice
from kubestage.objects.kinds import loader

if TYPE_CHECKING:
    from kubestage.aliases import Json


def on_create(obj: Json, sent: Json | None = None) -> list[str]:
    """Warnings about a new object; `sent` is the object before it was prepared."""
    found = [] if sent is None else repeated_owners(sent)
    key = (obj["apiVersion"], obj["kind"])
    behavior = loader.behavior(*key)
    warn = behavior.warn_create or behavior.warn
    if warn is None:
        return found + advice.on_instance(obj) if schema.kind_struct(*key) is None else found
    if behavior.warn_sent is not None:
        found += behavior.warn_sent(obj if sent is None else sent)
    return found + warn(obj)


def repeated_owners(sent: Json, when: str = "") -> list[str]:
    """A warning about owners that a request names more than once, and when that was seen."""
    owners = (sent.get("metadata") or {}).get("ownerReferences") or ()
    repeated: list[str] = []
    seen: set[bytes] = set()
    for owner in owners:
        known = len(seen)
        seen.add(msgspec.json.encode(owner, order="sorted"))
        if len(seen) == known:
            repeated.append(owner.get("uid") or "")
    if not repeated:
        return []
    warning = (
        f".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner "
        "references in 1.20+, and may reject such requests as early as 1.24; please fix your "
        f"requests; duplicate UID(s) observed: {', '.join(repeated)}"
    )
    return [warning]


def on_update(new: Json, old: Json, subresource: str = "") -> list[str]:
    """Warnings about a changed object."""
    key = (new["apiVersion"], new["kind"])
    if not subresource and schema.kind_struct(*key) is None:
        return advice.on_instance(new, old)
    behavior = loader.behavior(*key)
    warn_update = behavior.warn_update.get(subresource)
    if warn_update is not None:
        return warn_update(new, old)
    return [] if subresource or behavior.warn is None else behavior.warn(new)
