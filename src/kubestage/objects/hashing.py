"""Names and labels that controllers derive, mostly from a hash of a pod template.

Controllers recognise their own work by these hashes, and people compare them with a real
cluster's, so they agree with it digit for digit.
"""

from __future__ import annotations

import functools
import re
from typing import Any, Final

import msgspec

from kubestage.golang import json_encoding
from kubestage.objects import defaulting, go_dump, names

REVISION_HASH_LABEL: Final = "controller.kubernetes.io/hash"

_TEMPLATE: Final = "core/v1.PodTemplateSpec"
_MAX_NAME_LENGTH: Final = 253
_MAX_REVISION_PREFIX: Final = 223
_FNV_OFFSET: Final = 2166136261
_FNV_PRIME: Final = 16777619
_MASK: Final = (1 << 32) - 1
# Dumps are divided at braces.
_parts: Final = re.compile(rb"[^{}]*[{}]?").findall

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


def pod_template_hash(template: dict[str, Any], collision_count: int | None = None) -> str:
    """The value of ``pod-template-hash``; the template is taken as it is, without defaults."""
    return _template_hash(_encode(template), collision_count)


# A template is hashed on every visit of its controller; writing the dump takes a millisecond.
@functools.lru_cache(maxsize=4096)
def _template_hash(template: bytes, collision_count: int | None) -> str:
    data = go_dump.dump(_TEMPLATE, _decode(template)).encode()
    if collision_count is not None:
        data += (collision_count & _MASK).to_bytes(8, "little")
    return safe_encode_string(str(_fnv_1a(data)))


def deployment_hash(deployment: dict[str, Any]) -> str:
    """The template hash that the Deployment controller would use for this Deployment."""
    completed = defaulting.stored(deployment)
    collisions = completed["status"].get("collisionCount")
    return pod_template_hash(completed["spec"]["template"], collisions)


def replica_set_name(deployment_name: str, template_hash: str) -> str:
    """The name of a Deployment's ReplicaSet, cut to what a name may be."""
    room = _MAX_NAME_LENGTH - 1 - len(template_hash)
    prefix = deployment_name[:room] if room > 0 else deployment_name
    return f"{prefix}-{template_hash}"


class Revision(msgspec.Struct, frozen=True):
    """What a ControllerRevision records of its owner."""

    name: str
    labels: dict[str, str]
    data: dict[str, Any]


def stateful_set_revision(
    stateful_set: dict[str, Any], collision_count: int | None = None
) -> Revision:
    """The revision that the StatefulSet controller would record for this StatefulSet.

    The number of collisions comes from the status unless it is given.
    """
    completed = defaulting.default(stateful_set)
    template = completed["spec"]["template"]
    if collision_count is None:
        collision_count = completed["status"].get("collisionCount")
    data = {"spec": {"template": {**template, "$patch": "replace"}}}
    text = json_encoding.encode(data)
    if collision_count is not None:
        text += str(collision_count).encode()
    revision_hash = safe_encode_string(str(_fnv_1(text)))
    prefix = stateful_set["metadata"]["name"][:_MAX_REVISION_PREFIX]
    labels = {**template["metadata"].get("labels", {}), REVISION_HASH_LABEL: revision_hash}
    return Revision(f"{prefix}-{revision_hash}", labels, data)


def indexed_job_pod_generate_name(job_name: str, index: int) -> str:
    """The ``generateName`` of a pod of an indexed Job; the Job's name gives way to the index."""
    suffix = f"-{index}-"
    return job_name[: names.MAX_BASE_LENGTH - len(suffix)] + suffix


def safe_encode_string(text: str) -> str:
    """A text in the letters of random names, so that hashes look like them."""
    letters = names.ALPHABET
    return "".join(letters[ord(char) % len(letters)] for char in text)


def _fnv_1a(data: bytes) -> int:
    """The hash FNV-1a of 32 bits.

    NOTE: templates have most parts in common, and what a part does to a hash depends on the lowest
    byte of that alone. So it is kept: 0.08 ms for a template instead of 0.3 (benchmarks/load.py).
    """
    value = _FNV_OFFSET
    for part in _parts(data):
        factor, added = _fnv_1a_of_part(part, value & 0xFF)
        value = (value * factor + added) & _MASK
    return value


@functools.lru_cache(maxsize=16384)
def _fnv_1a_of_part(part: bytes, lowest: int) -> tuple[int, int]:
    """What a part multiplies a hash by, and adds to it, if this is the lowest byte of the hash."""
    value = lowest
    for byte in part:
        value = ((value ^ byte) * _FNV_PRIME) & _MASK
    factor = pow(_FNV_PRIME, len(part), _MASK + 1)
    return factor, (value - lowest * factor) & _MASK


def _fnv_1(data: bytes) -> int:
    value = _FNV_OFFSET
    for byte in data:
        value = ((value * _FNV_PRIME) & _MASK) ^ byte
    return value
