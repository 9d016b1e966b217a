"""One workload and several ways to buy nodes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.runs.compare import ComparedLives, CompareOptions, compare, node_pools
from kubestage.runs.run import run
from kubestage.runs.run_options import RunOptions
from kubestage.runs.run_result import LivingResult
from tests.controllers.karpenter.lifecycle.stages import catalog, make_web
from tests.objects.kinds.karpenter_samples import node_pool, stage_node_class

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json

ON_DEMAND = {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}
TYPE = "node.kubernetes.io/instance-type"


def pool(*types: str, after: str = "30s") -> Json:
    made = node_pool(disruption={"consolidateAfter": after})
    types_in = {"key": TYPE, "operator": "In", "values": list(types)}
    made["spec"]["template"]["spec"]["requirements"] = [types_in] if types else [ON_DEMAND]
    return made


def group(name: str = "large", kind: str = "large") -> Json:
    labels = {TYPE: kind, "topology.kubernetes.io/zone": "a"}
    template = {"metadata": {"labels": labels}, "capacity": {"cpu": 8, "memory": "32Gi"}}
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "NodeGroup",
        "metadata": {"name": name},
        "spec": {"maxSize": 5, "provisionDelay": "30s", "template": template},
    }


class Files:
    """Files in a directory, and comparisons of them."""

    def __init__(self, place: pathlib.Path) -> None:
        self._place = place
        self.write("cluster", catalog(), stage_node_class(), make_web(6, cpu="1200m"))

    def write(self, name: str, *objects: Json) -> str:
        path = self._place / f"{name}.yaml"
        path.write_text("\n---\n".join(map(json.dumps, objects)))
        return str(path)

    def compare(self, *pools: str, **options: Any) -> ComparedLives:
        chosen = CompareOptions(nodepools=pools, **{"run_for": "10m", **options})
        compared = compare([str(self._place / "cluster.yaml")], chosen)
        assert isinstance(compared, ComparedLives)
        return compared


@pytest.fixture
def files(tmp_path: pathlib.Path) -> Files:
    return Files(tmp_path)


def values(compared: ComparedLives) -> dict[str, tuple[Any, ...]]:
    return {each.key: each.values for each in compared.measures}


def test_each_file_buys_its_own_nodes_for_the_same_workload(files: Files) -> None:
    small, large = files.write("small", pool("small")), files.write("large", pool("large"))
    compared = files.compare(small, large)
    assert compared.names == ("small", "large")
    told = values(compared)
    assert told["nodesAdded"] == (6, 1)
    assert told["nodesHighest"] == (6, 1)
    # Six nodes at 0.1, or one at 0.4; each for the same time.
    assert told["cost"][0] == pytest.approx(1.5 * told["cost"][1], rel=1e-3)
    assert told["costPerHourMean"][0] == pytest.approx(6 * told["cost"][0], rel=1e-4)


def test_a_run_is_the_one_that_run_makes(files: Files, tmp_path: pathlib.Path) -> None:
    small, large = files.write("small", pool("small")), files.write("large", pool("large"))
    told = values(files.compare(small, large, seed=3))
    alone = run([str(tmp_path / "cluster.yaml"), large], RunOptions(run_for="10m", seed=3))
    assert isinstance(alone, LivingResult)
    assert alone.record is not None
    assert told["cost"][1] == alone.record.summary["cost"]
    assert told["nodeHours"][1] == alone.record.summary["nodeHours"]


def test_karpenter_and_cluster_autoscaler_are_compared(files: Files) -> None:
    karpenter, groups = files.write("karpenter", pool("large")), files.write("groups", group())
    compared = files.compare(groups, karpenter)
    assert values(compared)["nodesAdded"] == (1, 1)
    (parted,) = compared.divergences
    assert parted is not None
    assert parted.first is not None
    assert parted.second is not None
    assert (parted.first.pool, parted.second.pool) == ("large", "default")
    assert parted.second.reason == "for 6 pods"


def test_pools_of_the_input_make_room_and_its_classes_stay_unless_the_file_has_some(
    files: Files,
) -> None:
    files.write(
        "cluster", catalog(), stage_node_class(), make_web(6, cpu="1200m"),
        pool("small"), group(),
    )  # fmt: skip
    medium = files.write("medium", pool("medium"))
    slow = files.write("slow", pool("medium"), stage_node_class(registrationDelay="5m"))
    told = values(files.compare(medium, slow))
    assert told["nodesAdded"] == (2, 2)
    assert told["longestWaitSeconds"][1] > told["longestWaitSeconds"][0] + 200


def test_several_seeds_have_means_and_paired_differences(files: Files) -> None:
    files.write(
        "cluster", catalog(), stage_node_class(registrationDelay="normal(60s,10s)"),
        make_web(6, cpu="1200m"),
    )  # fmt: skip
    small, large = files.write("small", pool("small")), files.write("large", pool("large"))
    compared = files.compare(large, small, seeds="0..2")
    assert compared.seeds == (0, 1, 2)
    found = {each.measure: each for each in compared.differences}
    assert (found["nodesAdded"].mean, found["nodesAdded"].verdict) == (5, "worse")
    # A machine costs from its launch on, however long its node takes to come.
    assert (found["cost"].verdict, found["cost"].low) == ("worse", None)
    assert found["nodeHours"].low is not None
    assert found["nodeHours"].low < found["nodeHours"].mean
    single = [values(files.compare(large, small, seed=seed))["cost"] for seed in range(3)]
    assert found["cost"].mean == pytest.approx(sum(two - one for one, two in single) / 3)
    assert {each.measure.name for each in compared.worse()} == {"cost", "pendingSeconds"} & {
        name for name, each in found.items() if each.verdict == "worse"
    }
    assert compared.to_dict()["seeds"] == [0, 1, 2]


def test_runs_are_kept_with_their_seeds(files: Files, tmp_path: pathlib.Path) -> None:
    small, large = files.write("small", pool("small")), files.write("large", pool("large"))
    out = tmp_path / "out"
    made = files.compare(small, large, out=str(out), seeds="2")
    kept = sorted(each.name for each in out.iterdir() if each.is_dir())
    assert kept == ["large-seed-0", "large-seed-1", "small-seed-0", "small-seed-1"]
    again = compare([str(out / "small-seed-0"), str(out / "large-seed-0")])
    assert isinstance(again, ComparedLives)
    assert again.divergences == made.divergences


@pytest.mark.parametrize(
    ("text", "found"),
    [(None, (7,)), ("3", (7, 8, 9)), ("0..2", (0, 1, 2)), ("4,1", (4, 1))],
)
def test_seeds(text: str | None, found: tuple[int, ...]) -> None:
    assert node_pools.seed_numbers(text, 7) == found


@pytest.mark.parametrize("text", ["0", "2..1", "a", "1,1", "-3..2", ""])
def test_what_are_no_seeds_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="are no seeds"):
        node_pools.seed_numbers(text, 0)


@pytest.mark.parametrize("text", ["0..1000000000", "99999999999999999999"])
def test_more_seeds_than_can_be_run_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="too many seeds"):
        node_pools.seed_numbers(text, 0)


def test_one_way_to_buy_nodes_is_nothing_to_compare(files: Files) -> None:
    with pytest.raises(InputError, match="nothing to compare"):
        files.compare(files.write("small", pool("small")))


def test_what_is_no_pool_belongs_to_the_workload(files: Files) -> None:
    small = files.write("small", pool("small"))
    mixed = files.write("mixed", pool("small"), make_web(1, name="more"))
    with pytest.raises(InputError, match="Deployment is nothing to buy nodes by"):
        files.compare(small, mixed)
    with pytest.raises(InputError, match="has no pool of nodes"):
        files.compare(small, files.write("class", stage_node_class()))


def test_flags_of_living_runs_need_pools() -> None:
    with pytest.raises(InputError, match="needs --nodepools") as raised:
        compare(["a", "b"], CompareOptions(run_for="1h"))
    assert raised.value.path == "--for"
