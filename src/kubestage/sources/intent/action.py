"""What is done to a cluster again when a recording is replayed."""

from __future__ import annotations

from typing import Literal

import msgspec

from kubestage.aliases import Json
from kubestage.sources.imported import Reference  # noqa: TC001 - msgspec reads it

Verb = Literal["create", "patch", "delete", "evict", "fail", "recover"]


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a person, or something outside of the cluster, did.

    `create` has the object as its author wrote it, `patch` a JSON merge patch. `evict` has the
    pod, as the one of a replay may have another name. `fail` and `recover` are about a node that
    stops to report, and does so again.
    """

    at_ns: int
    verb: Verb
    reference: Reference
    object: Json | None = None
