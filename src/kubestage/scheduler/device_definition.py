"""Devices of nodes that pods share: how many a node has, and what a pod requests of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView

Indexes = tuple[int, ...]
"""Devices of a node, by number."""


class DeviceRequest(NamedTuple):
    """What a pod requests: a share of each of so many devices."""

    share: int
    number: int


class Devices(msgspec.Struct, frozen=True):
    """Where nodes and pods state their devices; the defaults are the names of Alibaba's GPU share.

    - `count`: the label or the resource of a node that says how many devices it has.
    - `share`: the annotation of a pod with its share of a device, of which `whole` is all.
    - `number`: the annotation of a pod with the number of devices; one if it has a share only.
    - `index`: the annotation of a pod on a node with the devices that it has, as in ``0-1``.
    """

    name: str = "gpu"
    count: str = "alibabacloud.com/gpu-count"
    share: str = "alibabacloud.com/gpu-milli"
    number: str = "alibabacloud.com/gpu-count"
    index: str = "alibabacloud.com/gpu-index"
    whole: int = 1000

    def count_of(self, node: NodeView) -> int:
        """How many devices a node has."""
        amount = node.allocatable.scalars.get(self.count, 0)
        return _number(f"node {node.name}", "label", node.labels, self.count, amount)

    def request_of(self, pod: PodView) -> DeviceRequest | None:
        """What a pod requests; None if it needs no device."""
        annotations = pod.annotations
        if self.share not in annotations and self.number not in annotations:
            return None
        about = f"pod {pod.key}"
        share = _number(about, "annotation", annotations, self.share, self.whole)
        number = _number(about, "annotation", annotations, self.number, 1)
        return DeviceRequest(share, number) if share and number else None

    def indexes_of(self, pod: PodView, count: int) -> Indexes | None:
        """The devices that a pod on a node states to have; None if it does not."""
        text = pod.annotations.get(self.index)
        if text is None:
            return None
        parts = text.split("-")
        if not all(part.isdecimal() and int(part) < count for part in parts):
            problem = f'annotation {self.index} is "{text}", of {count} devices'
            fix = "write numbers of devices from 0 on, as in 0-1"
            raise InputError(problem, path=f"pod {pod.key}", fix=fix)
        return tuple(map(int, parts))


def _number(about: str, place: str, texts: Mapping[str, str], key: str, otherwise: int) -> int:
    text = texts.get(key)
    if text is None:
        return otherwise
    if not text.isdecimal():
        problem = f'{place} {key} is "{text}", not a whole number'
        raise InputError(problem, path=about, fix="write a number from 0 on")
    return int(text)
