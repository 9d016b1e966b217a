"""Recorded passes of the real provisioner: ours decides the same, field by field.

A compact part of the recordings lies in `tests/golden`; all of them are used where they are found
next to the repository.
"""

from __future__ import annotations

import gzip
import pathlib
from typing import TYPE_CHECKING

import msgspec
import pytest

from kubestage.errors import InputError
from kubestage.replay import karpenter
from kubestage.replay.karpenter import provisioning

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.replay.karpenter import World

GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
SHARED = GOLDEN.parents[2] / "shared" / "autoscalers" / "karpenter" / "public"
PATHS = sorted((SHARED if SHARED.exists() else GOLDEN / "karpenter").glob("provision-*.json.gz"))


def _world(name: str) -> World:
    return karpenter.load(GOLDEN / "karpenter" / f"{name}.json.gz")


def test_there_are_worlds_of_every_category() -> None:
    assert len({path.name.rpartition("-")[0] for path in PATHS}) == 15


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.partition(".")[0])
def test_every_pass_is_as_recorded(path: pathlib.Path) -> None:
    differences = karpenter.play(karpenter.load(path))
    assert not differences, "\n".join(map(str, differences))


@pytest.mark.parametrize(
    ("field", "stated"),
    [("metadata", {"deletionTimestamp": "2000-01-01T00:00:00Z"}), ("spec", {"replicas": 1})],
)
def test_node_pools_that_go_or_are_static_get_no_pods(field: str, stated: Json) -> None:
    world = _world("provision-basic-012")
    assert provisioning.decide(world)["result"]["newNodeClaims"]
    for each in world.objects:
        if each["kind"] == "NodePool":
            each[field].update(stated)
    assert not provisioning.decide(world)["result"]["newNodeClaims"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("pod", "result.newNodeClaims[0].pods"),
        ("types", "result.newNodeClaims[0].instanceTypes"),
        ("requests", "result.newNodeClaims[0].requests.cpu"),
        ("labels", "result.newNodeClaims[0].labels.made-up"),
        ("claim", "result.newNodeClaims"),
        ("error", "result.podErrors."),
        ("existing", "result.existingNodes."),
        ("event", "events"),
    ],
)
def test_a_pass_that_differs_is_noticed(change: str, expected: str) -> None:
    world = _world("provision-limits-010")
    step = msgspec.json.decode(msgspec.json.encode(world.steps[0]))
    result = step["result"]
    claim = result["newNodeClaims"][0]
    match change:
        case "pod":
            claim["pods"].pop()
        case "types":
            claim["instanceTypes"].reverse()
        case "requests":
            claim["requests"]["cpu"] = "1m"
        case "labels":
            claim["labels"]["made-up"] = "yes"
        case "claim":
            result["newNodeClaims"].pop()
        case "error":
            result["podErrors"].popitem()
        case "existing":
            result["existingNodes"].popitem()
        case "event":
            step["events"].pop()
    world.steps[0] = step
    paths = [difference.path for difference in karpenter.play(world)]
    assert len(paths) == 1 or change == "types"
    assert paths[0].startswith(expected)


def test_what_varies_in_the_real_one_is_marked() -> None:
    world = _world("provision-spread-012")
    step = world.steps[0]
    step["result"]["newNodeClaims"].pop()
    step["result"]["podErrors"].popitem()
    varies = {each.path.split(".")[1]: each.varies for each in karpenter.play(world)}
    assert varies == {"newNodeClaims": True, "podErrors": False}


def test_the_same_world_gives_the_same_bytes() -> None:
    first, second = (
        msgspec.json.encode(provisioning.decide(_world("provision-spread-013")), order="sorted")
        for _ in range(2)
    )
    assert first == second


def test_a_file_that_is_no_world_is_refused(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "world.json.gz"
    path.write_bytes(gzip.compress(b'{"name": "x"}'))
    with pytest.raises(InputError, match="one recorded world of Karpenter"):
        karpenter.load(path)


def test_the_numbers_of_made_up_hosts_do_not_count() -> None:
    world = _world("provision-limits-010")
    step = msgspec.json.decode(msgspec.json.encode(world.steps[0]))
    name = next(iter(step["result"]["podErrors"]))
    step["result"]["podErrors"][name] = "not on hostname-placeholder-0042"
    again = msgspec.structs.replace(world, steps=[step])
    found = provisioning.decide(again)
    found["result"]["podErrors"][name] = "not on hostname-placeholder-12345"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provisioning, "decide", lambda world: found)
        assert not [each for each in provisioning.play(again) if "podErrors" in each.path]
