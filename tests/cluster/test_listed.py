"""How much a list is: its objects, their size, and the seats that the server estimates."""

from __future__ import annotations

import math

import pytest

from kubestage.cluster import listed, profiles
from kubestage.cluster.access import Answer, Call, Resource
from kubestage.cluster.api_server import ApiServer
from kubestage.cluster.listed import NOTHING, Listed
from kubestage.cluster.profile import ApiSection, Profile
from kubestage.objects.kinds import KindTable
from kubestage.sim.streams import Streams
from tests.cluster import stages

CONFIG_MAP = KindTable().of({"apiVersion": "v1", "kind": "ConfigMap"})


def config_map(name: str, size: int) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        "data": {"key": "x" * size},
    }


@pytest.mark.parametrize(
    ("found", "seats"),
    [
        (NOTHING, 1), (Listed(50), 1), (Listed(51), 2), (Listed(5_000), 10),
        (Listed(0, 200), 4), (Listed(1, 1), 1), (Listed(3, 3, 100_000), 3),
    ],
)  # fmt: skip
def test_seats_depend_on_all_objects_of_the_kind_and_on_their_size(
    found: Listed, seats: int
) -> None:
    assert found.seats == seats


def test_the_size_is_that_of_a_sample() -> None:
    maps = [config_map(str(number), 100_000) for number in range(100)]
    found = listed.of(maps, 300)
    assert (found.objects, found.stored) == (100, 300)
    assert 100_000 < found.size < 101_000
    assert listed.of(maps[:0], 300) == Listed(0, 300)
    assert listed.of([config_map("a", 1)], 1).size == 2_000, "no real object is smaller"


def took_s(size: int, objects: int = 1_000) -> float:
    api = ApiServer(profiles.named("gce-100"), Streams(0))
    endpoint = api.endpoints.find("LIST", CONFIG_MAP, scope="cluster")
    return api.take(endpoint, 0, lists=Listed(objects, objects, size)).ends_ns * 1e-9


def test_a_list_of_large_objects_takes_longer() -> None:
    assert math.isclose(took_s(2_000), took_s(5_000), rel_tol=0.01), "as many objects, all small"
    small, medium, large = took_s(2_000), took_s(20_000), took_s(100_000)
    assert small < medium < large
    assert 0.4 < large < 0.8, "100 MB"


def test_a_list_of_a_stage_is_as_long_as_its_objects_are_large() -> None:
    profile = Profile(api=ApiSection(list_per_object="1us", list_per_megabyte="5ms"))
    stage, cluster = stages.empty(profile)
    answers: list[Answer] = []
    for size in (10, 1_000_000):
        stage.store.create(config_map(f"of-{size}", size))
        call = Call(verb="list", resource=Resource("v1", "ConfigMap"))
        cluster.call(call, answers.append)
        stage.run(f"{len(answers) + 1}s")
    small, large = (each.ended_ns - each.sent_ns for each in answers)
    assert small < 100_000
    assert 4_000_000 < large < 6_000_000


def test_one_object_by_its_name_takes_one_seat() -> None:
    stage, cluster = stages.empty(Profile())
    for number in range(200):
        stage.store.create(config_map(str(number), 1))
    row = stage.store.kind(("v1", "ConfigMap"))
    assert cluster.stored(row) == 200
    assert cluster.stored(row, "metadata.name=7") == 1
