from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.views import node as node_views
from kubestage.scheduler.image_states import ImageState, ImageStates
from tests.scheduler.plugins import clusters

if TYPE_CHECKING:
    from kubestage.objects.views.node import NodeView


def _having(name: str, *images: tuple[str, int]) -> NodeView:
    told = [{"names": [image], "sizeBytes": size} for image, size in images]
    return node_views.of(clusters.node(name, images=told))


def test_the_first_word_on_a_size_counts() -> None:
    states = ImageStates([_having("a", ("web", 1), ("web", 5)), _having("b", ("web", 2))])
    assert states.get("web") == ImageState(1, {"a", "b"})
    assert states.get("other") is None


def test_the_first_word_counts_even_after_its_node_has_gone() -> None:
    first, second = _having("a", ("web", 1)), _having("b", ("web", 2))
    states = ImageStates([first, second])
    states.remove(first)
    assert states.get("web") == ImageState(1, {"b"})


def test_an_image_on_no_node_is_forgotten() -> None:
    only = _having("a", ("web", 1))
    states = ImageStates([only])
    states.remove(only)
    assert states.get("web") is None
    states.remove(only)
    states.add(_having("b", ("web", 2)))
    assert states.get("web") == ImageState(2, {"b"})
