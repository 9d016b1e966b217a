"""Which container images are on which nodes, and how large they are."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.views.node import NodeView


@dataclasses.dataclass(slots=True)
class ImageState:
    """An image: the size that the first node with it reported, and all nodes that do."""

    size: int
    nodes: set[str]


class ImageStates:
    """All images, by each of their names.

    Nodes may report different sizes for one name. The first one counts until the image is on no
    node any more, so the order in which nodes arrive matters.
    """

    __slots__ = ("_states",)

    def __init__(self, views: Iterable[NodeView] = ()) -> None:
        self._states: dict[str, ImageState] = {}
        for view in views:
            self.add(view)

    def get(self, name: str) -> ImageState | None:
        """An image, or None if no node has it."""
        return self._states.get(name)

    def add(self, view: NodeView) -> None:
        """Take up the images of a node."""
        for image in images_of(view):
            size = image.get("sizeBytes") or 0
            for name in image.get("names") or ():
                state = self._states.get(name)
                if state is None:
                    self._states[name] = ImageState(size, {view.name})
                else:
                    state.nodes.add(view.name)

    def remove(self, view: NodeView) -> None:
        """Forget the images of a node."""
        for image in images_of(view):
            for name in image.get("names") or ():
                state = self._states.get(name)
                if state is not None:
                    state.nodes.discard(view.name)
                    if not state.nodes:
                        del self._states[name]


def images_of(view: NodeView) -> list[dict[str, Any]]:
    """The images that a node reports."""
    images: list[dict[str, Any]] = (view.raw.get("status") or {}).get("images") or []
    return images
