"""Patches: how a request changes part of an object, in the three forms that the API takes.

Here belongs applying patches (JSON Patch, JSON merge patch, strategic merge patch) and making
them as kubectl does. Here does not belong what happens to the result: defaults, validation and
versions are the business of others. All functions are pure; what a patch leaves alone is shared
between the old object and the new one.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from kubestage.objects.patches import json_patch, merge_patch, strategic
from kubestage.objects.patches.diff import three_way, two_way
from kubestage.objects.patches.failure import PatchError

if TYPE_CHECKING:
    from kubestage.objects.schema import Struct

__all__ = ["PatchError", "PatchType", "apply", "three_way", "two_way"]


class PatchType(enum.Enum):
    """The forms of a patch, by media type."""

    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"


def apply(patch_type: PatchType, original: Any, patch: Any, struct: Struct | None = None) -> Any:
    """The object after the patch.

    `struct` is the shape of the object's kind (``schema.kind_struct``), which only strategic merge
    patches need; custom resources have none and cannot take that form.
    """
    if patch_type is PatchType.JSON:
        return json_patch.apply(original, patch)
    if patch_type is PatchType.MERGE:
        return merge_patch.apply(original, patch)
    return strategic.apply(original, patch, struct)
