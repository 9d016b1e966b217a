"""What comes out of every profile is what its documentation says."""

from __future__ import annotations

import math
import pathlib
import re
from typing import TYPE_CHECKING

import pytest

from kubestage.cluster import profiles
from kubestage.cluster.access import Selection
from kubestage.cluster.api_server import ApiServer
from kubestage.cluster.listed import Listed
from kubestage.objects.kinds import KindTable
from kubestage.sim.streams import Streams
from tests.cluster import stages
from tests.cluster.stages import POD, Every, Heard

if TYPE_CHECKING:
    from kubestage.cluster.access import WatchEvent

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/control-plane-profiles.md"
ROW = re.compile(r"\| `(?P<name>[\w-]+)` \|(?P<cells>(?: [\d.]+ to [\d.]+ \|){5})\n")
PODS, EVERY_NS = 400, 25_000_000
POD_ROW = KindTable().of({"apiVersion": "v1", "kind": "Pod"})


def claims() -> dict[str, list[tuple[float, float]]]:
    """The table of the document: from where to where, by profile and column."""
    found = {}
    for row in ROW.finditer(DOCUMENT.read_text()):
        cells = [cell.split(" to ") for cell in row["cells"].strip(" |").split(" | ")]
        found[row["name"]] = [(float(low), float(high)) for low, high in cells]
    return found


def percentile(values: list[float], rank: int) -> float:
    return sorted(values)[math.ceil(len(values) * rank / 100) - 1]


class Lives(Heard):
    """When each pod was first seen, and when it was seen to run."""

    def __init__(self) -> None:
        super().__init__()
        self.began: dict[str, int] = {}
        self.ran: dict[str, int] = {}

    def see(self, seen: WatchEvent) -> None:
        name = seen.object["metadata"]["name"]
        self.began.setdefault(name, seen.at_ns)
        if seen.object["status"].get("phase") == "Running":
            self.ran.setdefault(name, seen.at_ns)


def test_every_profile_that_takes_time_is_in_the_table_and_described() -> None:
    text = DOCUMENT.read_text()
    assert set(claims()) == set(profiles.NAMED) - {"instant"}
    assert all(f"| `{name}` |" in text for name in profiles.NAMED)
    assert all(profile.description for profile in profiles.NAMED.values())


@pytest.mark.parametrize("name", list(claims()))
def test_calls_and_pods_take_as_long_as_the_table_says(name: str) -> None:
    stage, cluster = stages.alive(profiles.named(name), nodes=20, seed=5)
    lives = Lives()
    cluster.watch(Selection(POD), lives.see)

    def act(index: int) -> None:
        cluster.call(stages.create(stages.pod(f"pod-{index}")), lives.answer)

    Every(cluster, EVERY_NS, PODS, act)
    stage.run("60s")
    took = [(answer.ended_ns - answer.sent_ns) * 1e-6 for answer in lives.answers]
    started = [(lives.ran[pod] - lives.began[pod]) * 1e-9 for pod in lives.began]
    assert len(took) == len(started) == PODS
    measured = [percentile(each, rank) for each in (took, started) for rank in (50, 99)]
    for value, (low, high) in zip(measured, claims()[name][:4], strict=True):
        assert low <= value <= high, measured


@pytest.mark.parametrize("name", list(claims()))
def test_a_list_of_all_pods_of_a_large_cluster_takes_as_long_as_the_table_says(name: str) -> None:
    api = ApiServer(profiles.named(name), Streams(0))
    turn = api.take(api.endpoints.find("LIST", POD_ROW, scope="cluster"), 0, lists=Listed(150_000))
    assert turn is not None
    low, high = claims()[name][4]
    assert low <= turn.ends_ns * 1e-9 <= high


@pytest.mark.parametrize("name", list(claims()))
def test_slos_hold_where_there_is_little_to_do(name: str) -> None:
    create_ms, start_s = claims()[name][1][1], claims()[name][3][1]
    assert create_ms <= 1_000
    assert start_s <= 5


def test_instant_takes_no_time() -> None:
    stage, cluster = stages.empty(profiles.named("instant"))
    heard = Heard()
    for index in range(700):
        cluster.call(stages.create(stages.pod(f"pod-{index}")), heard.answer)
    stage.run(1)
    assert {answer.ended_ns for answer in heard.answers} == {1}
    assert len(heard.answers) == 700


def test_latency_rises_with_load() -> None:
    means = []
    for every_ns in (20_000_000, 1_200_000):
        stage, cluster = stages.empty(profiles.KIND)
        heard = Heard()

        def act(index: int, cluster: object = cluster, heard: Heard = heard) -> None:
            call = stages.create(stages.pod(f"pod-{index}"))
            cluster.call(call, heard.answer)  # type: ignore[attr-defined] # a StagedCluster

        Every(cluster, every_ns, 600, act)
        stage.run("60s")
        took = [answer.ended_ns - answer.sent_ns for answer in heard.answers]
        means.append(sum(took) / len(took))
    assert means[1] > 3 * means[0]
