from __future__ import annotations

from typing import Any

import hypothesis

from kubestage.objects.views import node as node_views
from kubestage.scheduler.columns import Columns
from kubestage.scheduler.image_states import ImageStates
from kubestage.scheduler.node_info import NodeInfo
from kubestage.scheduler.plugins.image_locality import ImageLocality
from tests.reference import image_locality as twin
from tests.scheduler.plugins import clusters

GIBIBYTE = 1 << 30


def plugin() -> ImageLocality:
    return ImageLocality({}, clusters.handle())


def having(name: str, image: str, size: int) -> Any:
    return clusters.node(name, images=[{"names": [image], "sizeBytes": size}])


@hypothesis.given(clusters.nodes(), clusters.specs())
def test_a_node_scores_as_with_the_twin(nodes: Any, spec: Any) -> None:
    over, incoming = clusters.columns(nodes), clusters.pod(**spec)
    expected = [twin.score_node(incoming, info, over.infos) for info in over.infos]
    assert clusters.scores(plugin(), incoming, over) == (expected, expected)


def test_an_image_counts_more_the_more_nodes_have_it() -> None:
    rare = [having("a", "web:latest", GIBIBYTE), clusters.node("b"), clusters.node("c")]
    spread = [having("a", "web:latest", GIBIBYTE), having("b", "web:latest", 0), clusters.node("c")]
    incoming = clusters.pod()
    assert clusters.scores(plugin(), incoming, clusters.columns(rare)) == ([32, 0, 0],) * 2
    assert clusters.scores(plugin(), incoming, clusters.columns(spread)) == ([67, 67, 0],) * 2


def test_the_size_is_that_of_the_node_which_came_first() -> None:
    large, small = having("z", "web:latest", GIBIBYTE), having("a", "web:latest", 0)
    views = [node_views.of(each) for each in (large, small)]
    images = ImageStates(views)
    over = Columns([NodeInfo(view) for view in reversed(views)], images)
    assert clusters.scores(plugin(), clusters.pod(), over) == ([100, 100], [100, 100])


def test_the_images_of_volumes_count() -> None:
    over = clusters.columns([having("n", "data:latest", GIBIBYTE)])
    volumes = [{"name": "v", "image": {"reference": "data"}}, {"name": "w", "emptyDir": {}}]
    assert clusters.scores(plugin(), clusters.pod(volumes=volumes), over) == ([100], [100])


def test_a_node_that_loses_its_image_is_seen() -> None:
    over = clusters.columns([having("n", "web:latest", GIBIBYTE)])
    locality = plugin()
    assert clusters.scores(locality, clusters.pod(), over) == ([100], [100])
    over.update_node(0, node_views.of(clusters.node("n")))
    assert clusters.scores(locality, clusters.pod(), over) == ([0], [0])
